#pragma once

#include <dunlin/mds.hpp>

#include "mds/source.hpp"

namespace dunlin::mds {

/// Where iterations begin: by classical scaling of points' distances or of a small matrix, by pivots of others, at
/// random where pairs are missing; at the scale whose stress is least, and shaken by a ten-thousandth, so that no two
/// items share a place that mirror each other in the data.
Map first_map(device::Cpu& cpu, const Dissimilarities& items, const Source& source, int dim, Start start,
              std::uint64_t seed);

/// Multiplies the map by sum d delta / sum d^2, over all pairs of up to 64 items, drawn by the seed. A map without
/// extent stays.
void rescale(device::Cpu& cpu, const Source& source, Map& map, std::uint64_t seed);

/// The same over all pairs of these items.
void rescale(device::Cpu& cpu, const Source& source, Map& map, std::span<const Index> rows);

/// Moves every item by about a ten-thousandth of the map's extent; from a map in one place by about 1.
void shake(Map& map, std::uint64_t seed);

/// Centres the map and turns it into its principal axes; each axis' largest coordinate is positive.
void align(Map& map);

}  // namespace dunlin::mds

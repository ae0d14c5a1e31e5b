#pragma once

#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

namespace dunlin::metrics {

/// The k nearest in the map of each of `rows`, nearest first, ties by id: rows.size() x k. Every pair is looked at.
std::vector<Index> map_neighbors(device::Cpu& cpu, const Map& map, std::span<const Index> rows, Index k);

}  // namespace dunlin::metrics

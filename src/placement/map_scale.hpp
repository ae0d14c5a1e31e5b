// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/run.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/transform.hpp>

#include "device/cpu.hpp"

namespace dunlin::placement {

/// Median distance of a point of the map to its nearest one, of up to 1,000 points evenly chosen; at least a millionth
/// of the map's span, and 1 for a map of coincident points.
double neighbor_distance_of(device::Cpu& cpu, MatrixView<const float> map);

/// Neighbors that placing a query preserves. of: number of its nearest points in the data. count: how many of them are
/// among the nearest points of its place in the map.
struct Kept {
    Index count = 0, of = 0;
};
constexpr Index most_kept = 15;

/// For places in the map, those of the queries `rows`: the first min(15, n) points of the query's list are looked for
/// among the min(15, n) nearest points of the map, n its size. Exact; ties in the map by id. run: that of the search;
/// without a stop of its own that of the scope ends it by Cancelled.
std::vector<Kept> kept_at(device::Cpu& cpu, MatrixView<const float> map, MatrixView<const float> places,
                          const Graph& lists, std::span<const Index> rows, const Run& run = {});

/// Upper bound of the memory that take_better uses for so many queries, with the places of `other`, in bytes.
std::uint64_t bytes_of_choice(device::Cpu& cpu, MatrixView<const float> map, Index queries);

/// Replaces the places of `placed`, with their cost and gap, by those of `other` that keep more neighbors, and sets
/// by_own, which says where. Only places that differ are searched for. The stage is "place", of as many steps as
/// queries, the last of which is reported at the end. A stop of the scope ends it by Cancelled, `placed` unchanged.
void take_better(device::Cpu& cpu, MatrixView<const float> map, const Graph& lists, const Result& other, const Run& run,
                 Result& placed);

/// Result::preservation: lists are those of the data, `placed` the places in the map.
scores::Score kept_neighbors(device::Cpu& cpu, MatrixView<const float> map, const Map& placed, const Graph& lists,
                             std::uint64_t seed);

}  // namespace dunlin::placement

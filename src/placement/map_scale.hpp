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

/// For the place of each query in `rows`: how many of the first min(15, n) points of its list are among the min(15, n)
/// nearest points of the map, whose size is n. Exact; ties in the map by id. run: for the search. If it has no stop,
/// the stop of the scope ends the search by Cancelled.
std::vector<Kept> kept_at(device::Cpu& cpu, MatrixView<const float> map, MatrixView<const float> places,
                          const Graph& lists, std::span<const Index> rows, const Run& run = {});

/// Upper bound in bytes of the memory that take_better uses for this number of queries, places of `other` included.
std::uint64_t bytes_of_choice(device::Cpu& cpu, MatrixView<const float> map, Index queries);

/// Replaces places of `placed`, with their cost and gap, by those of `other` that keep more neighbors. by_own tells
/// which were replaced. Searches only for places that differ. Reports the stage "place" with one step per query. A stop
/// of the scope ends it by Cancelled and leaves `placed` unchanged.
void take_better(device::Cpu& cpu, MatrixView<const float> map, const Graph& lists, const Result& other, const Run& run,
                 Result& placed);

/// Result::preservation: lists are those of the data, `placed` the places in the map.
scores::Score kept_neighbors(device::Cpu& cpu, MatrixView<const float> map, const Map& placed, const Graph& lists,
                             std::uint64_t seed);

}  // namespace dunlin::placement

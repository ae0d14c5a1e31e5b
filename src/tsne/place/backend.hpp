// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/transform.hpp>

#include "device/cpu.hpp"
#include "placement/minimize.hpp"

namespace dunlin::forces {
struct StudentT;
}  // namespace dunlin::forces

namespace dunlin::placement {
template <class Law>
class MapField;
}  // namespace dunlin::placement

/// The part of placing that differs by device.
namespace dunlin::tsne {

/// The queries of a call: lists of distances to the map's points, and p_j of each edge.
struct PlaceTask {
    MatrixView<const float> map;
    const Graph& lists;
    std::span<const float> affinities;
    placement::MinimizeRule minimize;
    int starts = 4;
    double separation = 1;       ///< minima nearer to each other count as one
    const Map* start = nullptr;  ///< one start per query, in place of the usual ones
};

/// Sets map, cost and gap of `placed`, whose arrays have their size.
void place_on_cpu(device::Cpu& cpu, const PlaceTask& task, const placement::MapField<forces::StudentT>& field,
                  const Run& run, Placed& placed);
/// run.device is cuda.
void place_on_cuda(const PlaceTask& task, const placement::MapField<forces::StudentT>& field, const Run& run,
                   Placed& placed);

/// Implementation in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(tsne::place_on_cuda) place_on_cuda;
}  // namespace backend

}  // namespace dunlin::tsne

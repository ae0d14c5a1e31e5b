// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/transform.hpp>

#include "device/cpu.hpp"
#include "placement/minimize.hpp"

namespace dunlin::forces {
struct StudentT;
struct GeneralStudentT;
struct Fuzzy;
struct FurtherPairs;
}  // namespace dunlin::forces

/// The part of placing that differs by device.
namespace dunlin::placement {

template <class Law>
struct MapLoss;

/// The queries of a call, as edges to the map's points, nearest first.
struct PlaceTask {
    MatrixView<const float> map;
    const Graph& edges;
    MinimizeRule minimize;
    int starts = 4;
    double separation = 1;       ///< minima nearer to each other count as one
    const Map* start = nullptr;  ///< one start per query, in place of the usual ones
};

/// Sets map, cost and gap of `placed`, whose arrays have their size. For the laws of loss_of_map.
template <class Law>
void place_on_cpu(device::Cpu& cpu, const PlaceTask& task, const MapLoss<Law>& loss, const Run& run, Result& placed);

/// As place_on_cpu(), for run.device cuda.
template <class Law>
using PlaceOnCuda = void(const PlaceTask& task, const MapLoss<Law>& loss, const Run& run, Result& placed);
PlaceOnCuda<forces::StudentT> place_on_cuda;
PlaceOnCuda<forces::GeneralStudentT> place_on_cuda;
PlaceOnCuda<forces::Fuzzy> place_on_cuda;
PlaceOnCuda<forces::FurtherPairs> place_on_cuda;

/// Implementation in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
template <class Law>
void place_on_cuda(const PlaceTask& task, const MapLoss<Law>& loss, const Run& run, Result& placed);
}  // namespace backend

}  // namespace dunlin::placement

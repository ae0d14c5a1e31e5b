// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/transform.hpp>

#include "device/cpu.hpp"
#include "forces/law.hpp"
#include "placement/field.hpp"
#include "placement/minimize.hpp"

/// The part of placing that differs by device.
namespace dunlin::tsne {

/// The queries of a call: lists of distances to the map's points, and p_j of each edge.
struct PlaceTask {
    MatrixView<const float> map;
    const Graph& lists;
    std::span<const float> affinities;
    placement::MinimizeRule minimize;
    int starts = 4;
    double separation = 1;  ///< minima nearer to each other count as one
};

/// Sets map, cost and gap of `placed`, whose arrays have their size.
void place_on_cpu(device::Cpu& cpu, const PlaceTask& task, const placement::MapField<forces::StudentT>& field,
                  const Run& run, Placed& placed);

}  // namespace dunlin::tsne

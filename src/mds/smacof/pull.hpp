// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/agreed_stop.hpp"
#include "math/at.hpp"
#include "mds/configuration.hpp"
#include "mds/forces/subset.hpp"
#include "progress/cancel.hpp"

namespace dunlin::mds {

/// Step length of an item; weights: their sum over its pairs.
DUNLIN_HD inline float step_of(double weights, double relaxation) {
    return weights > 0 ? static_cast<float>(relaxation / (2 * weights)) : 0.0F;
}

/// The input of majorization on a CPU.
struct CpuItems {
    const Source* source;
    const float* weights;                 ///< n x n, or null: all 1
    Subset moving{nullptr, 0};            ///< the items that move; items null: all
    device::AgreedStop* ranks = nullptr;  ///< not null: of several ranks, each computes a share of the rows
};

/// Computes shape.force, shape.error and shape.stress at shape.y. If only some items move, those of these items; a pair
/// of two of them counts twice.
void pull_all(device::Cpu& cpu, const CpuItems& items, Configuration<device::Cpu>& configuration);

/// The share of every rank begins at a multiple of this number of rows: the tile of the GPU kernel.
constexpr Offset rows_of_share = 64;

/// The borders of the ranks' shares of n rows.
std::vector<Offset> borders_of_rows(const device::Rank& rank, Offset n);

/// Collective: checks for a stop of any rank, calls pull(slice) for the rows of this rank, and gathers the forces and
/// errors of all rows on every rank.
template <class Exec, class Pull>
void pull_share(Exec& exec, device::AgreedStop& ranks, Configuration<Exec>& configuration, const Pull& pull) {
    ranks.check();
    progress::cancellation_point();
    device::Rank& rank = ranks.rank();
    std::vector<Offset> borders = borders_of_rows(rank, configuration.n);
    pull(device::Slice{borders[at(rank.index())], borders[at(rank.index() + 1)]});
    device::all_gather(exec, rank, configuration.error.data(), borders);
    for (Offset& border : borders) border *= configuration.dim;
    device::all_gather(exec, rank, configuration.force.data(), borders);
}

/// Step lengths of all items along their forces: `relaxation`, in (0, 2), times 1 / n if all pairs have weight 1, else
/// times 1 / (2 sum of the item's weights); 0 for an item without pairs.
std::vector<float> steps(device::Cpu& cpu, const CpuItems& items, double relaxation);

}  // namespace dunlin::mds

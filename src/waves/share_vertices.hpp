// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/ranks.hpp"
#include "waves/law.hpp"

namespace dunlin::waves {

/// Collective for graphs: each rank has the values of its own vertices (Shares). On return all ranks have those of all
/// vertices; w only if it diffuses. Does nothing on one device, and on grids, which have halos.
template <class Exec>
void share_vertices(Exec& exec, const Problem& problem, double* v, double* w) {
    device::Rank* rank = device::Rank::current();
    if (rank == nullptr || problem.domain.graph == nullptr) return;
    const std::vector<Offset> borders = device::slice_borders(*rank, problem.size());
    device::all_gather(exec, *rank, v, borders);
    if (with_law(problem, [&]<class Law>() { return Law::spreads; })) device::all_gather(exec, *rank, w, borders);
}

}  // namespace dunlin::waves

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <dunlin/scores.hpp>

#include "descent/state.hpp"
#include "device/cpu.hpp"
#include "forces/attraction/attraction.hpp"
#include "forces/exact/potential.hpp"
#include "forces/law.hpp"
#include "forces/sampled/sampled.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "scores/coordinate_columns.hpp"

/// The cost of a map without a normalizer: a sum over edges and, exactly or over a sample of rows, over all pairs.
namespace dunlin::descent {

/// The rows whose repulsion is summed: all up to 4,000 points, beyond that a sample.
std::vector<Index> rows_of_repulsion(Index n, std::uint64_t seed);

/// The cost per point, given the sum over edges and the share of each row of rows_of_repulsion.
scores::Score cost_of(double edges, std::span<const double> of_row, Index n);

/// The cost per point of edges and repulsion: edge_law.cost summed over `edges` and divided by `edge_unit`, and
/// share(row, sum of the law's potential at the row over the other points), summed over rows. Both in the order of the
/// state.
template <class EdgeLaw, class Law, class Share>
scores::Score pair_cost(device::Cpu& cpu, DescentState<device::Cpu>& state, const EdgeLaw& edge_law, const Graph& edges,
                        double edge_unit, const Law& law, std::uint64_t seed, const Share& share) {
    forces::attract_cost(cpu, edge_law, edges, state.positions(), state.cost);
    const std::vector<Index> rows = rows_of_repulsion(state.n, seed);
    std::vector<double> of_row(rows.size());
    const double own = forces::potential_of(law, 0.0);
    if (state.dim > 3) {
        cpu.each(
            std::ssize(rows),
            [&](Offset r) {
                const float* y = state.y.data() + Offset{rows[at(r)]} * state.dim;
                of_row[at(r)] = share(rows[at(r)], forces::potential_of_all(law, state.positions(), y) - own);
            },
            1);
        return cost_of(state.cost.value / edge_unit, of_row, state.n);
    }
    const scores::CoordinateColumns columns(Map{state.dim, state.y});
    cpu.blocks(static_cast<Offset>(rows.size()), 1, [&](Offset r, Offset, int) {
        progress::cancellation_point();
        const float *column[3] = {}, *y = state.y.data() + Offset{rows[at(r)]} * state.dim;
        for (int c = 0; c < state.dim; ++c) column[c] = columns.column(c);
        of_row[at(r)] = share(rows[at(r)], forces::potential_at(law, column, state.dim, y, state.n) - own);
    });
    return cost_of(state.cost.value / edge_unit, of_row, state.n);
}

}  // namespace dunlin::descent

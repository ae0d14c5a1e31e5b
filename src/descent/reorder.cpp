// SPDX-License-Identifier: Apache-2.0
#include "descent/reorder.hpp"

#include <algorithm>

#include "forces/morton_order.hpp"
#include "graph/relabel.hpp"

namespace dunlin::descent {

namespace {

constexpr Index worthwhile = 200000;  // measured, see docs/performance.md

template <class T>
void permute(std::vector<T>& values, const std::vector<Index>& order, std::size_t width) {
    std::vector<T> moved(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::copy_n(values.begin() + static_cast<Offset>(static_cast<std::size_t>(order[i]) * width), width,
                    moved.begin() + static_cast<Offset>(i * width));
    }
    values.swap(moved);
}

}  // namespace

bool reorders_at(const DescentState<device::Cpu>& state, int iteration) {
    return state.n >= worthwhile && state.map_dim <= 3 && (iteration == 50 || iteration == 250 || iteration == 500);
}

std::vector<Index> reorder_points(device::Cpu& cpu, DescentState<device::Cpu>& state) {
    const std::vector<Index> order = forces::morton_order(cpu, state.positions());
    for (auto* values : {&state.y, &state.velocity, &state.gain})
        permute(*values, order, static_cast<std::size_t>(state.dim));
    permute(state.original, order, 1);
    return order;
}

void reorder(device::Cpu& cpu, DescentState<device::Cpu>& state, Graph& affinities) {
    if (state.n == 0) return;
    affinities = graph::relabel(cpu, affinities, reorder_points(cpu, state));
}

void renumber(device::Cpu& cpu, const DescentState<device::Cpu>& state, Graph& affinities) {
    affinities = graph::relabel(cpu, affinities, state.original);
}

}  // namespace dunlin::descent

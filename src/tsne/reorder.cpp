// SPDX-License-Identifier: Apache-2.0
#include "tsne/reorder.hpp"

#include <algorithm>

#include "device/sort.hpp"
#include "forces/box.hpp"
#include "graph/relabel.hpp"
#include "math/morton.hpp"

namespace dunlin::tsne {

namespace {

constexpr Index worthwhile = 200000;  // measured, see docs/performance.md

template <int D>
std::vector<Index> morton_order(device::Cpu& cpu, MatrixView<const float> y) {
    const forces::BoundingBox bounds = forces::box_of(cpu, y);
    const math::MortonBox<D> box(bounds.least.data(), bounds.most.data());
    std::vector<device::Keyed> keyed(static_cast<std::size_t>(y.rows));
    cpu.each(y.rows,
             [&](Offset i) { keyed[static_cast<std::size_t>(i)] = {box.code(y.data + i * D), static_cast<Index>(i)}; });
    device::RadixSort().sort(cpu, keyed, D * math::morton_bits<D>);
    std::vector<Index> order(keyed.size());
    std::transform(keyed.begin(), keyed.end(), order.begin(), [](const device::Keyed& k) { return k.item; });
    return order;
}

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
    return state.n >= worthwhile && (iteration == 50 || iteration == 250 || iteration == 500);
}

void reorder(device::Cpu& cpu, DescentState<device::Cpu>& state, Graph& affinities) {
    if (state.n == 0) return;
    const auto y = state.positions();
    const std::vector<Index> order = state.dim == 2 ? morton_order<2>(cpu, y) : morton_order<3>(cpu, y);
    affinities = graph::relabel(cpu, affinities, order);
    for (auto* values : {&state.y, &state.velocity, &state.gain})
        permute(*values, order, static_cast<std::size_t>(state.dim));
    permute(state.original, order, 1);
}

}  // namespace dunlin::tsne

// SPDX-License-Identifier: Apache-2.0
#include "forces/attraction/attraction.hpp"

#include <algorithm>

#include "forces/attraction/edge_sum.hpp"

namespace dunlin::forces {

namespace {

template <int D>
void cost(device::Cpu& cpu, const Graph& graph, MatrixView<const float> y, device::Cell<double>& total) {
    const Offset* offsets = graph.offsets.data();
    const Offset blocks = (graph.edges() + edges_per_block - 1) / edges_per_block;
    cpu.sum(
        blocks,
        [&](Offset block) {
            const Offset begin = block * edges_per_block, end = std::min(graph.edges(), begin + edges_per_block);
            double sum = 0;
            auto row = std::upper_bound(offsets, offsets + graph.offsets.size(), begin) - offsets - 1;
            for (; row < graph.size() && offsets[row] < end; ++row) {
                const Offset first = std::max(begin, offsets[row]), last = std::min(end, offsets[row + 1]);
                sum += batch_cost<D>({.targets = graph.targets.data() + first,
                                      .weights = graph.weights.data() + first,
                                      .size = last - first,
                                      .from = y.data + row * D,
                                      .y = y.data});
            }
            return sum;
        },
        total, 1);
}

template <int D>
void attract_rows(device::Cpu& cpu, const Graph& graph, MatrixView<const float> y, MatrixView<float> force) {
    const auto row_sum = has_avx512() ? attract_batch_avx512<D> : attract_batch<D>;
    EdgeSum<D, decltype(row_sum)>(graph, y, force, row_sum).run(cpu);
}

}  // namespace

void attract(device::Cpu& cpu, const Graph& affinities, MatrixView<const float> y, MatrixView<float> force) {
    if (y.cols == 2) {
        attract_rows<2>(cpu, affinities, y, force);
    } else {
        attract_rows<3>(cpu, affinities, y, force);
    }
}

void attract_cost(device::Cpu& cpu, const Graph& affinities, MatrixView<const float> y, device::Cell<double>& cost_) {
    if (y.cols == 2) {
        cost<2>(cpu, affinities, y, cost_);
    } else {
        cost<3>(cpu, affinities, y, cost_);
    }
}

}  // namespace dunlin::forces

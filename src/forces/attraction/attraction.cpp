// SPDX-License-Identifier: Apache-2.0
#include "forces/attraction/attraction.hpp"

#include <algorithm>

#include "forces/attraction/edge_sum.hpp"
#include "forces/width.hpp"
#include "math/at.hpp"

namespace dunlin::forces {

namespace {

template <int D, class Law>
void cost(device::Cpu& cpu, const Graph& graph, MatrixView<const float> y, device::Cell<double>& total,
          const Law& law) {
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
                sum += batch_cost<D>(EdgeBatch{.targets = graph.targets.data() + first,
                                               .weights = graph.weights.data() + first,
                                               .size = last - first,
                                               .from = y.data + row * D,
                                               .y = y.data},
                                     law);
            }
            return sum;
        },
        total, 1);
}

template <int D>
void attract_rows(device::Cpu& cpu, const Graph& graph, MatrixView<const float> y, MatrixView<float> force,
                  const device::Slice& rows, const StudentT&) {
    const auto row_sum = has_avx512() ? attract_batch_avx512<D> : attract_batch<D>;
    EdgeSum<D, decltype(row_sum)>(graph, y, force, row_sum).run(cpu, rows);
}

template <int D, class Law>
void attract_rows(device::Cpu& cpu, const Graph& graph, MatrixView<const float> y, MatrixView<float> force,
                  const device::Slice& rows, const Law& law) {
    const auto weigh_edges = [&](Index row, Offset begin, Offset end, float* weights) {
        block_lengths<D>(graph, y, row, begin, end, weights);
        weigh(law, graph.weights.data() + begin, weights, end - begin);
    };
    const auto row_sum = pull_batch<D>;
    EdgeSum<D, decltype(row_sum), decltype(weigh_edges)>(graph, y, force, row_sum, weigh_edges).run(cpu, rows);
}

}  // namespace

template <class Law>
void attract(device::Cpu& cpu, const Law& law, const Graph& affinities, MatrixView<const float> y,
             MatrixView<float> force, const device::Slice& rows) {
    with_width<Law>(y.cols, [&]<int W>() { attract_rows<W>(cpu, affinities, y, force, rows, law); });
}

template <class Law>
void attract_cost(device::Cpu& cpu, const Law& law, const Graph& affinities, MatrixView<const float> y,
                  device::Cell<double>& cost_) {
    with_width<Law>(y.cols, [&]<int W>() { cost<W>(cpu, affinities, y, cost_, law); });
}

#define DUNLIN_ATTRACT(Law)                                                                                   \
    template void attract(device::Cpu&, const Law&, const Graph&, MatrixView<const float>, MatrixView<float>, \
                          const device::Slice&);                                                              \
    template void attract_cost(device::Cpu&, const Law&, const Graph&, MatrixView<const float>, device::Cell<double>&);
DUNLIN_ATTRACT(StudentT)
DUNLIN_ATTRACT(GeneralStudentT)
DUNLIN_ATTRACT(Fuzzy)
DUNLIN_ATTRACT(PairLoss)

}  // namespace dunlin::forces

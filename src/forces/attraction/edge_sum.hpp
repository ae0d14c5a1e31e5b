// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "device/slice.hpp"
#include "forces/attraction/edge_batch.hpp"

namespace dunlin::forces {

inline constexpr Offset edges_per_block = 16384;

/// r2[e - begin] = |y_i - y_j|^2 of the edges [begin, end); row: that of the first. visit(row, first, last) sees the
/// edges of each row among them.
template <int D, class Visit>
void block_lengths(const Graph& graph, MatrixView<const float> y, Index row, Offset begin, Offset end, float* r2,
                   const Visit& visit) {
    const Offset* offsets = graph.offsets.data();
    for (; row < graph.size() && offsets[row] < end; ++row) {
        const Offset first = std::max(begin, offsets[row]), last = std::min(end, offsets[row + 1]);
        squared_lengths<D>({.targets = graph.targets.data() + first,
                            .weights = nullptr,
                            .size = last - first,
                            .from = y.data + Offset{row} * D,
                            .y = y.data},
                           r2 + (first - begin));
        visit(row, first, last);
    }
}
template <int D>
void block_lengths(const Graph& graph, MatrixView<const float> y, Index row, Offset begin, Offset end, float* r2) {
    block_lengths<D>(graph, y, row, begin, end, r2, [](Index, Offset, Offset) {});
}

/// Partial force on a row that several blocks of edges share.
template <int D>
struct PartialRow {
    Index row = -1;
    std::array<double, D> force{};
};

/// Sums the forces of edges over the rows of a graph. Blocks have equal numbers of edges, so that several blocks share
/// a long row such as the center of a star. A row inside a block is written at once. The first and last row of a block
/// may be partial; join() adds their parts in order. row_sum(batch, sum) adds the forces of a batch of edges of one row
/// to sum[0 .. D); prepare(first row, begin, end, weights) may set the weights of the edges of a block before their
/// sums, which else are the graph's.
struct WeightsOfGraph {};

template <int D, class RowSum, class Prepare = WeightsOfGraph>
class EdgeSum {
public:
    EdgeSum(const Graph& graph, MatrixView<const float> y, MatrixView<float> force, const RowSum& row_sum,
            const Prepare& prepare = {})
        : row_sum_(row_sum),
          prepare_(prepare),
          graph_(graph),
          y_(y),
          force_(force),
          cut_(2 * static_cast<std::size_t>(blocks())) {}

    void run(device::Cpu& cpu) { run(cpu, {0, graph_.size()}); }

    /// Computes the forces on these rows. May also write other rows.
    void run(device::Cpu& cpu, const device::Slice& rows) {
        cpu.each(force_.size(), [this](Offset i) { force_.data[i] = 0; }, 1 << 16);
        if (rows.size() == 0) return;
        const Offset begin = graph_.offsets[static_cast<std::size_t>(rows.begin)] / edges_per_block * edges_per_block;
        const Offset end = graph_.offsets[static_cast<std::size_t>(rows.end)];
        cpu.blocks((end - begin + edges_per_block - 1) / edges_per_block, 1, [&](Offset number, Offset, int) {
            const Offset first = begin + number * edges_per_block;
            block(first, std::min(first + edges_per_block, graph_.edges()));
        });
        join();
    }

private:
    [[nodiscard]] Offset blocks() const { return (graph_.edges() + edges_per_block - 1) / edges_per_block; }

    void block(Offset begin, Offset end) {
        const Offset* offsets = graph_.offsets.data();
        auto row = static_cast<Index>(std::upper_bound(offsets, offsets + graph_.offsets.size(), begin) - offsets - 1);
        const float* weights = graph_.weights.data();
        std::vector<float> own;
        if constexpr (!std::is_same_v<Prepare, WeightsOfGraph>) {
            own.resize(static_cast<std::size_t>(end - begin));
            prepare_(row, begin, end, own.data());
            weights = own.data() - begin;
        }
        for (; row < graph_.size() && offsets[row] < end; ++row) {
            const Offset first = std::max(begin, offsets[row]), last = std::min(end, offsets[row + 1]);
            if (first == last) continue;
            std::array<double, D> sum{};
            row_sum_({.targets = graph_.targets.data() + first,
                      .weights = weights + first,
                      .size = last - first,
                      .from = y_.data + Offset{row} * D,
                      .y = y_.data},
                     sum.data());
            if (first == offsets[row] && last == offsets[row + 1]) {
                write(row, sum);
            } else {
                const Offset side = first > offsets[row] ? 0 : 1;
                cut_[static_cast<std::size_t>(2 * (begin / edges_per_block) + side)] = {row, sum};
            }
        }
    }

    void join() {
        PartialRow<D> whole;
        for (const PartialRow<D>& share : cut_) {
            if (share.row < 0) continue;
            if (share.row != whole.row) whole = {share.row, {}};
            for (std::size_t d = 0; d < D; ++d) whole.force[d] += share.force[d];
            write(whole.row, whole.force);
        }
    }

    void write(Index row, const std::array<double, D>& sum) {
        for (Index d = 0; d < D; ++d) force_(row, d) = static_cast<float>(sum[static_cast<std::size_t>(d)]);
    }

    const RowSum& row_sum_;
    const Prepare& prepare_;
    const Graph& graph_;
    MatrixView<const float> y_;
    MatrixView<float> force_;
    std::vector<PartialRow<D>> cut_;  // two per block: its first and its last row, if partial
};

}  // namespace dunlin::forces

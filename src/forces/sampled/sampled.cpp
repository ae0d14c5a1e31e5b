// SPDX-License-Identifier: Apache-2.0
#include "forces/sampled/sampled.hpp"

#include <algorithm>

#include "forces/sampled/batch.hpp"
#include "forces/width.hpp"

namespace dunlin::forces {

namespace {

constexpr Offset rows_per_block = 64;

/// force row i = weight * sum of the forces of the points that point_of(i, s) names, s < count.
template <class Law, int W, class PointOf>
void repel_by(device::Cpu& cpu, const Law& law, Index count, double weight, MatrixView<const float> y,
              MatrixView<float> force, const PointOf& point_of) {
    cpu.each(
        y.rows,
        [&](Offset i) {
            Index points[sampled_batch];
            double sum[W] = {};
            for (Index begin = 0; begin < count; begin += sampled_batch) {
                const Index size = std::min(sampled_batch, count - begin);
                for (Index s = 0; s < size; ++s) points[s] = point_of(i, begin + s);
                add_repulsion<Law, W>(law, y.data, y.data + i * W, points, size, sum);
            }
            for (int c = 0; c < W; ++c) force.data[i * W + c] = static_cast<float>(weight * sum[c]);
        },
        rows_per_block);
}

}  // namespace

template <class Law>
void repel_drawn(device::Cpu& cpu, const Law& law, const Draws& draws, MatrixView<const float> y,
                 MatrixView<float> force) {
    with_wide(y.cols, [&]<int W>() {
        repel_by<Law, W>(cpu, law, draws.count, static_cast<double>(draws.weight()), y, force,
                         [&](Offset i, Index s) { return draws.of(i, s); });
    });
}

template <class Law>
void repel_all(device::Cpu& cpu, const Law& law, MatrixView<const float> y, MatrixView<float> force) {
    with_wide(y.cols,
              [&]<int W>() { repel_by<Law, W>(cpu, law, y.rows, 1, y, force, [](Offset, Index s) { return s; }); });
}

template <class Law>
double potential_of_all(const Law& law, MatrixView<const float> y, const float* place) {
    double sum = 0;
    with_wide(y.cols, [&]<int W>() {
        for (Index begin = 0; begin < y.rows; begin += sampled_batch) {
            const Index count = std::min(sampled_batch, y.rows - begin);
            sum += static_cast<double>(sum_potentials<Law, W>(law, y.data + Offset{begin} * W, place, count));
        }
    });
    return sum;
}

#define DUNLIN_SAMPLED(Law)                                                                                        \
    template void repel_drawn(device::Cpu&, const Law&, const Draws&, MatrixView<const float>, MatrixView<float>); \
    template void repel_all(device::Cpu&, const Law&, MatrixView<const float>, MatrixView<float>);                 \
    template double potential_of_all(const Law&, MatrixView<const float>, const float*);
DUNLIN_SAMPLED(Fuzzy)
DUNLIN_SAMPLED(FurtherPairs)

}  // namespace dunlin::forces

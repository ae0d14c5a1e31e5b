// SPDX-License-Identifier: Apache-2.0
#include "parametric/layers.hpp"

#include <algorithm>

namespace dunlin::parametric {

namespace {

constexpr Offset grain = 16384;  ///< numbers of a block

/// Rows of a block.
Offset rows_of(Index cols) { return std::max<Offset>(1, grain / std::max<Index>(cols, 1)); }

}  // namespace

void gather(device::Cpu& cpu, const TrainingRows& rows, const Index* order, Index count, float* out) {
    const Index cols = rows.points.cols;
    cpu.each(
        count,
        [&](Offset i) { normalize(rows.points.row(order[i]).data(), rows.shift, rows.scale, cols, out + i * cols); },
        rows_of(cols));
}

void gather(device::Cpu& cpu, MatrixView<const float> rows, const Index* order, Index count, float* out) {
    cpu.each(
        count, [&](Offset i) { std::copy_n(rows.row(order[i]).data(), rows.cols, out + i * rows.cols); },
        rows_of(rows.cols));
}

void activate(device::Cpu& cpu, float* values, Index rows, Index cols, const float* biases, Unit unit) {
    cpu.each(rows, [&](Offset r) { activate(values + r * cols, biases, cols, unit); }, rows_of(cols));
}

void multiply_by_slope(device::Cpu& cpu, float* delta, const float* outputs, Offset count, Unit unit) {
    cpu.blocks(count, grain, [&](Offset begin, Offset end, int) {
        multiply_by_slope(delta + begin, outputs + begin, end - begin, unit);
    });
}

void sum_columns(device::Cpu& cpu, const float* values, Index rows, Index cols, float* sums) {
    cpu.blocks(cols, 64, [&](Offset begin, Offset end, int) {
        sum_columns(values, rows, cols, static_cast<Index>(begin), static_cast<Index>(end), sums);
    });
}

void draw_states(device::Cpu& cpu, const float* p, Offset count, std::uint64_t seed, std::uint64_t draw,
                 float* states) {
    cpu.blocks(count, grain, [&](Offset begin, Offset end, int) {
        draw_states(p + begin, end - begin, seed, begin, draw, states + begin);
    });
}

void add_noise(device::Cpu& cpu, const TrainingRows& rows, const InputNoise& noise, const Index* order, Index count,
               std::uint64_t draw, float* out) {
    if (noise.deviations == nullptr) return;
    const Index cols = rows.points.cols;
    cpu.each(
        count,
        [&](Offset i) {
            const Index point = order[i];
            const NeighborPair pair = drawn_pair(noise.candidates, noise.share * rows.scale, noise.seed, point, draw);
            const Index* const near = noise.neighbors + Offset{point} * noise.candidates;
            add_noise(out + i * cols, cols, noise.deviations[point], noise.seed, Offset{point} * cols, draw);
            add_difference(out + i * cols, cols, pair.share, rows.points.row(near[pair.first]).data(),
                           rows.points.row(near[pair.second]).data());
        },
        16);
}

void ascend(device::Cpu& cpu, float* values, float* change, const float* gradient, Offset count, float momentum,
            float rate, float cost) {
    cpu.blocks(count, grain, [&](Offset begin, Offset end, int) {
        ascend(values + begin, change + begin, gradient + begin, end - begin, momentum, rate, cost);
    });
}

void descend(device::Cpu& cpu, float* values, float* mean, float* square, const float* gradient, Offset count,
             float rate, float keep) {
    cpu.blocks(count, grain, [&](Offset begin, Offset end, int) {
        descend(values + begin, mean + begin, square + begin, gradient + begin, end - begin, rate, keep);
    });
}

void copy(device::Cpu& cpu, const float* from, Offset count, float* to) {
    cpu.blocks(count, grain, [&](Offset begin, Offset end, int) { std::copy(from + begin, from + end, to + begin); });
}

}  // namespace dunlin::parametric

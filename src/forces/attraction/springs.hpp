// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "forces/attraction/edge_sum.hpp"
#include "forces/spring.hpp"
#include "math/unrolled.hpp"

namespace dunlin::forces {

/// Adds the spring forces of a batch of edges to sums in double.
template <class Spring, int D>
struct SpringRow {
    Spring spring;
    void operator()(const EdgeBatch& s, double* sum) const {
        for (Offset begin = 0; begin < s.size; begin += float_terms) {
            const Offset end = std::min(s.size, begin + float_terms);
            float part[D] = {};
            for (Offset e = begin; e < end; ++e) {
                const float* to = s.y + Offset{s.targets[e]} * D;
                float delta[D], r2 = 0;
                math::unrolled<D>([&](std::size_t d) { delta[d] = to[d] - s.from[d]; });
                math::unrolled<D>([&](std::size_t d) { r2 += delta[d] * delta[d]; });
                const float attraction = spring.attraction(s.weights[e], r2);
                math::unrolled<D>([&](std::size_t d) { part[d] += attraction * delta[d]; });
            }
            for (int d = 0; d < D; ++d) sum[d] += static_cast<double>(part[d]);
        }
    }
};

/// force row i = sum over edges (i, j) of spring.attraction(w_ij, |y_i - y_j|^2) (y_j - y_i). y and force are n x dim,
/// dim 2 or 3; every row is written.
template <class Spring>
void attract(device::Cpu& cpu, const Graph& graph, MatrixView<const float> y, MatrixView<float> force,
             const Spring& spring) {
    const auto with = [&]<int D>() {
        const SpringRow<Spring, D> row{spring};
        EdgeSum<D, SpringRow<Spring, D>>(graph, y, force, row).run(cpu);
    };
    y.cols == 2 ? with.template operator()<2>() : with.template operator()<3>();
}

/// sums[i] = sum over edges (i, j) of spring.attraction(w_ij, |y_i - y_j|^2).
template <class Spring>
void sum_attractions(device::Cpu& cpu, const Graph& graph, MatrixView<const float> y, float* sums,
                     const Spring& spring) {
    cpu.each(y.rows, [&](Offset i) {
        double sum = 0;
        for (Offset e = graph.offsets[static_cast<std::size_t>(i)]; e < graph.offsets[static_cast<std::size_t>(i) + 1];
             ++e) {
            const float* to = y.data + Offset{graph.targets[static_cast<std::size_t>(e)]} * y.cols;
            float r2 = 0;
            for (Index d = 0; d < y.cols; ++d) {
                const float delta = y.data[i * y.cols + d] - to[d];
                r2 += delta * delta;
            }
            sum += static_cast<double>(spring.attraction(graph.weights[static_cast<std::size_t>(e)], r2));
        }
        sums[i] = static_cast<float>(sum);
    });
}

}  // namespace dunlin::forces

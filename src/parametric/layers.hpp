// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "device/tiled_product.hpp"
#include "parametric/units.hpp"

/// What training does with whole arrays on a CPU, in blocks that depend on their sizes only. A GPU has the same
/// functions for its executor.
namespace dunlin::parametric {

using device::multiply;

/// The rows of a training: (x - shift) * scale of the points, in an order.
struct TrainingRows {
    MatrixView<const float> points;
    const float* shift = nullptr;
    float scale = 1;
};

/// out (count x cols) = the rows order[0 .. count).
void gather(device::Cpu& cpu, const TrainingRows& rows, const Index* order, Index count, float* out);
/// The same for a plain matrix.
void gather(device::Cpu& cpu, MatrixView<const float> rows, const Index* order, Index count, float* out);

/// The functions of units.hpp for rows x cols values.
void activate(device::Cpu& cpu, float* values, Index rows, Index cols, const float* biases, Unit unit);
void multiply_by_slope(device::Cpu& cpu, float* delta, const float* outputs, Offset count, Unit unit);
void sum_columns(device::Cpu& cpu, const float* values, Index rows, Index cols, float* sums);
void draw_states(device::Cpu& cpu, const float* p, Offset count, std::uint64_t seed, std::uint64_t draw, float* states);
/// states = means + standard normal numbers.
void add_noise(device::Cpu& cpu, const float* means, Offset count, std::uint64_t seed, std::uint64_t draw,
               float* states);
void ascend(device::Cpu& cpu, float* values, float* change, const float* gradient, Offset count, float momentum,
            float rate, float cost);
void descend(device::Cpu& cpu, float* values, float* mean, float* square, const float* gradient, Offset count,
             float rate, float keep);

/// Sums in double, in an order fixed by count.
double dot(device::Cpu& cpu, const float* a, const float* b, Offset count);
double squared_difference(device::Cpu& cpu, const float* a, const float* b, Offset count);
void copy(device::Cpu& cpu, const float* from, Offset count, float* to);
/// out = a + factor * b.
void add_scaled(device::Cpu& cpu, const float* a, double factor, const float* b, Offset count, float* out);

}  // namespace dunlin::parametric

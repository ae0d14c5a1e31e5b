// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "numerics/tiled_product.hpp"
#include "parametric/arrays.hpp"
#include "parametric/units.hpp"

/// Operations of training on whole arrays on a CPU, in blocks that depend only on the sizes. layers.cuh has
/// the same functions for a GPU.
namespace dunlin::parametric {

using numerics::multiply;

/// The rows of a training: (x - shift) * scale of the points, in an order.
struct TrainingRows {
    MatrixView<const float> points;
    const float* shift = nullptr;
    float scale = 1;
};

/// out (count x cols) = the rows order[0 .. count).
void gather(device::Cpu& cpu, const TrainingRows& rows, const Index* order, Index count, float* out);
/// Gathers rows of a plain matrix, without shift and scale.
void gather(device::Cpu& cpu, MatrixView<const float> rows, const Index* order, Index count, float* out);

/// Noise that is added to rows each time that they are learned: normal noise of each input, and a share of the
/// difference of two of the point's neighbors.
struct InputNoise {
    const float* deviations = nullptr;  ///< per point, of each of its inputs; null: no noise
    const Index* neighbors = nullptr;   ///< [point][candidates]
    Index candidates = 0;
    float share = 0;  ///< of the difference, at most
    std::uint64_t seed = 1;
};
/// Adds the noise of this draw to out (count x cols), which has the rows order[0 .. count).
void add_noise(device::Cpu& cpu, const TrainingRows& rows, const InputNoise& noise, const Index* order, Index count,
               std::uint64_t draw, float* out);

/// The functions of units.hpp for rows x cols values.
void activate(device::Cpu& cpu, float* values, Index rows, Index cols, const float* biases, Unit unit);
void multiply_by_slope(device::Cpu& cpu, float* delta, const float* outputs, Offset count, Unit unit);
void sum_columns(device::Cpu& cpu, const float* values, Index rows, Index cols, float* sums);
void draw_states(device::Cpu& cpu, const float* p, Offset count, std::uint64_t seed, std::uint64_t draw, float* states);
void ascend(device::Cpu& cpu, float* values, float* change, const float* gradient, Offset count, float momentum,
            float rate, float cost);
void descend(device::Cpu& cpu, float* values, float* mean, float* square, const float* gradient, Offset count,
             float rate, float keep);

void copy(device::Cpu& cpu, const float* from, Offset count, float* to);

/// Keeps the host from running far ahead of the executor, so that a stop is noticed soon: call step() after each step.
template <class Exec>
class Pace;
template <>
class Pace<device::Cpu> {
public:
    static void step(device::Cpu&) {}
};

}  // namespace dunlin::parametric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "math/exp.hpp"
#include "math/hd.hpp"

/// Units of a network and of a restricted Boltzmann machine, as loops over arrays of one thread.
namespace dunlin::parametric {

enum class Unit { linear, logistic, relu };

DUNLIN_INLINE DUNLIN_HD inline float logistic(float x) { return 1 / (1 + math::exp_of(-x)); }

/// values = unit(values + biases), of one row.
void activate(float* values, const float* biases, Index cols, Unit unit);

/// delta *= unit'(x), given the unit's outputs.
void multiply_by_slope(float* delta, const float* outputs, Offset count, Unit unit);

/// sums[c] = sum of values[r][c] over the rows, for columns [begin, end), in double.
void sum_columns(const float* values, Index rows, Index cols, Index begin, Index end, float* sums);

/// states[i] = 1 with probability p[i], else 0, for items first + i of this seed and draw.
void draw_states(const float* p, Offset count, std::uint64_t seed, Offset first, std::uint64_t draw, float* states);

/// out = (x - shift) * scale, of one row.
void normalize(const float* x, const float* shift, float scale, Index cols, float* out);

/// change = momentum * change + rate * (gradient - cost * values); values += change.
void ascend(float* values, float* change, const float* gradient, Offset count, float momentum, float rate, float cost);

/// values = keep * values, then a step of Adam against the gradient; rate includes the bias correction.
void descend(float* values, float* mean, float* square, const float* gradient, Offset count, float rate, float keep);

}  // namespace dunlin::parametric

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "descent/steps.hpp"
#include "math/exp.hpp"
#include "math/hd.hpp"
#include "math/rng.hpp"

/// Units of a network and of a restricted Boltzmann machine: formulas for one number, and loops over arrays of one
/// thread.
namespace dunlin::parametric {

enum class Unit { linear, logistic, relu };

DUNLIN_INLINE DUNLIN_HD inline float logistic(float x) { return 1 / (1 + math::exp_of(-x)); }
DUNLIN_INLINE DUNLIN_HD inline float relu(float x) { return x > 0 ? x : 0.0F; }

/// delta * unit'(x), given the unit's output.
DUNLIN_INLINE DUNLIN_HD inline float times_logistic_slope(float delta, float output) {
    return delta * (output * (1 - output));
}
DUNLIN_INLINE DUNLIN_HD inline float times_relu_slope(float delta, float output) { return output > 0 ? delta : 0.0F; }

/// 1 with probability p, else 0, for an item of this seed and draw.
DUNLIN_INLINE DUNLIN_HD inline float drawn_state(float p, std::uint64_t seed, Offset item, std::uint64_t draw) {
    const std::uint64_t bits = math::random_bits(seed, static_cast<std::uint64_t>(item), draw);
    const auto uniform = static_cast<float>(static_cast<std::int32_t>(bits >> 40)) * 0x1.0p-24F;
    return uniform < p ? 1.0F : 0.0F;
}

DUNLIN_INLINE DUNLIN_HD inline float normalized(float x, float shift, float scale) { return (x - shift) * scale; }

/// change = momentum * change + rate * (gradient - cost * value); value += change.
DUNLIN_INLINE DUNLIN_HD inline void ascend_one(float& value, float& change, float gradient, float momentum, float rate,
                                               float cost) {
    change = momentum * change + rate * (gradient - cost * value);
    value += change;
}

/// values = unit(values + biases), of one row.
void activate(float* values, const float* biases, Index cols, Unit unit);

/// values = their softmax: exp(value) over the sum of all, of one row. Returns the logarithm of that sum.
double soften(float* values, Index count);

/// delta *= unit'(x), given the unit's outputs.
void multiply_by_slope(float* delta, const float* outputs, Offset count, Unit unit);

/// sums[c] = sum of values[r][c] over the rows, for columns [begin, end), in double.
void sum_columns(const float* values, Index rows, Index cols, Index begin, Index end, float* sums);

/// states[i] = drawn_state of p[i], for items first + i.
void draw_states(const float* p, Offset count, std::uint64_t seed, Offset first, std::uint64_t draw, float* states);

/// A number of nearly normal distribution, mean 0 and variance 1: the sum of four uniform ones of 16 bits, centered.
DUNLIN_INLINE DUNLIN_HD inline float nearly_normal(std::uint64_t bits) {
    const auto sum =
        static_cast<std::int32_t>((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48));
    return static_cast<float>(sum - 131070) * 2.6429054e-5F;  // the square root of 3 / (2^32 - 1)
}

DUNLIN_INLINE DUNLIN_HD inline float noise_of(float deviation, std::uint64_t seed, Offset item, std::uint64_t draw) {
    return deviation * nearly_normal(math::random_bits(seed, static_cast<std::uint64_t>(item), draw));
}

/// Two of a point's neighbors, by their ranks, and the share of their difference that is added to it.
struct NeighborPair {
    Index first = 0, second = 0;
    float share = 0;
};
/// A random pair of the first `candidates` neighbors, with a random share of at most `most`.
DUNLIN_INLINE DUNLIN_HD inline NeighborPair drawn_pair(Index candidates, float most, std::uint64_t seed, Index point,
                                                       std::uint64_t draw) {
    // noise_of has the items from 0 on
    const std::uint64_t bits = math::random_bits(seed, static_cast<std::uint64_t>(-1 - Offset{point}), draw);
    const auto count = static_cast<std::uint64_t>(candidates);
    return {static_cast<Index>((bits & 0xffff) * count >> 16), static_cast<Index>((bits >> 16 & 0xffff) * count >> 16),
            most * static_cast<float>(static_cast<std::int32_t>(bits >> 40)) * 0x1.0p-24F};
}

/// value *= keep, then a step of Adam against the gradient; rate includes the bias correction.
DUNLIN_INLINE DUNLIN_HD inline void descend_one(float& value, float& mean, float& square, float gradient, float rate,
                                                float keep) {
    value *= keep;
    descent::AdamStep::move(value, mean, square, gradient, rate);
}

/// values += noise_of items of this seed and draw, of one row whose first value is item `first`.
void add_noise(float* values, Index cols, float deviation, std::uint64_t seed, Offset first, std::uint64_t draw);

/// values += share * (to - from), of one row.
void add_difference(float* values, Index cols, float share, const float* to, const float* from);

/// out = (x - shift) * scale, of one row.
void normalize(const float* x, const float* shift, float scale, Index cols, float* out);

/// ascend_one of each number.
void ascend(float* values, float* change, const float* gradient, Offset count, float momentum, float rate, float cost);

/// descend_one of each number.
void descend(float* values, float* mean, float* square, const float* gradient, Offset count, float rate, float keep);

}  // namespace dunlin::parametric

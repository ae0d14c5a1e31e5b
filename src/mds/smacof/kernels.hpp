// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/root.hpp"
#include "stress/rows.hpp"

/// Inner loops over a run of dissimilarities, compiled once per generation of processors (kernels_simd.cpp).
namespace dunlin::mds {

/// Values of a row that begins at 16 bytes and ends there.
DUNLIN_HD constexpr Index padded(Index cols) { return (cols + 3) / 4 * 4; }

/// How a dissimilarity follows from a sum over features: its root, half of it, itself; or it was given.
enum class Law { root, half, sum, given };

/// By half of a sum, what rows of length 0 have in a feature of their own: beside its square no term of the others is
/// left, in whatever order they are added. Rows of length 1 have a sum of at most 4.
constexpr float no_direction = 0x1p13F;

DUNLIN_HD inline float dissimilarity(float sum, Law law, float unit) {
    if (law == Law::root) return unit * math::root(sum);
    if (law == Law::half) return sum > no_direction ? 1.0F : 0.5F * sum;
    return unit * sum;
}

/// sums[c] becomes a dissimilarity, in the data's unit.
void to_dissimilarities(float* sums, Index count, Law law, float unit);

/// The sum over `count` features of (a - b)^2, or of |a - b|.
float sum_between(const float* a, const float* b, Index count, bool manhattan);

/// Sum of the weights of those that are not missing.
double weight_of(const stress::PairRow& row);

}  // namespace dunlin::mds

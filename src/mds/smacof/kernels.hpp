// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/root.hpp"
#include "stress/rows.hpp"

/// Dissimilarities from sums over features; inner loops compiled once per generation of processors (kernels_simd.cpp).
namespace dunlin::mds {

/// Length of a row padded to 16 bytes.
DUNLIN_HD constexpr Index padded(Index cols) { return (cols + 3) / 4 * 4; }

/// A dissimilarity as a function of a sum over features: its root, half of it or the sum itself; or a given value.
enum class DissimilarityKind { root, half, sum, given };

/// Kind half: value of an additional feature that only rows of length 0 have. Its square absorbs all other terms in
/// float32, in any order of summation. The sum of two rows of length 1 is at most 4.
constexpr float no_direction = 0x1p13F;

DUNLIN_HD inline float dissimilarity(float sum, DissimilarityKind kind, float unit) {
    if (kind == DissimilarityKind::root) return unit * math::root(sum);
    if (kind == DissimilarityKind::half) return sum > no_direction ? 1.0F : 0.5F * sum;
    return unit * sum;
}

/// Replaces the sums by dissimilarities in the unit of the data.
void to_dissimilarities(float* sums, Index count, DissimilarityKind kind, float unit);

/// The sum over `count` features of (a - b)^2, or of |a - b|.
float sum_between(const float* a, const float* b, Index count, bool manhattan);

/// Sum of the weights of the pairs that are not missing.
double weight_of(const stress::PairRow& row);

}  // namespace dunlin::mds

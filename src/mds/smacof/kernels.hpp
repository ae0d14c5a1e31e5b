// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/root.hpp"

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

/// Two items whose squared distance is below this are in one place: it is the least whose root has an inverse on every
/// device.
constexpr float least_square = 0x1p-126F;

/// What a pair at this squared distance does to either of its items.
struct Pull {
    float strength;  ///< w (delta / d - 1), zero where delta is missing, -w where the two are in one place
    float error2;    ///< w (d - delta)^2
};
DUNLIN_HD inline Pull pull_of(float d2, float delta, float w) {
    const float inverse = d2 >= least_square ? math::reciprocal_root(d2) : 0.0F;
    const float error = d2 * inverse - delta;
    const bool known = delta >= 0;
    return {known ? w * (delta * inverse - 1.0F) : 0.0F, known ? w * error * error : 0.0F};
}

/// sums[c] becomes a dissimilarity, in the data's unit.
void to_dissimilarities(float* sums, Index count, Law law, float unit);

/// The sum over `count` features of (a - b)^2, or of |a - b|.
float sum_between(const float* a, const float* b, Index count, bool manhattan);

/// An item at a place meets a run of others, whose places are given axis by axis.
struct Meeting {
    const float* delta;         ///< to each of them; NaN: missing
    const float* weight;        ///< how much it counts; null: 1
    const float* const* other;  ///< dim axes
    const float* place;
    int dim;
    Index count;
};

/// force[c] += sum_j w_j (delta_j / d_j - 1) (place - other_j)[c], which pulls the item where stress falls; others at
/// its own place do not pull. Returns sum_j w_j (d_j - delta_j)^2. Up to 256 terms are added in float32.
double pull(const Meeting& meeting, double* force);

/// Sums over the others that are not missing, from which every stress follows, without cancellation.
struct StressSums {
    double error2 = 0;  ///< (d - delta)^2
    double d2 = 0;
    double d_error = 0;  ///< d (d - delta)
    double delta2 = 0;

    DUNLIN_HD StressSums& operator+=(const StressSums& more) {
        error2 += more.error2;
        d2 += more.d2;
        d_error += more.d_error;
        delta2 += more.delta2;
        return *this;
    }
};
StressSums stress_sums(const Meeting& meeting);

/// One pair's, in float32.
struct StressTerms {
    float error2, d2, d_error, delta2;
};
DUNLIN_HD inline StressTerms stress_terms(float d2, float delta) {
    const bool known = delta >= 0;
    const float d = math::root(d2), error = d - delta;
    return {known ? error * error : 0.0F, known ? d2 : 0.0F, known ? d * error : 0.0F, known ? delta * delta : 0.0F};
}

/// Sum of the weights of those that are not missing.
double weight_of(const Meeting& meeting);

}  // namespace dunlin::mds

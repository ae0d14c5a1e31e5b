// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <dunlin/types.hpp>

#include "math/exp.hpp"
#include "math/hd.hpp"

/// Local scale of a point: how its distances become memberships. One text for both devices.
namespace dunlin::umap {

struct LocalScale {
    float rho = 0, sigma = 0;

    /// Membership of a neighbor at distance d; 1 within rho, or if sigma is 0.
    DUNLIN_HD float membership(float d) const {
        const float beyond = d - rho;
        return beyond <= 0 || sigma <= 0 ? 1.0F : math::exp_of_negative(-beyond / sigma);
    }
};

/// Whether distances of 0 count among the nearest: not between points of the data, as in UMAP, whose copies are no
/// neighborhood; but of a new point, whose place would jump where it comes upon a point.
enum class Zeros { skipped, counted };

/// The m-th smallest distance, m >= 1; the largest if there are fewer, 0 if there is none. The order of the distances
/// is free.
DUNLIN_HD inline float mth_smallest(const float* d, Offset count, int m, Zeros zeros) {
    float last = zeros == Zeros::counted ? -1 : 0;
    for (int found = 0; found < m;) {
        float next = std::numeric_limits<float>::infinity();
        int equal = 0;
        for (Offset j = 0; j < count; ++j) {
            if (d[j] > last && d[j] < next) next = d[j], equal = 0;
            equal += d[j] == next ? 1 : 0;
        }
        if (equal == 0) break;
        last = next;
        found += equal;
    }
    return last > 0 ? last : 0;
}

/// Distance within which `connectivity` neighbors lie, interpolated between neighbors.
DUNLIN_HD inline float connected_distance(const float* d, Offset count, float connectivity,
                                          Zeros zeros = Zeros::skipped) {
    const auto whole = static_cast<int>(connectivity);
    const float share = connectivity - static_cast<float>(whole);
    const float below = whole > 0 ? mth_smallest(d, count, whole, zeros) : 0.0F;
    if (share <= 1e-5F) return below;
    return below + share * (mth_smallest(d, count, whole + 1, zeros) - below);
}

/// The power of two below a distance; 1 of 0 and infinity.
DUNLIN_HD inline float unit_of(float distance) {
    const bool has_unit = distance > 0 && distance < std::numeric_limits<float>::infinity();
    return has_unit ? scalbnf(1.0F, ilogbf(distance)) : 1.0F;
}

/// The scale at which the memberships of `count` neighbors sum to log2(count + 1), by bisection from the power of two
/// below the row's mean distance, or below `mean` in a row of copies. sigma is at least a thousandth of this mean, or
/// of `mean`, that of all points, if rho is 0 and zeros are skipped; means count the point itself, at distance 0.
DUNLIN_HD inline LocalScale local_scale(const float* d, Offset count, float connectivity, float mean,
                                        Zeros zeros = Zeros::skipped) {
    float total = 0;
    for (Offset j = 0; j < count; ++j) total += d[j];
    const float of_row = total / static_cast<float>(count + 1);
    LocalScale scale{connected_distance(d, count, connectivity, zeros), unit_of(of_row > 0 ? of_row : mean)};
    const float wanted = log2f(static_cast<float>(count + 1));
    float low = 0, high = std::numeric_limits<float>::infinity();
    for (int step = 0; step < 64; ++step) {
        float sum = 0;
        for (Offset j = 0; j < count; ++j) sum += scale.membership(d[j]);
        if (fabsf(sum - wanted) < 1e-5F) break;
        if (sum > wanted) {
            high = scale.sigma;
            scale.sigma = 0.5F * (low + high);
        } else {
            low = scale.sigma;
            scale.sigma = high < std::numeric_limits<float>::infinity() ? 0.5F * (low + high) : 2 * scale.sigma;
        }
        if (!(scale.sigma > 0) || scale.sigma > 1e37F) break;
    }
    const float least = 1e-3F * (scale.rho > 0 || zeros == Zeros::counted ? of_row : mean);
    if (scale.sigma < least) scale.sigma = least;
    return scale;
}

}  // namespace dunlin::umap

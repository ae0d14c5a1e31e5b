// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "forces/law.hpp"
#include "math/hd.hpp"

/// Formulas of densMAP (Narayan, Berger and Cho 2021) for an edge of squared length r in the map, whose membership
/// there is phi = 1 / (1 + a r^b). The radius of a point is sum_j phi r / sum_j phi over its edges.
namespace dunlin::umap {

/// What the edges of a point i have in common: w_i / (P_i exp(re_i)) and w_i / P_i, with P_i = sum_j phi, re_i the
/// logarithm of the radius, w_i the slope of the correlation by re_i.
struct DensityShare {
    float by_radius = 0, by_sum = 0;
};

/// w_i d re_i / dr + w_j d re_j / dr of an edge, shares: the sum of those of both ends. d re_i / dr =
/// phi / P_i [(1 - b (1 - phi)) / exp(re_i) + a b r^(b - 1) phi].
[[gnu::always_inline]] inline float density_slope(const forces::Fuzzy& law, float r, const DensityShare& shares) {
    const float s = forces::Fuzzy::origin + r, u = law.spread(s), phi = 1 / (1 + u);
    return phi * ((1 - law.b * (1 - phi)) * shares.by_radius + law.b * u * phi / s * shares.by_sum);
}

/// phi[e] and moment[e] = phi r, of squared lengths in phi.
void radius_terms(const forces::Fuzzy& law, float* phi, float* moment, Offset size);

/// slopes[e] = density_slope of squared lengths in `slopes`.
void density_slopes(const forces::Fuzzy& law, const DensityShare* shares, float* slopes, Offset size);

}  // namespace dunlin::umap

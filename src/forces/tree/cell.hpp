// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include <dunlin/types.hpp>

#include "forces/law.hpp"
#include "math/hd.hpp"
#include "math/unrolled.hpp"

/// Cells of the tree: multipole expansion (charge, center, quadrupole moment) and acceptance criterion. Formulas in
/// docs/repulsion.md.
namespace dunlin::forces {

constexpr float farthest =
    1e12F;  // coordinates are clamped to this magnitude: forces vanish there and squares do not overflow

/// Number of second moments: x x, y y (, z z), x y (, x z, y z).
template <int D>
inline constexpr int moment_count = D * (D + 1) / 2;

/// Aggregates that a cell passes to its parent: number of points (or sum of charges, in double), center, second moments
/// about the center, and bounding box.
template <int D, class Count = Index>
struct alignas(16) CellContent {
    std::array<double, D> center{};
    std::array<double, moment_count<D>> moments{};
    std::array<float, D> low, high;
    Count count = 0;
};

/// Adds weight * delta delta^T to the moments, the diagonal first.
template <std::size_t D, std::size_t M>
DUNLIN_HD void add_moments(std::array<double, M>& moments, const std::array<double, D>& delta, double weight) {
    std::size_t m = 0;
    for (std::size_t d = 0; d < D; ++d) moments[m++] += weight * delta[d] * delta[d];
    for (std::size_t d = 0; d < D; ++d) {
        for (std::size_t e = d + 1; e < D; ++e) moments[m++] += weight * delta[d] * delta[e];
    }
}

/// Extends a box to contain another box or a point.
template <std::size_t D>
DUNLIN_HD void widen(std::array<float, D>& low, std::array<float, D>& high, const std::array<float, D>& other_low,
                     const std::array<float, D>& other_high) {
    for (std::size_t d = 0; d < D; ++d) {
        low[d] = std::min(low[d], other_low[d]);
        high[d] = std::max(high[d], other_high[d]);
    }
}

/// Aggregates of the union of several cells.
template <int D, class Count>
DUNLIN_HD CellContent<D, Count> merge(const CellContent<D, Count>* parts, Index count) {
    CellContent<D, Count> content = parts[0];
    content.moments = {};
    content.center = {};
    content.count = 0;
    for (Index p = 0; p < count; ++p) {
        content.count += parts[p].count;
        widen(content.low, content.high, parts[p].low, parts[p].high);
        for (std::size_t d = 0; d < D; ++d) content.center[d] += parts[p].count * parts[p].center[d];
    }
    for (std::size_t d = 0; d < D; ++d) content.center[d] /= content.count;
    for (Index p = 0; p < count; ++p) {
        std::array<double, D> delta;
        for (std::size_t d = 0; d < D; ++d) delta[d] = parts[p].center[d] - content.center[d];
        for (std::size_t m = 0; m < moment_count<D>; ++m) content.moments[m] += parts[p].moments[m];
        add_moments(content.moments, delta, parts[p].count);
    }
    return content;
}

/// Multipole acceptance criterion (MAC) of a cell as a squared distance from its center: the cell is accepted beyond
/// max(side / theta, distance of its farthest corner). The second term keeps a cell from acting on its own points. 0:
/// all points of the cell coincide.
template <int D, class Count>
DUNLIN_HD float accept_r2(const CellContent<D, Count>& content, float theta) {
    float side = 0, corner2 = 0;
    for (std::size_t d = 0; d < D; ++d) {
        const auto at = static_cast<float>(content.center[d]);
        side = std::max(side, content.high[d] - content.low[d]);
        const float reach = std::max(content.high[d] - at, at - content.low[d]);
        corner2 += reach * reach;
    }
    return side > 0 ? std::max((side / theta) * (side / theta), corner2) : 0;
}

/// Multipole expansion: adds the force and the mass of a cell of `count` points at displacement `delta` from its
/// center, s = law.origin + |delta|^2. Taylor series of the points' forces about their center up to second order; the
/// first order (dipole) vanishes there. With the second moments (quadrupole) M, their trace T, and strength k and mass
/// g at |delta|^2,
///   repulsion = (count k + k' T + 2 k'' d^T M d) d + 2 k' M d,   mass = count g - k T - 2 k' d^T M d.
/// The second holds because g' = -k; a law without a normalizer adds no mass. `doubled` is 2 M.
template <class Law, int D>
DUNLIN_INLINE DUNLIN_HD inline void repel_by_multipole(const Law& law, const float (&delta)[D], float s, float count,
                                                       float trace, const float (&doubled)[moment_count<D>],
                                                       float (&repulsion)[D], float& mass) {
    using math::unrolled;
    float turned[D], spread = 0;
    unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
        turned[d] = doubled[d] * delta[d];
        unrolled<D>([&](std::size_t e) DUNLIN_INLINE {
            if (e != d) turned[d] += doubled[d + e + D - 1] * delta[e];
        });
    });
    unrolled<D>([&](std::size_t d) DUNLIN_INLINE { spread += turned[d] * delta[d]; });
    const auto k = law.series_at(s);
    const float along = count * k.strength + k.first * trace + k.second * spread;
    unrolled<D>([&](std::size_t d) DUNLIN_INLINE { repulsion[d] += along * delta[d] + k.first * turned[d]; });
    if constexpr (has_normalizer<Law>) mass += count * k.mass - k.strength * trace - k.first * spread;
}

}  // namespace dunlin::forces

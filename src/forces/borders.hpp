// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/law.hpp"
#include "math/root.hpp"

namespace dunlin::forces {

/// Layout of points that are discs (in 3-D balls): InversePower<1> of the distance d' between borders, d' = d - reach,
/// where reach is the sum of both radii. Point j repels i by charge_j / d', and by overlapping * charge_j where the
/// discs overlap or 1 / d' exceeds that constant (Jacomy, Venturini, Heymann and Bastian 2014, "Preventing
/// overlapping"; Gephi's constant).
struct BetweenBorders : Massless {
    static constexpr bool charged = true;
    static constexpr float origin = 1e-6F;
    static constexpr float overlapping = 100;

    template <class Real>
    DUNLIN_HD static Real strength_at(Real origin_and_r2, Real reach) {
        const Real inverse = math::reciprocal_root(origin_and_r2), gap = origin_and_r2 * inverse - reach;
        return inverse * (gap * Real(overlapping) > Real(1) ? Real(1) / gap : Real(overlapping));
    }
    template <class Real>
    DUNLIN_HD static Real strength(Real r2, Real reach) {
        return strength_at(Real(origin) + r2, reach);
    }
};

/// True for laws whose strength depends on the radii of the points.
template <class Law>
inline constexpr bool is_sized = false;
template <>
inline constexpr bool is_sized<BetweenBorders> = true;

}  // namespace dunlin::forces

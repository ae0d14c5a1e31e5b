// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include "math/hd.hpp"
#include "math/power.hpp"
#include "math/root.hpp"

/// Force laws (interaction kernels). With r2 = |y_i - y_j|^2 the force of point j on point i is strength(r2) * (y_i -
/// y_j), times charge_j if the law is `charged`. Every ordered pair i != j adds mass(r2) to the normalizer of the law.
/// Both functions must be finite at r2 = 0. A law is a small value, passed to kernels by copy. Its constants are data
/// members; a law without constants is an empty struct.
namespace dunlin::forces {

/// Mass and strength of a law at r2, and two derivatives of the strength: first = d strength / d r2, second = d first /
/// d r2. The mass of a law with a normalizer is its potential: d mass / d r2 = -strength. Without one it is 0, which is
/// no potential.
template <class Real>
struct Series {
    Real mass, strength, first, second;
};

/// Base of laws without a normalizer.
struct Massless {
    template <class Real>
    DUNLIN_HD static Real mass_at(Real) {
        return Real(0);
    }
    template <class Real>
    DUNLIN_HD static Real mass(Real) {
        return Real(0);
    }
};

/// True for laws with a normalizer. The others have the mass 0, on a GPU none is written.
template <class Law>
inline constexpr bool has_normalizer = !std::is_base_of_v<Massless, Law>;

/// t-SNE: q = 1 / (1 + r2), the unnormalized Student-t similarity; the repulsive part of the gradient is
/// sum_j q^2 (y_i - y_j) / Z with Z = sum of q over all ordered pairs (van der Maaten 2014, eq. 5).
struct StudentT {
    static constexpr bool charged = false;
    /// Constant that is added to r2. A loop may start its sum of squares with it and call mass_at or strength_at.
    static constexpr float origin = 1;

    template <class Real>
    DUNLIN_HD static Real mass_at(Real origin_and_r2) {
        return math::reciprocal(origin_and_r2);
    }
    template <class Real>
    DUNLIN_HD static Real strength_at(Real origin_and_r2) {
        const Real q = mass_at(origin_and_r2);
        return q * q;
    }
    template <class Real>
    DUNLIN_HD static Real mass(Real r2) {
        return mass_at(Real(origin) + r2);
    }
    template <class Real>
    DUNLIN_HD static Real strength(Real r2) {
        return strength_at(Real(origin) + r2);
    }

    template <class Real>
    DUNLIN_HD static Series<Real> series_at(Real origin_and_r2) {
        const Real q = mass_at(origin_and_r2), q2 = q * q;
        return {q, q2, Real(-2) * q2 * q, Real(6) * q2 * q2};
    }

    /// The attractive part of the gradient is sum_j attraction(p_ij, r2) (y_i - y_j).
    template <class Real>
    DUNLIN_HD static Real attraction(Real p, Real r2) {
        return p * mass(r2);
    }

    /// surprise = p / q, so that cost = p log(p / q), an edge's term of the KL divergence; 0 for p = 0.
    template <class Real>
    DUNLIN_HD static Real surprise(Real p, Real r2) {
        return p * (Real(1) + r2);
    }
    template <class Real>
    DUNLIN_HD static Real cost(Real p, Real r2) {
        return p > Real(0) ? p * std::log(surprise(p, r2)) : Real(0);
    }
};

/// t-SNE with tails other than Student's t of one degree of freedom: q = (1 + r2 / freedom)^(-(freedom + 1) / 2), as
/// Kobak, Linderman, Steinerberger, Kluger and Berens 2019 (Heavy-tailed kernels). Freedom below 1 separates clusters
/// more. Equals StudentT at freedom = 1, which needs no powers. The gradient has the form of StudentT's, with this
/// attraction and strength.
struct GeneralStudentT {
    static constexpr bool charged = false;
    float freedom = 1;
    float origin = freedom;  ///< as StudentT::origin; mass_at scales the sum by 1 / freedom

    template <class Real>
    DUNLIN_HD Real half() const {
        return Real(0.5) * (Real(freedom) + Real(1));
    }
    template <class Real>
    DUNLIN_HD Real mass_at(Real origin_and_r2) const {
        return math::power_of_reciprocal(origin_and_r2 * (Real(1) / Real(freedom)), half<Real>());
    }
    /// -d mass / d r2.
    template <class Real>
    DUNLIN_HD Real strength_at(Real origin_and_r2) const {
        return half<Real>() * mass_at(origin_and_r2) * math::reciprocal(origin_and_r2);
    }
    template <class Real>
    DUNLIN_HD Real mass(Real r2) const {
        return mass_at(Real(origin) + r2);
    }
    template <class Real>
    DUNLIN_HD Real strength(Real r2) const {
        return strength_at(Real(origin) + r2);
    }

    template <class Real>
    DUNLIN_HD Series<Real> series_at(Real origin_and_r2) const {
        const Real h = half<Real>(), q = math::reciprocal(origin_and_r2), mass = mass_at(origin_and_r2);
        const Real strength = h * mass * q, first = -(h + 1) * strength * q;
        return {mass, strength, first, -(h + 2) * first * q};
    }

    /// The attractive part of the gradient is sum_j attraction(p_ij, r2) (y_i - y_j), where attraction = p strength /
    /// mass.
    template <class Real>
    DUNLIN_HD Real attraction(Real p, Real r2) const {
        return p * half<Real>() * math::reciprocal(Real(origin) + r2);
    }
};

/// Layout: point j repels i by charge_j / d^Power. Power 1: Fruchterman and Reingold's k^2 / d, also the law of
/// ForceAtlas2 and the default of sfdp. Power 2: Coulomb's law, Eades' c3 / d^2. Power 3: the asymptotic law of t-FDP.
/// d is in ideal edge lengths; the caller applies constant factors. d^2 + origin replaces d^2, which softens the law
/// below a thousandth of an edge length.
template <int Power>
struct InversePower : Massless {
    static_assert(Power >= 1 && Power <= 3);
    static constexpr bool charged = true;
    static constexpr float origin = 1e-6F;

    template <class Real>
    DUNLIN_HD static Real strength_at(Real origin_and_r2) {
        if constexpr (Power == 2) {
            const Real inverse = math::reciprocal_root(origin_and_r2);
            return inverse * inverse * inverse;
        } else {
            const Real q = math::reciprocal(origin_and_r2);
            return Power == 1 ? q : q * q;
        }
    }
    template <class Real>
    DUNLIN_HD static Real strength(Real r2) {
        return strength_at(Real(origin) + r2);
    }

    template <class Real>
    DUNLIN_HD static Series<Real> series_at(Real origin_and_r2) {
        constexpr Real half = Real(Power + 1) / 2;  // strength = (d^2)^-half
        const Real q = math::reciprocal(origin_and_r2), strength = strength_at(origin_and_r2);
        const Real first = -half * strength * q;
        return {Real(0), strength, first, -(half + 1) * first * q};
    }
};

}  // namespace dunlin::forces

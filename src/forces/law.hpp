// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include "math/hd.hpp"
#include "math/power.hpp"
#include "math/root.hpp"
#include "math/unrolled.hpp"

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

/// Base of laws without a normalizer. The grid needs a potential of them.
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

/// d potential / d r2 = -strength. A law with a normalizer has its mass as potential; of the others those have one that
/// the grid takes.
template <class Law, class Real>
DUNLIN_INLINE DUNLIN_HD inline Real potential_of(const Law& law, Real r2) {
    if constexpr (has_normalizer<Law>) {
        return law.mass(r2);
    } else {
        return law.potential(r2);
    }
}

/// Extent of a map below which the law is linear: strength(r2) and the potential differ from their values at 0 by less
/// than 1e-6. 0: at no extent.
template <class Law>
inline constexpr double linear_extent = has_normalizer<Law> ? 1e-3 : 0;

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
    /// d attraction / d r2.
    template <class Real>
    DUNLIN_HD static Real attraction_slope(Real p, Real r2) {
        return -p * strength(r2);
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

/// PaCMAP (Wang, Huang, Rudin and Shaposhnik 2021): a further pair has the loss 1 / (1 + d), d = 1 + r2, and so repels
/// as t-SNE does at r2 + 1: strength 1 / (2 + r2)^2. There is no normalizer.
struct FurtherPairs : Massless {
    static constexpr bool charged = false;
    static constexpr float origin = 2;

    template <class Real>
    DUNLIN_HD static Real strength_at(Real origin_and_r2) {
        return StudentT::strength_at(origin_and_r2);
    }
    template <class Real>
    DUNLIN_HD static Real strength(Real r2) {
        return strength_at(Real(origin) + r2);
    }
    template <class Real>
    DUNLIN_HD static Real potential(Real r2) {
        return StudentT::mass_at(Real(origin) + r2);
    }
    template <class Real>
    DUNLIN_HD static Series<Real> series_at(Real origin_and_r2) {
        const Series<Real> own = StudentT::series_at(origin_and_r2);
        return {Real(0), own.strength, own.first, own.second};
    }
};

/// Attraction of PaCMAP's near pairs (half 10) and mid-near pairs (half 10,000): loss d / (half + d), d = 1 + r2, which
/// is a half at d = half.
struct PairLoss {
    float half = 10;

    /// The gradient is sum_j attraction(w_ij, r2) (y_i - y_j).
    template <class Real>
    DUNLIN_HD Real attraction(Real w, Real r2) const {
        const Real q = math::reciprocal(Real(half) + Real(1) + r2);
        return w * Real(2) * Real(half) * q * q;
    }
    /// d attraction / d r2.
    template <class Real>
    DUNLIN_HD Real attraction_slope(Real w, Real r2) const {
        return Real(-2) * attraction(w, r2) * math::reciprocal(Real(half) + Real(1) + r2);
    }
    template <class Real>
    DUNLIN_HD Real cost(Real w, Real r2) const {
        return w * (Real(1) + r2) * math::reciprocal(Real(half) + Real(1) + r2);
    }
};

/// t-SNE with tails other than Student's t of one degree of freedom: q = (1 + r2 / freedom)^-freedom, as Kobak,
/// Linderman, Steinerberger, Kluger and Berens 2019 (Heavy-tailed kernels) and openTSNE's dof: up to the scale of the
/// map Student's t of 2 freedom - 1 degrees. Freedom below 1 separates clusters more. Equals StudentT at freedom = 1,
/// which needs no powers. The gradient has the form of StudentT's, with this attraction and strength.
struct GeneralStudentT {
    static constexpr bool charged = false;
    float freedom = 1;
    float origin = freedom;  ///< as StudentT::origin; mass_at scales the sum by 1 / freedom

    template <class Real>
    DUNLIN_HD Real mass_at(Real origin_and_r2) const {
        return math::power_of_reciprocal(origin_and_r2 * (Real(1) / Real(freedom)), Real(freedom));
    }
    /// -d mass / d r2.
    template <class Real>
    DUNLIN_HD Real strength_at(Real origin_and_r2) const {
        return Real(freedom) * mass_at(origin_and_r2) * math::reciprocal(origin_and_r2);
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
        const Real a = Real(freedom), q = math::reciprocal(origin_and_r2), mass = mass_at(origin_and_r2);
        const Real strength = a * mass * q, first = -(a + 1) * strength * q;
        return {mass, strength, first, -(a + 2) * first * q};
    }

    /// The attractive part of the gradient is sum_j attraction(p_ij, r2) (y_i - y_j), where attraction = p strength /
    /// mass.
    template <class Real>
    DUNLIN_HD Real attraction(Real p, Real r2) const {
        return p * Real(freedom) * math::reciprocal(Real(origin) + r2);
    }
    template <class Real>
    DUNLIN_HD Real attraction_slope(Real p, Real r2) const {
        return -attraction(p, r2) * math::reciprocal(Real(origin) + r2);
    }

    template <class Real>
    DUNLIN_HD Real surprise(Real p, Real r2) const {
        return p * math::reciprocal(mass(r2));
    }
    template <class Real>
    DUNLIN_HD Real cost(Real p, Real r2) const {
        return p > Real(0) ? p * std::log(surprise(p, r2)) : Real(0);
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

/// UMAP (McInnes, Healy and Melville 2018): phi = 1 / (1 + u) with u = a r2^b is the membership of a pair in the map.
/// Attraction along edges descends -log phi, repulsion between all pairs -log(1 - phi) = log((1 + u) / u), each up to
/// the factor 4 of umap-learn's gradients. The pole of the repulsion at 0 is softened: potential = log((1 + u) / (core
/// + u)) / (1 - core), core = a softening^b, which is finite, and equals the law for r2 well above the softening.
struct Fuzzy : Massless {
    static constexpr bool charged = false;
    static constexpr float origin = 1e-9F;  ///< added to r2, since r2^b has no derivative at 0
    float a = 1.5769434F, b = 0.8950609F;   ///< of min-dist 0.1, spread 1
    float core = 0.0475F;

    Fuzzy() = default;
    Fuzzy(float scale, float exponent, float softening)
        : a(scale), b(exponent), core(scale * std::pow(softening, exponent)) {}

    template <class Real>
    DUNLIN_INLINE DUNLIN_HD Real spread(Real origin_and_r2) const {
        return Real(a) * math::power(origin_and_r2, Real(b));
    }
    template <class Real>
    DUNLIN_INLINE DUNLIN_HD Real strength_at(Real origin_and_r2) const {
        const Real u = spread(origin_and_r2);
        return Real(b) * u * math::reciprocal(origin_and_r2 * (Real(core) + u) * (Real(1) + u));
    }
    template <class Real>
    DUNLIN_INLINE DUNLIN_HD Real strength(Real r2) const {
        return strength_at(Real(origin) + r2);
    }
    template <class Real>
    DUNLIN_INLINE DUNLIN_HD Real potential(Real r2) const {
        const Real u = spread(Real(origin) + r2);
        return math::logarithm((Real(1) + u) / (Real(core) + u)) / (Real(1) - Real(core));
    }

    template <class Real>
    DUNLIN_INLINE DUNLIN_HD Series<Real> series_at(Real origin_and_r2) const {
        const Real u = spread(origin_and_r2), inverse = math::reciprocal(origin_and_r2);
        const Real near = math::reciprocal(Real(core) + u), far = math::reciprocal(Real(1) + u);
        const Real strength = Real(b) * u * inverse * near * far;
        const Real g = Real(b) * (Real(1) - u * near - u * far) - Real(1);  // d log strength / d log r2
        const Real turn = Real(b) * Real(b) * u * (Real(core) * near * near + far * far);
        return {Real(0), strength, strength * g * inverse, strength * (g * g - g - turn) * inverse * inverse};
    }

    /// The attractive part of the gradient is sum_j attraction(p_ij, r2) (y_i - y_j).
    template <class Real>
    DUNLIN_INLINE DUNLIN_HD Real attraction(Real p, Real r2) const {
        const Real s = Real(origin) + r2, u = spread(s);
        return p * Real(b) * u * math::reciprocal(s * (Real(1) + u));
    }
    template <class Real>
    DUNLIN_INLINE DUNLIN_HD Real attraction_slope(Real p, Real r2) const {
        const Real along = attraction(Real(1), r2);
        return p * along * ((Real(b) - Real(1)) * math::reciprocal(Real(origin) + r2) - along);
    }

    /// cost = p log(surprise) = -p log phi.
    template <class Real>
    DUNLIN_INLINE DUNLIN_HD Real surprise(Real, Real r2) const {
        return Real(1) + spread(Real(origin) + r2);
    }
    template <class Real>
    DUNLIN_HD Real cost(Real p, Real r2) const {
        return p * std::log(surprise(p, r2));
    }
};

}  // namespace dunlin::forces

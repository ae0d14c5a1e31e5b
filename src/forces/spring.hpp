// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "math/hd.hpp"

/// How an edge pulls its two ends together: by pull(w, r2) * (y_j - y_i) on vertex i, w being the edge's weight and
/// r2 = |y_i - y_j|^2. Constants are data, in ideal edge lengths.
namespace dunlin::forces {

/// Eades 1984: stiffness * log(d / rest), which pushes where the edge is shorter than rest.
struct LogSpring {
    float stiffness, rest;
    template <class Real>
    DUNLIN_HD Real pull(Real w, Real r2) const {
        const Real soft = r2 + Real(1e-6);  // two ends in one place feel nothing
        return w * Real(stiffness) * std::log(std::sqrt(soft) / Real(rest)) / std::sqrt(soft);
    }
};

/// Fruchterman and Reingold 1991: d^2 / k, k being the unit.
struct QuadraticSpring {
    template <class Real>
    DUNLIN_HD Real pull(Real w, Real r2) const {
        return w * std::sqrt(r2);
    }
};

/// Hooke's, of rest length zero: d. ForceAtlas2's.
struct LinearSpring {
    template <class Real>
    DUNLIN_HD Real pull(Real w, Real) const {
        return w;
    }
};

/// ForceAtlas2's LinLog mode, after Noack 2007: log(1 + d).
struct LinLogSpring {
    template <class Real>
    DUNLIN_HD Real pull(Real w, Real r2) const {
        const Real d = std::sqrt(r2);
        return d > Real(1e-4) ? w * std::log1p(d) / d : w;
    }
};

/// t-FDP's (Zhong et al. 2023): d + near * d / (1 + d^2), a spring that holds on to those nearby.
struct BoundedSpring {
    float stiffness, near;
    template <class Real>
    DUNLIN_HD Real pull(Real w, Real r2) const {
        return w * Real(stiffness) * (Real(1) + Real(near) / (Real(1) + r2));
    }
};

/// Stress majorization (Gansner, Koren and North 2004): w (1 - rest / d), w being rest^-2.
struct StressSpring {
    template <class Real>
    DUNLIN_HD Real pull(Real w, Real r2) const {
        return w - std::sqrt(w / (r2 + Real(1e-12)));
    }
};

}  // namespace dunlin::forces

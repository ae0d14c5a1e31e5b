// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "math/hd.hpp"

/// Attraction along an edge: the force on vertex i is attraction(w, r2) * (y_j - y_i), with the weight w of the edge
/// and r2 = |y_i - y_j|^2. Constants are data members, in ideal edge lengths.
namespace dunlin::forces {

/// Eades 1984: stiffness * log(d / rest), repulsive for edges shorter than rest.
struct LogSpring {
    float stiffness, rest;
    template <class Real>
    DUNLIN_HD Real attraction(Real w, Real r2) const {
        const Real soft = r2 + Real(1e-6);  // no force between coincident ends
        return w * Real(stiffness) * std::log(std::sqrt(soft) / Real(rest)) / std::sqrt(soft);
    }
};

/// Fruchterman and Reingold 1991: d^2 / k, where k is the unit of length.
struct QuadraticSpring {
    template <class Real>
    DUNLIN_HD Real attraction(Real w, Real r2) const {
        return w * std::sqrt(r2);
    }
};

/// Hooke's law with rest length 0: d. The default of ForceAtlas2.
struct LinearSpring {
    template <class Real>
    DUNLIN_HD Real attraction(Real w, Real) const {
        return w;
    }
};

/// ForceAtlas2's LinLog mode, after Noack 2007: log(1 + d).
struct LinLogSpring {
    template <class Real>
    DUNLIN_HD Real attraction(Real w, Real r2) const {
        const Real d = std::sqrt(r2);
        return d > Real(1e-4) ? w * std::log1p(d) / d : w;
    }
};

/// t-FDP (Zhong et al. 2023): stiffness * (d + near * d / (1 + d^2)); the second term attracts close neighbors.
struct BoundedSpring {
    float stiffness, near;
    template <class Real>
    DUNLIN_HD Real attraction(Real w, Real r2) const {
        return w * Real(stiffness) * (Real(1) + Real(near) / (Real(1) + r2));
    }
};

/// Stress majorization (Gansner, Koren and North 2004): w (1 - rest / d) with w = rest^-2.
struct StressSpring {
    template <class Real>
    DUNLIN_HD Real attraction(Real w, Real r2) const {
        return w - std::sqrt(w / (r2 + Real(1e-12)));
    }
};

}  // namespace dunlin::forces

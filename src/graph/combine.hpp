// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/hd.hpp"

/// Rules that combine the weights of an edge and its reverse, 0 where one is missing, when a graph is symmetrized.
/// Symmetric in both.
namespace dunlin::graph {

/// (a + b) scale.
struct ScaledSum {
    double scale = 1;
    DUNLIN_HD double operator()(double a, double b) const { return (a + b) * scale; }
};

/// Fuzzy union a + b - a b and fuzzy intersection a b of memberships, mixed; mix 1 is the union.
struct FuzzyMix {
    double mix = 1;
    DUNLIN_HD double operator()(double a, double b) const {
        const double both = a * b;
        return mix * (a + b - both) + (1 - mix) * both;
    }
};

/// The larger, and the smaller of both.
struct Larger {
    DUNLIN_HD double operator()(double a, double b) const { return a > b ? a : b; }
};
struct Smaller {
    DUNLIN_HD double operator()(double a, double b) const { return a < b ? a : b; }
};

}  // namespace dunlin::graph

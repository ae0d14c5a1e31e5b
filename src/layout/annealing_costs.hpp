// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <dunlin/layout.hpp>

#include "math/hd.hpp"
#include "math/rng.hpp"

/// What annealing weighs and draws, as plain functions. The unit of length is an edge's ideal length.
namespace dunlin::layout {

/// The cost of a drawing is a sum over pairs of vertices, one over edges, and so much for every crossing.
/// energy: of Eades' model, charge / d between all, attraction (d log d - d + 1) along edges, whose slopes are his
///     forces; davidson-harel: charge / d^2 between all and attraction d^2 along edges (Davidson and Harel 1996, eqs. 1
///     and 3; their frame and their distances of vertices from edges are left out).
struct Costs {
    Cost kind;
    float charge, attraction, crossing;

    /// Of two vertices; softened as the force laws are, so that it is finite for two in one place.
    DUNLIN_HD float of_pair(float r2) const {
        const float soft = r2 + 1e-6F;
        return kind == Cost::energy ? charge / sqrtf(soft) : charge / soft;
    }
    DUNLIN_HD float of_edge(float weight, float r2) const {
        const float soft = r2 + 1e-6F, d = sqrtf(soft);
        return weight * attraction * (kind == Cost::energy ? d * logf(d) - d + 1 : soft);
    }
};

/// Twice the area of a triangle, above 0 where it turns left.
DUNLIN_HD inline double turn(const float* a, const float* b, const float* c) {
    return (double(b[0]) - double(a[0])) * (double(c[1]) - double(a[1])) -
           (double(b[1]) - double(a[1])) * (double(c[0]) - double(a[0]));
}

/// Whether the segments a b and c d cross at an inner point of both.
DUNLIN_HD inline bool crosses(const float* a, const float* b, const float* c, const float* d) {
    return turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0;
}

/// How temperature and reach fall from one stage to the next. Everything follows from a move's number, so that moves
/// can be looked at in any order and by any number of threads.
struct Schedule {
    Acceptance acceptance;
    std::uint64_t seed;
    Offset moves;  ///< of a stage
    int stages;
    double temperature, cooling;  ///< of the first stage, and the factor from each to the next
    double reach, shrink;         ///< likewise: half the width of the square (cube) that a vertex moves in

    [[nodiscard]] DUNLIN_HD Offset all_moves() const { return moves * stages; }

    /// The last stage goes downhill only.
    [[nodiscard]] DUNLIN_HD double temperature_at(Offset move) const {
        const auto stage = static_cast<int>(move / moves);
        return stage + 1 < stages ? temperature * pow(cooling, stage) : 0;
    }
    [[nodiscard]] DUNLIN_HD double reach_at(Offset move) const {
        return reach * pow(shrink, static_cast<double>(move / moves));
    }

    /// threshold: a rise below the temperature is taken (Chan, So and Teper 2009; Dueck and Scheuer 1990); metropolis:
    /// a rise r is taken with probability exp(-r / temperature) (Kirkpatrick, Gelatt and Vecchi 1983).
    [[nodiscard]] DUNLIN_HD bool takes(double rise, Offset move) const {
        const double now = temperature_at(move);
        if (rise < 0) return true;
        if (acceptance == Acceptance::threshold) return rise < now;
        return now > 0 && math::random_uniform(seed, static_cast<std::uint64_t>(move), 7) < exp(-rise / now);
    }
};

/// A move: a vertex and where it would go.
template <int D>
struct Move {
    Index vertex;
    float to[D];
};

template <int D>
DUNLIN_HD Move<D> move_at(const Schedule& schedule, Offset number, Index n, const float* y) {
    const auto item = static_cast<std::uint64_t>(number);
    Move<D> move;
    move.vertex = static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), schedule.seed, item));
    const double reach = schedule.reach_at(number);
    for (int c = 0; c < D; ++c) {
        const double lot = 2 * math::random_uniform(schedule.seed, item, static_cast<std::uint64_t>(c) + 1) - 1;
        move.to[c] = y[Offset{move.vertex} * D + c] + static_cast<float>(reach * lot);
    }
    return move;
}

}  // namespace dunlin::layout

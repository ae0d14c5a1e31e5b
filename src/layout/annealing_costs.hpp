// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <dunlin/layout.hpp>

#include "math/hd.hpp"
#include "math/orientation.hpp"
#include "math/rng.hpp"

/// Costs and random moves of annealing, as plain functions. The unit of length is the ideal edge length.
namespace dunlin::layout {

/// The cost of a drawing: a sum over pairs of vertices, a sum over edges, and a constant per crossing.
/// energy: the potential of Eades' model, charge / d between all pairs, attraction (d log d - d + 1) along edges;
/// davidson-harel: charge / d^2 between all pairs and attraction d^2 along edges (Davidson and Harel 1996, eqs. 1 and
///     3, without their frame and vertex-edge distances).
struct Costs {
    Cost kind;
    float charge, attraction, crossing;

    /// Cost of two vertices; softened like the force laws, hence finite for coincident vertices.
    DUNLIN_HD float of_pair(float r2) const {
        const float soft = r2 + 1e-6F;
        return kind == Cost::energy ? charge / sqrtf(soft) : charge / soft;
    }
    DUNLIN_HD float of_edge(float weight, float r2) const {
        const float soft = r2 + 1e-6F, d = sqrtf(soft);
        return weight * attraction * (kind == Cost::energy ? d * logf(d) - d + 1 : soft);
    }
};

DUNLIN_HD inline double orientation(const float* a, const float* b, const float* c) {
    return math::orientation(double(a[0]), double(a[1]), double(b[0]), double(b[1]), double(c[0]), double(c[1]));
}

/// True if the segments a b and c d cross at interior points of both.
DUNLIN_HD inline bool crosses(const float* a, const float* b, const float* c, const float* d) {
    return orientation(a, b, c) * orientation(a, b, d) < 0 && orientation(c, d, a) * orientation(c, d, b) < 0;
}

/// Temperature and maximum displacement per stage. Everything is a function of the move's number, so moves can be
/// evaluated in any order and by any number of threads.
struct Schedule {
    Acceptance acceptance;
    std::uint64_t seed;
    Offset moves;  ///< per stage
    int stages;
    double temperature, cooling;      ///< of the first stage; factor between stages
    double max_displacement, shrink;  ///< likewise for half the width of the square (cube) of a move

    [[nodiscard]] DUNLIN_HD Offset all_moves() const { return moves * stages; }

    /// The last stage accepts no increases.
    [[nodiscard]] DUNLIN_HD double temperature_at(Offset move) const {
        const auto stage = static_cast<int>(move / moves);
        return stage + 1 < stages ? temperature * pow(cooling, stage) : 0;
    }
    [[nodiscard]] DUNLIN_HD double max_displacement_at(Offset move) const {
        return max_displacement * pow(shrink, static_cast<double>(move / moves));
    }

    /// threshold: accepts increases below the temperature (Chan, So and Teper 2009; Dueck and Scheuer 1990);
    /// metropolis: accepts an increase r with probability exp(-r / temperature) (Kirkpatrick, Gelatt and Vecchi 1983).
    [[nodiscard]] DUNLIN_HD bool accepts(double rise, Offset move) const {
        const double now = temperature_at(move);
        if (rise < 0) return true;
        if (acceptance == Acceptance::threshold) return rise < now;
        return now > 0 && math::random_uniform(seed, static_cast<std::uint64_t>(move), 7) < exp(-rise / now);
    }
};

/// A move: a vertex and its new position.
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
    const double max_displacement = schedule.max_displacement_at(number);
    for (int c = 0; c < D; ++c) {
        const double offset = 2 * math::random_uniform(schedule.seed, item, static_cast<std::uint64_t>(c) + 1) - 1;
        move.to[c] = y[Offset{move.vertex} * D + c] + static_cast<float>(max_displacement * offset);
    }
    return move;
}

}  // namespace dunlin::layout

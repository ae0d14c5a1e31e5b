// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <dunlin/types.hpp>

#include "forces/law.hpp"
#include "math/hd.hpp"
#include "math/symmetric.hpp"
#include "placement/field.hpp"
#include "placement/loss.hpp"
#include "placement/minimize.hpp"

/// What reliability finds at one point of a map, for both devices.
namespace dunlin::reliability {

using Law = forces::StudentT;
using math::Expansion;

template <int D>
DUNLIN_HD void read_point(const float* map, Index i, double (&y)[D]) {
    for (int d = 0; d < D; ++d) y[d] = static_cast<double>(map[Offset{i} * D + d]);
}

/// kl of a point with these edges, given sum_j n p_ij log(1 / q'_ij) and the sum of q'_ij over all j, q' without the
/// normalizer; 0 for a point without affinities.
DUNLIN_HD inline double kl_from(const placement::Edges& edges, double attraction, double potential) {
    double entropy = 0, total = 0;
    for (Index e = 0; e < edges.count; ++e) {
        const double p = edges.scale * static_cast<double>(edges.weights[e]);
        if (p > 0) entropy += p * std::log(p);
        total += p;
    }
    return total > 0 ? (entropy + attraction) / total + std::log(potential / total) : 0;
}

/// The terms of point i at its position; edges.scale * weights: n times the row's affinities.
template <int D>
struct PointTerms {
    placement::Edges edges;
    Expansion<D> attraction, potential;  ///< sum_j n p_ij log(1 / q'_ij); sum_j q'_ij without the point itself

    DUNLIN_HD PointTerms(const placement::Field<D, Law>& field, const placement::Edges& of_point, Index i)
        : edges(of_point) {
        double y[D];
        read_point<D>(field.map, i, y);
        placement::add_attraction<D>(field.law, edges, y, attraction);
        potential = field.at(y);
        placement::add_potential<D>(field.law, -1, field.map + Offset{i} * D, y, potential);
    }

    /// The grid may miss the potential of points that are far from all others.
    [[nodiscard]] DUNLIN_HD float kl() const {
        constexpr double least_potential = 1e-12;
        return static_cast<float>(kl_from(edges, attraction.value, std::fmax(potential.value, least_potential)));
    }
};

/// How far a point's affinities are from those of the map, and second derivatives of KL(P, Q) with respect to its
/// position.
struct PointCurvature {
    float kl;           ///< Columns::kl
    float singularity;  ///< Columns::singularity
    float newton_step;  ///< length of H_i^-1 grad_i; infinity if H_i is not positive definite
};

/// normalizer: of the map, MapField::normalizer().
template <int D>
DUNLIN_HD PointCurvature curvature_at(const placement::Field<D, Law>& field, double normalizer,
                                      const placement::Edges& edges, Index i) {
    constexpr float none = std::numeric_limits<float>::infinity();
    const double n = field.points;
    const PointTerms<D> terms(field, edges, i);
    Expansion<D> loss = terms.attraction;  // n / 2 times KL(P, Q), up to a constant
    placement::NormalizedRepulsion::without(n, normalizer, terms.potential.value)
        .template add<D>(terms.potential, loss);
    const double least = 2 / n * math::smallest_eigenvalue<D>(loss.hessian);
    double step[D], square = 0;
    math::solve_shifted<D>(loss.hessian, 0, loss.gradient, step);
    for (const double s : step) square += s * s;
    return {terms.kl(), least > 0 ? static_cast<float>(1 / least) : none,
            least > 0 && std::isfinite(square) ? static_cast<float>(std::sqrt(square)) : none};
}

/// The search for the minima of the loss of single points of a map, each left out.
template <int D>
struct Minimizer {
    placement::Field<D, Law> field;
    double normalizer;  ///< of the map
    int wanted_starts;  ///< besides the point's own position
    double separation;  ///< minima nearer to each other count as one

    /// The point's own position, then the starts of placement from these neighbors. Returns how many there are.
    DUNLIN_HD int starts_of(Index i, const Index* nearest, Index neighbors,
                            double (&starts)[placement::most_starts][D]) const {
        int count = placement::starts_of<D>(field.map, nearest, neighbors, wanted_starts,
                                            placement::same_place * separation, starts);
        if (count == placement::most_starts) --count;
        for (int d = 0; d < D; ++d) {
            starts[count][d] = starts[0][d];
            starts[0][d] = static_cast<double>(field.map[Offset{i} * D + d]);
        }
        return count + 1;
    }

    [[nodiscard]] DUNLIN_HD auto loss_of(Index i, const placement::Edges& edges) const {
        return placement::loss_of_left_out(field, edges, normalizer, i);
    }

    [[nodiscard]] DUNLIN_HD placement::MinimizeRule rule() const { return {50, 1e-4 * separation}; }

    /// Distance of the point from a minimum.
    [[nodiscard]] DUNLIN_HD double moved(Index i, const placement::Place<D>& place) const {
        double y[D];
        read_point<D>(field.map, i, y);
        return placement::distance_between<D>(place.minimum.y, y);
    }
};

}  // namespace dunlin::reliability

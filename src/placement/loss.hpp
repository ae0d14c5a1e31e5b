// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/types.hpp>

#include "forces/law.hpp"
#include "math/expansion.hpp"
#include "math/hd.hpp"
#include "placement/field.hpp"

/// The loss of a neighbor embedding as a function of one point's position y, the map fixed:
///   f(y) = sum_j p_j h(|y - y_j|^2) + R(Phi(y)),   Phi(y) = sum_j potential(|y - y_j|^2).
/// t-SNE: h = log(1 / q), p_j = (p_j|x + p_x|j) / 2 and R = (m / 2) log(rest + 2 Phi), m the number of all points, x
/// among them, and rest the normalizer of the map without x. (m / 2) times KL(P, Q) equals f up to terms that do not
/// depend on y; so (2 / m) f has the gradient and the Hessian of KL(P, Q) with respect to the position of a point of
/// the map. UMAP: h = -log phi, p_j the memberships, R = push Phi, where push is proportional to their sum, the degree
/// of x. PaCMAP: h = d / (10 + d), d = 1 + r2, p_j the number of the ends that chose each other, R = push Phi.
namespace dunlin::placement {

/// The neighbors of one point: rows of the map, and affinities.
struct Edges {
    const float* map = nullptr;  ///< [row][axis]
    const Index* targets = nullptr;
    const float* weights = nullptr;
    Index count = 0;
    double scale = 1;  ///< p_j = scale * weight
};

/// h of a pair at squared distance r2, and its first two derivatives by r2.
struct PairTerm {
    double value, first, second;
};
template <class Law>
DUNLIN_HD PairTerm pair_term(const Law& law, double r2) {
    return {std::log(law.surprise(1.0, r2)), law.attraction(1.0, r2), law.attraction_slope(1.0, r2)};
}
/// Term of near pairs (PaCMAP), whose attraction is 2 h'.
DUNLIN_HD inline PairTerm pair_term(const forces::FurtherPairs&, double r2) {
    constexpr forces::PairLoss near;
    return {near.cost(1.0, r2), 0.5 * near.attraction(1.0, r2), 0.5 * near.attraction_slope(1.0, r2)};
}

/// Adds sum_j p_j h.
template <int D, class Law>
DUNLIN_HD void add_attraction(const Law& law, const Edges& edges, const double (&y)[D], Expansion<D>& sum) {
    for (Index e = 0; e < edges.count; ++e) {
        double delta[D];
        const double r2 = difference<D>(y, edges.map + Offset{edges.targets[e]} * D, delta);
        const double p = edges.scale * static_cast<double>(edges.weights[e]);
        const PairTerm term = pair_term(law, r2);
        sum.add_radial(delta, p * term.value, p * term.first, p * term.second);
    }
}

/// R of a law with a normalizer, up to the constant (m / 2) log(rest); rest is 0 if there is one other point.
struct NormalizedRepulsion {
    double points = 0, rest = 0;

    /// R for a point of the map, with that point left out of the normalizer. potential: that of the others at the
    /// point.
    DUNLIN_HD static NormalizedRepulsion without(double points, double normalizer, double potential) {
        return {points, fmax(0.0, normalizer - 2 * potential)};
    }

    /// sum += R(field).
    template <int D>
    DUNLIN_HD void add(const Expansion<D>& field, Expansion<D>& sum) const {
        const double normalizer = rest + 2 * field.value, weight = points / normalizer;
        sum.add(weight, field);
        const double change = rest > 0 ? std::log1p(2 * field.value / rest) : std::log(normalizer);
        sum.value += 0.5 * points * change - weight * field.value;
        sum.add_outer(-2 * weight / normalizer, field.gradient);
    }
};

/// R of a law without a normalizer.
struct WeightedRepulsion {
    double push = 0;

    template <int D>
    DUNLIN_HD void add(const Expansion<D>& field, Expansion<D>& sum) const {
        sum.add(push, field);
    }
};

/// f, for a point that is not in the map; or for a point of the map that is left out: `self` is its row.
template <int D, class Law, class Repulsion>
struct PointLoss {
    Field<D, Law> field;
    Edges edges;
    Repulsion repulsion;
    const float* self = nullptr;

    /// Phi at y, without the row `self`.
    [[nodiscard]] DUNLIN_HD Expansion<D> potential_at(const double (&y)[D]) const {
        Expansion<D> potential = field.at(y);
        if (self != nullptr) add_potential<D>(field.law, -1, self, y, potential);
        return potential;
    }

    /// Rounding of the loss: 0, as it is summed in double.
    [[nodiscard]] DUNLIN_HD static double rounding(const Expansion<D>&) { return 0; }

    [[nodiscard]] DUNLIN_HD Expansion<D> at(const double (&y)[D]) const {
        Expansion<D> sum;
        add_attraction<D>(field.law, edges, y, sum);
        repulsion.template add<D>(potential_at(y), sum);
        return sum;
    }
};

/// The loss of t-SNE for a point that is not in the map. normalizer: of the map, MapField::normalizer().
template <int D, class Law>
DUNLIN_HD PointLoss<D, Law, NormalizedRepulsion> loss_of_new(const Field<D, Law>& field, const Edges& edges,
                                                             double normalizer) {
    return {field, edges, {static_cast<double>(field.points) + 1, normalizer}, nullptr};
}

/// R of UMAP for a point that is not in the map. push: of a point whose memberships sum to 1.
DUNLIN_HD inline WeightedRepulsion repulsion_of_new(const forces::Fuzzy&, const Edges& edges, double push) {
    double degree = 0;
    for (Index e = 0; e < edges.count; ++e) degree += edges.scale * static_cast<double>(edges.weights[e]);
    return {push * degree};
}
/// R of PaCMAP. push: the point's further pairs over the points of the map, from both ends.
DUNLIN_HD inline WeightedRepulsion repulsion_of_new(const forces::FurtherPairs&, const Edges&, double push) {
    return {push};
}

/// The losses of UMAP and PaCMAP for a point that is not in the map.
template <int D>
DUNLIN_HD PointLoss<D, forces::Fuzzy, WeightedRepulsion> loss_of_new(const Field<D, forces::Fuzzy>& field,
                                                                     const Edges& edges, double push) {
    return {field, edges, repulsion_of_new(field.law, edges, push), nullptr};
}
template <int D>
DUNLIN_HD PointLoss<D, forces::FurtherPairs, WeightedRepulsion> loss_of_new(const Field<D, forces::FurtherPairs>& field,
                                                                            const Edges& edges, double push) {
    return {field, edges, repulsion_of_new(field.law, edges, push), nullptr};
}

/// The loss of t-SNE for row i of the map. edges.scale * weights: n times the row's affinities.
template <int D, class Law>
DUNLIN_HD PointLoss<D, Law, NormalizedRepulsion> loss_of_left_out(const Field<D, Law>& field, const Edges& edges,
                                                                  double normalizer, Index i) {
    PointLoss<D, Law, NormalizedRepulsion> loss{field, edges, {}, field.map + Offset{i} * D};
    double y[D];
    for (int d = 0; d < D; ++d) y[d] = static_cast<double>(loss.self[d]);
    loss.repulsion =
        NormalizedRepulsion::without(static_cast<double>(field.points), normalizer, loss.potential_at(y).value);
    return loss;
}

}  // namespace dunlin::placement

// SPDX-License-Identifier: Apache-2.0
#include "waves/limits.hpp"

#include <algorithm>
#include <cmath>

#include "math/at.hpp"

namespace dunlin::waves {

namespace {

/// D Laplacian bound of one axis: differences to two neighbors.
double bound_of_axis(Index n, double spacing) { return n > 1 ? 4 / (spacing * spacing) : 0; }

/// Anderson and Morley (1985) for weighted edges: rows of B' B W, where L = B W B', have absolute sums d_u + d_v.
double bound_of_edges(const Graph& graph) {
    std::vector<double> degrees(at(graph.size()));
    for (Index v = 0; v < graph.size(); ++v) {
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e)
            degrees[at(v)] += static_cast<double>(graph.weights[at(e)]);
    }
    double bound = 0;
    for (Index v = 0; v < graph.size(); ++v) {
        for (Offset e = graph.offsets[at(v)]; e < graph.offsets[at(v) + 1]; ++e)
            bound = std::max(bound, degrees[at(v)] + degrees[at(graph.targets[at(e)])]);
    }
    return bound;
}

/// Jacobians of the reaction where its rates are largest.
std::array<Jacobian, 2> reactions(Model model, const Coefficients& c, const ValueRange& range) {
    if (model == Model::diffusion) return {};
    if (model == Model::gray_scott) {
        const double eaten = range.recovery * range.recovery;
        return {{{-c.feed - eaten, 0, 0, -c.feed_plus_kill}, {-c.feed, 0, 0, -c.feed_plus_kill}}};
    }
    const bool recovers = has_recovery(model);
    const auto of = [&](double v) -> Jacobian {
        const double slope = cubic_slope(c.threshold, v);
        if (!recovers) return {slope, 0, 0, 0};
        return {slope, -1, c.epsilon, -c.epsilon * c.gamma};
    };
    return {of(range.low), of(range.high)};
}

}  // namespace

double spectral_bound(const Domain& domain, Laplacian laplacian) {
    if (domain.graph == nullptr) {
        double bound = 0;
        for (const Index n : domain.nodes) bound += bound_of_axis(n, domain.spacing);
        return bound;
    }
    if (laplacian == Laplacian::combinatorial) return bound_of_edges(*domain.graph);
    return domain.graph->edges() > 0 ? 2 : 0;
}

double cubic_slope(double threshold, double v) { return (-3 * v + 2 * (1 + threshold)) * v - threshold; }

double stable_step(const Jacobian& j) {
    const double trace = j.vv + j.ww, determinant = j.vv * j.ww - j.vw * j.wv;
    const double square = trace * trace / 4 - determinant;
    if (square < 0) return trace < 0 ? -trace / determinant : forever;
    const double fastest = trace / 2 - std::sqrt(square), slowest = trace / 2 + std::sqrt(square);
    return fastest < 0 && slowest <= 0 ? -2 / fastest : forever;
}

double reaction_rate(Model model, const Coefficients& c, const ValueRange& range) {
    double rate = 0;
    for (const Jacobian& j : reactions(model, c, range)) rate = std::max({rate, std::abs(j.vv), std::abs(j.ww)});
    return rate;
}

double explicit_limit(Model model, const Coefficients& c, double bound, const ValueRange& range) {
    double limit = forever;
    for (const double lambda : {0.0, bound}) {
        for (Jacobian j : reactions(model, c, range)) {
            j.vv -= c.diffusion * lambda;
            j.ww -= c.recovery_diffusion * lambda;
            limit = std::min(limit, stable_step(j));
        }
    }
    return limit;
}

}  // namespace dunlin::waves

// SPDX-License-Identifier: Apache-2.0
#include "placement/mixture_loss.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace dunlin::placement {

namespace {

constexpr std::size_t most_pairs = 6;

/// A step and the change of the gradient along it.
struct CurvaturePair {
    Combination step, change;
    double curvature;  ///< their product, > 0
};

/// The two loops of L-BFGS: the direction in which to go from this gradient.
Combination direction_of(const Combination& gradient, const std::deque<CurvaturePair>& pairs, double unit) {
    Combination q = gradient;
    std::vector<double> along(pairs.size());
    for (std::size_t p = pairs.size(); p-- > 0;) {
        along[p] = product_of(q, pairs[p].step) / pairs[p].curvature;
        q.add(-along[p], pairs[p].change);
    }
    const double length = std::sqrt(std::max(0.0, product_of(gradient, gradient)));
    q.scale(pairs.empty() ? -unit / length
                          : -pairs.back().curvature / product_of(pairs.back().change, pairs.back().change));
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const double back = product_of(q, pairs[p].change) / pairs[p].curvature;
        q.add(-along[p] - back, pairs[p].step);
    }
    return q;
}

/// The first of the steps 1, 1/2, 1/4, .. along p that lowers the loss enough (Armijo); 0: none.
double step_along(const MixtureLoss& loss, const Combination& x, const Combination& p, double slope, double& value) {
    for (double t = 1; t > 1e-6; t /= 2) {
        Combination next = x;
        next.add(t, p);
        const double found = loss.value_at(next);
        if (found <= value + 1e-4 * t * slope) {
            value = found;
            return t;
        }
    }
    return 0;
}

}  // namespace

double MixtureLoss::value_at(const Combination& x) const {
    const double own = own_part(x);
    double sum = 0;
    for (std::size_t j = 0; j < size(); ++j)
        sum += membership_term(distance_to(x, j, own), memberships[j], static_cast<double>(scales[j].rho),
                               static_cast<double>(scales[j].sigma))
                   .value;
    return sum;
}

Combination MixtureLoss::gradient_at(const Combination& x) const {
    // sum_j s_j (x - x_j), s_j = slope over distance
    const double own = own_part(x);
    Combination pull(size());
    double total = 0;
    for (std::size_t j = 0; j < size(); ++j) {
        const double d = distance_to(x, j, own);
        const double slope =
            membership_term(d, memberships[j], static_cast<double>(scales[j].rho), static_cast<double>(scales[j].sigma))
                .slope;
        pull.weights[j] = d > 0 ? slope / d : 0;
        total += pull.weights[j];
    }
    set_image(pull);
    Combination gradient = x;
    gradient.scale(total);
    gradient.add(-1, pull);
    return gradient;
}

void improve(const MixtureLoss& loss, int steps, Combination& x) {
    double unit = 0;  // of the first step: a typical width of the rows
    for (const umap::LocalScale& scale : loss.scales)
        unit += static_cast<double>(scale.sigma) / static_cast<double>(loss.size());
    std::deque<CurvaturePair> pairs;
    double value = loss.value_at(x);
    Combination gradient = loss.gradient_at(x);
    for (int step = 0; step < steps; ++step) {
        const double steepness = product_of(gradient, gradient);
        if (!(steepness * unit * unit > 1e-12)) return;
        Combination p = direction_of(gradient, pairs, unit);
        double slope = product_of(p, gradient);
        if (!(slope < 0)) {
            pairs.clear();
            p = direction_of(gradient, pairs, unit);
            slope = product_of(p, gradient);
        }
        const double t = step_along(loss, x, p, slope, value);
        if (t == 0) return;
        p.scale(t);
        x.add(1, p);
        Combination next = loss.gradient_at(x);
        Combination change = next;
        change.add(-1, gradient);
        const double curvature = product_of(p, change);
        if (curvature > 1e-10 * std::sqrt(std::max(0.0, product_of(p, p) * product_of(change, change)))) {
            if (pairs.size() == most_pairs) pairs.pop_front();
            pairs.push_back({std::move(p), std::move(change), curvature});
        }
        gradient = std::move(next);
    }
}

}  // namespace dunlin::placement

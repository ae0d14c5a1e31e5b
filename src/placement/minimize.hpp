// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <dunlin/types.hpp>

#include "math/expansion.hpp"
#include "math/hd.hpp"

namespace dunlin::placement {

using math::Expansion;

/// When to stop.
struct MinimizeRule {
    int steps = 50;
    double tolerance = 1e-4;  ///< a minimum is found when Newton's step is at most this long
};

template <int D>
struct Minimum {
    double y[D]{};
    Expansion<D> loss;
    int steps = 0;
    bool converged = false;
};

/// Newton's step -(H + shift I)^-1 g, not longer than `longest`. The shift makes the matrix positive definite where H
/// is not, with eigenvalues of |g| / longest at least: smaller ones would turn the step by the rounding of g, so that
/// equal losses, summed in another order, led to other minima. Returns the step's length.
template <int D>
DUNLIN_HD double newton_step(const Expansion<D>& loss, double longest, double (&step)[D]) {
    double scale = 0, slope = 0;
    for (const double value : loss.hessian) scale = fmax(scale, fabs(value));
    for (const double value : loss.gradient) slope += value * value;
    const double least = 1e-3 * scale + std::numeric_limits<double>::min();
    double shift = 0;
    if constexpr (D <= 3) {
        const double curvature = math::smallest_eigenvalue<D>(loss.hessian);
        if (curvature < least) shift = fmax(least, std::sqrt(slope) / longest) - curvature;
    } else if (!math::is_positive<D>(loss.hessian, 0, least)) {
        // Eigenvalues of higher orders would cost more than a few decompositions
        shift = fmax(least, std::sqrt(slope) / longest);
        while (!math::is_positive<D>(loss.hessian, shift, least)) shift *= 2;
    }
    math::solve_shifted<D>(loss.hessian, shift, loss.gradient, step);
    double square = 0;
    for (int d = 0; d < D; ++d) square += step[d] * step[d];
    const double length = std::sqrt(square), factor = length > longest ? longest / length : 1;
    for (int d = 0; d < D; ++d) step[d] *= -factor;
    return factor * length;
}

/// A local minimum, from a start, by Newton's method in a region of trust: its radius is 1, the width of the laws'
/// core, at first, doubles after a step that it limited, and is halved until the loss falls. `is_known(y)`: whether to
/// end early because a minimum is known near y.
template <int D, class Loss, class IsKnown>
DUNLIN_HD Minimum<D> minimize(const Loss& loss, const double (&start)[D], const MinimizeRule& rule,
                              const IsKnown& is_known) {
    Minimum<D> now;
    for (int d = 0; d < D; ++d) now.y[d] = start[d];
    now.loss = loss.at(now.y);
    double radius = 1;
    for (; now.steps < rule.steps; ++now.steps) {
        double step[D], next[D];
        const double length = newton_step<D>(now.loss, radius, step);
        now.converged = length <= rule.tolerance;
        if (now.converged || is_known(now.y)) break;
        for (int d = 0; d < D; ++d) next[d] = now.y[d] + step[d];
        const Expansion<D> there = loss.at(next);
        if (!(there.value < now.loss.value + loss.rounding(now.loss))) {
            radius = length / 2;
            continue;
        }
        constexpr double nearly = 0.99;  // a step that was limited is as long as the radius, but for rounding
        if (length > nearly * radius) radius *= 2;
        now.loss = there;
        for (int d = 0; d < D; ++d) now.y[d] = next[d];
    }
    return now;
}

template <int D>
DUNLIN_HD double distance_between(const double (&a)[D], const double (&b)[D]) {
    double square = 0;
    for (int d = 0; d < D; ++d) square += (a[d] - b[d]) * (a[d] - b[d]);
    return std::sqrt(square);
}

constexpr int most_starts = 16;
constexpr Index median_of = 10;  ///< neighbors whose median is the first start

/// A start or a search this near to another, in separations of minima, is the same one.
constexpr double same_place = 0.1;

/// The starts of a point with these neighbors, nearest first: the median of the places of the nearest 10, then the
/// places of the nearest ones, each more than `apart` from the starts before it: neighbors that are copies of one
/// another would give one start several times. Returns how many there are: `wanted`, or fewer if there are no more.
template <int D>
DUNLIN_HD int starts_of(const float* map, const Index* nearest, Index neighbors, int wanted, double apart,
                        double (&starts)[most_starts][D]) {
    const auto count = static_cast<int>(neighbors < median_of ? neighbors : median_of);
    if (count == 0) return 0;
    for (int d = 0; d < D; ++d) {
        double sorted[median_of]{};
        for (int j = 0; j < count; ++j) {
            const auto value = static_cast<double>(map[Offset{nearest[j]} * D + d]);
            int at = j;
            for (; at > 0 && sorted[at - 1] > value; --at) sorted[at] = sorted[at - 1];
            sorted[at] = value;
        }
        starts[0][d] = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
    }
    int found = 1;
    for (Index j = 0; j < neighbors && found < wanted; ++j) {
        for (int d = 0; d < D; ++d) starts[found][d] = static_cast<double>(map[Offset{nearest[j]} * D + d]);
        bool is_new = true;
        for (int s = 0; s < found; ++s) is_new = is_new && distance_between<D>(starts[s], starts[found]) > apart;
        if (is_new) ++found;
    }
    return found;
}

/// The lowest minimum found, and how much higher the next one is that lies more than `separation` away; infinity if
/// there is none.
template <int D>
struct Place {
    Minimum<D> minimum;
    double gap = std::numeric_limits<double>::infinity();
    int steps = 0;  ///< of all starts
};

/// The lowest of several minima, the first of equal ones, and its gap; count is at least 1.
template <int D>
DUNLIN_HD Place<D> lowest_of(const Minimum<D>* found, int count, double separation) {
    Place<D> place;
    int lowest = 0;
    for (int s = 0; s < count; ++s) {
        place.steps += found[s].steps;
        if (found[s].loss.value < found[lowest].loss.value) lowest = s;
    }
    place.minimum = found[lowest];
    for (int s = 0; s < count; ++s) {
        if (distance_between<D>(found[s].y, place.minimum.y) <= separation) continue;
        place.gap = fmin(place.gap, found[s].loss.value - place.minimum.loss.value);
    }
    return place;
}

/// Minimizes from each start. A search that comes to a minimum found before ends.
template <int D, class Loss>
DUNLIN_HD Place<D> place_from(const Loss& loss, const double (&starts)[most_starts][D], int count,
                              const MinimizeRule& rule, double separation) {
    Minimum<D> found[most_starts];
    for (int s = 0; s < count; ++s) {
        found[s] = minimize<D>(loss, starts[s], rule, [&](const double(&y)[D]) {
            for (int e = 0; e < s; ++e) {
                if (found[e].converged && distance_between<D>(found[e].y, y) <= same_place * separation) return true;
            }
            return false;
        });
    }
    return lowest_of<D>(found, count, separation);
}

}  // namespace dunlin::placement

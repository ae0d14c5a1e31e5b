// SPDX-License-Identifier: Apache-2.0
#include "sequences/matchings.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "device/clones.hpp"
#include "device/lanes.hpp"
#include "progress/cancel.hpp"

namespace dunlin::sequences {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Offset cells_between_points = 1 << 22;  ///< between cancellation points: some milliseconds

/// out[i] = sum over axes of (a[i] - b[i])^2, for positions in the order of both pointers.
DUNLIN_INLINE void squares(const double* a, Offset a_stride, const double* b, Offset b_stride, int dim, Offset count,
                           double* out) {
    if (dim == 1) {
        DUNLIN_NO_OVERLAP
        for (Offset i = 0; i < count; ++i) out[i] = (a[i] - b[i]) * (a[i] - b[i]);
        return;
    }
    const double *const a1 = a + a_stride, *const b1 = b + b_stride;
    if (dim == 2) {
        DUNLIN_NO_OVERLAP
        for (Offset i = 0; i < count; ++i) out[i] = (a[i] - b[i]) * (a[i] - b[i]) + (a1[i] - b1[i]) * (a1[i] - b1[i]);
        return;
    }
    const double *const a2 = a1 + a_stride, *const b2 = b1 + b_stride;
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < count; ++i)
        out[i] = (a[i] - b[i]) * (a[i] - b[i]) + (a1[i] - b1[i]) * (a1[i] - b1[i]) + (a2[i] - b2[i]) * (a2[i] - b2[i]);
    for (int c = 3; c < dim; ++c) {
        const double *const ac = a + c * a_stride, *const bc = b + c * b_stride;
        DUNLIN_NO_OVERLAP
        for (Offset i = 0; i < count; ++i) out[i] += (ac[i] - bc[i]) * (ac[i] - bc[i]);
    }
}

template <Ground ground>
DUNLIN_INLINE void to_distances(double* squares, Offset count, bool squared) {
    for (Offset i = 0; i < count; ++i) squares[i] = ground_distance(squares[i], ground);
    if (!squared) return;
    for (Offset i = 0; i < count; ++i) squares[i] *= squares[i];
}

DUNLIN_INLINE void to_costs(const Matching& pair, double* squares, Offset count) {
    switch (pair.ground) {
        case Ground::root:
            return to_distances<Ground::root>(squares, count, pair.squared);
        case Ground::arc:
            return to_distances<Ground::arc>(squares, count, pair.squared);
        case Ground::short_arc:
            return to_distances<Ground::short_arc>(squares, count, pair.squared);
        case Ground::square:
            break;
    }
}

/// Positions i of `a` that match on antidiagonal i + j = k: from `first` to `last`, with j in [0, m) and
/// -band <= j - i <= band + m - n. Both ends rise by at most 1 from one antidiagonal to the next.
struct MatchedRange {
    Offset first, last;
};
DUNLIN_INLINE MatchedRange range_of(const Matching& pair, Offset k) {
    const Offset n = pair.a.length, m = pair.reversed_b.length;
    const Offset above = k - pair.band - (m - n), below = k + pair.band;  // twice the bounds of i
    const Offset by_band = above <= 0 ? 0 : (above + 1) / 2;
    return {std::max({Offset{0}, k - (m - 1), by_band}), std::min({n - 1, k, below / 2})};
}

/// The dynamic program. Buffers of antidiagonals have position i at i + 1; beside the range they are infinite.
template <class Costs>
DUNLIN_INLINE double least_cost(const Matching& pair, std::vector<double>& space) {
    const Offset n = pair.a.length, m = pair.reversed_b.length, width = n + 2;
    space.assign(static_cast<std::size_t>(4 * width), infinity);
    double *costs = space.data(), *now = costs + width, *before = now + width, *earlier = before + width;
    earlier[0] = 0;  // before the first positions
    Offset since_point = 0;
    for (Offset k = 0; k < n + m - 1; ++k) {
        const auto [first, last] = range_of(pair, k);
        const Offset count = last - first + 1;
        if (count > 0) {
            squares(pair.a.at + first, pair.a.stride, pair.reversed_b.at + (m - 1 - k + first), pair.reversed_b.stride,
                    pair.dim, count, costs);
            to_costs(pair, costs, count);
            double* const out = now + first + 1;
            const double *const left = before + first, *const up = before + first + 1, *const both = earlier + first;
            DUNLIN_NO_OVERLAP
            for (Offset i = 0; i < count; ++i) out[i] = Costs::joined(costs[i], least(least(left[i], up[i]), both[i]));
        }
        now[first] = infinity;
        now[last + 2] = infinity;
        std::swap(earlier, before);
        std::swap(before, now);
        since_point += count;
        if (since_point < cells_between_points) continue;
        progress::cancellation_point();
        since_point = 0;
    }
    return before[n];
}

/// near[j] = least squared distance of position j of `b` to any of `a`; returns the largest.
DUNLIN_INLINE double directed(const Positions& a, const Positions& b, int dim, std::vector<double>& space) {
    space.assign(static_cast<std::size_t>(2 * b.length), infinity);
    double *const near = space.data(), *const here = near + b.length;
    Offset since_point = 0;
    for (Offset i = 0; i < a.length; ++i) {
        std::fill_n(here, b.length, 0.0);
        for (int c = 0; c < dim; ++c) {
            const double x = a.at[c * a.stride + i];
            const double* const y = b.at + c * b.stride;
            DUNLIN_NO_OVERLAP
            for (Offset j = 0; j < b.length; ++j) here[j] += (x - y[j]) * (x - y[j]);
        }
        DUNLIN_NO_OVERLAP
        for (Offset j = 0; j < b.length; ++j) near[j] = least(near[j], here[j]);
        since_point += b.length;
        if (since_point < cells_between_points) continue;
        progress::cancellation_point();
        since_point = 0;
    }
    return *std::max_element(near, near + b.length);
}

}  // namespace

DUNLIN_CLONES double least_sum(const Matching& pair, std::vector<double>& space) {
    return least_cost<SumOfCosts>(pair, space);
}

DUNLIN_CLONES double least_maximum(const Matching& pair, std::vector<double>& space) {
    return least_cost<LargestCost>(pair, space);
}

DUNLIN_CLONES double largest_square_to_nearest(const Positions& a, const Positions& b, int dim,
                                               std::vector<double>& space) {
    return most(directed(a, b, dim, space), directed(b, a, dim, space));
}

}  // namespace dunlin::sequences

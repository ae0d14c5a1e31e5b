// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "device/cpu.hpp"
#include "math/hd.hpp"
#include "math/search.hpp"
#include "math/vec.hpp"

/// Monotone (isotonic) regression: the least-squares fit that never decreases.
namespace dunlin::mds {

/// Values and their positive weights (null: all 1) in the executor's memory.
struct WeightedValues {
    Offset count;
    double* values;
    const double* weights;
};

/// In place, by pooling adjacent violators (Kruskal 1964). weights: above 0; empty: all 1.
void make_monotone(std::span<double> values, std::span<const double> weights);

/// Parallel isotonic regression: the fitted values are the slopes of the greatest convex minorant of the points (sum of
/// the first k weights, sum of the first k weighted values), k = 0 .. count (Barlow and others 1972, section 1.2).
/// Hulls of 32 points are merged pairwise by their common tangent (bridge).
namespace hull {

/// x, y.
using HullPoint = math::Vec<double, 2>;

constexpr Offset points_per_thread = 32;  ///< points of a hull that one thread computes
constexpr Offset terms_per_thread = 256;  ///< terms that one thread adds

/// Positive if b lies below the segment from a to c; x ascends.
DUNLIN_HD inline double turn_sign(const HullPoint& a, const HullPoint& b, const HullPoint& c) {
    return (b.at[0] - a.at[0]) * (c.at[1] - a.at[1]) - (c.at[0] - a.at[0]) * (b.at[1] - a.at[1]);
}

/// points[k + 1] = term k of the prefix sums.
struct WriteTerms {
    WeightedValues all;
    HullPoint* points;
    DUNLIN_HD void operator()(Offset k) const {
        const double w = all.weights == nullptr ? 1.0 : all.weights[k];
        points[k + 1] = {{w, w * all.values[k]}};
    }
};

/// Sum of each block of terms.
struct SumRuns {
    const HullPoint* points;
    Offset count;
    HullPoint* sums;
    DUNLIN_HD void operator()(Offset run) const {
        HullPoint sum;
        for (Offset k = run * terms_per_thread; k < count && k < (run + 1) * terms_per_thread; ++k) sum += points[k];
        sums[run] = sum;
    }
};

/// Prefix sums within each block, given the sums of all blocks before it.
struct PrefixSums {
    HullPoint* points;
    Offset count;
    const HullPoint* sums;  ///< prefix sums of the blocks; null: there is one block
    DUNLIN_HD void operator()(Offset run) const {
        HullPoint sum;
        if (run > 0) sum = sums[run - 1];
        for (Offset k = run * terms_per_thread; k < count && k < (run + 1) * terms_per_thread; ++k) {
            sum += points[k];
            points[k] = sum;
        }
    }
};

/// In-place prefix sums, in an order fixed by count.
template <class Exec>
void prefix_sums(Exec& exec, HullPoint* points, Offset count) {
    const Offset runs = (count + terms_per_thread - 1) / terms_per_thread;
    typename Exec::template Buffer<HullPoint> sums;
    if (runs > 1) {
        exec.resize(sums, static_cast<std::size_t>(runs));
        exec.each(runs, SumRuns{points, count, sums.data()});
        prefix_sums(exec, sums.data(), runs);
    }
    exec.each(runs, PrefixSums{points, count, sums.data()});
}

/// Hulls of `width` points each: hull h has size[h] corners at corner[h * width ..].
struct Hulls {
    const HullPoint* points;
    Offset count;  ///< total number of points
    std::uint32_t* corner;
    std::uint32_t* size;

    [[nodiscard]] DUNLIN_HD const HullPoint& at(Offset place) const { return points[corner[place]]; }
};

/// Lower hull of `points_per_thread` points (monotone chain).
struct FindHull {
    Hulls hulls;
    DUNLIN_HD void operator()(Offset h) const {
        const Offset first = h * points_per_thread,
                     end = first + points_per_thread < hulls.count ? first + points_per_thread : hulls.count;
        Offset size = 0;
        for (Offset k = first; k < end; ++k) {
            while (size > 1 &&
                   !(turn_sign(hulls.at(first + size - 2), hulls.at(first + size - 1), hulls.points[k]) > 0))
                --size;
            hulls.corner[first + size++] = static_cast<std::uint32_t>(k);
        }
        hulls.size[h] = static_cast<std::uint32_t>(size);
    }
};

/// Least k in [0, count] with is_true(k), for a predicate that stays true beyond it, or count. Galloping search: fast
/// if k is small.
template <class Predicate>
DUNLIN_HD Offset first_true(Offset count, const Predicate& is_true) {
    Offset low = 0, step = 1;  // false for all k below `low`
    while (low + step - 1 < count && !is_true(low + step - 1)) {
        low += step;
        step *= 2;
    }
    Offset high = low + step - 1 < count ? low + step - 1 : count;
    while (low < high) {
        const Offset middle = (low + high) / 2;
        if (is_true(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Bridge of two adjacent hulls: number of corners kept on the left, and dropped on the right.
struct Bridge {
    std::uint32_t left, right;
};

/// Finds the bridges. The search starts where the two hulls meet, which is mostly near the bridge.
struct FindBridge {
    Hulls hulls;
    Offset width;
    Bridge* bridges;

    /// Corner of the right hull on the tangent through `left`.
    DUNLIN_HD Offset tangent_corner(const HullPoint& left, Offset first, Offset size) const {
        return first_true(size - 1,
                          [&](Offset k) { return turn_sign(left, hulls.at(first + k), hulls.at(first + k + 1)) > 0; });
    }
    DUNLIN_HD void operator()(Offset pair) const {
        const Offset left = 2 * pair * width, right = left + width;
        const Offset left_size = hulls.size[2 * pair];
        if (right >= hulls.count) {
            bridges[pair] = {static_cast<std::uint32_t>(left_size), 0};
            return;
        }
        const Offset right_size = hulls.size[2 * pair + 1];
        // Corner left_size - 1 - k is on the bridge if the corner before it lies below the line to the right hull
        const Offset gone = first_true(left_size - 1, [&](Offset k) {
            const Offset before = left + left_size - 2 - k;
            return turn_sign(hulls.at(before), hulls.at(before + 1),
                             hulls.at(right + tangent_corner(hulls.at(before), right, right_size))) > 0;
        });
        const Offset last = left_size - 1 - gone;
        bridges[pair] = {static_cast<std::uint32_t>(last + 1),
                         static_cast<std::uint32_t>(tangent_corner(hulls.at(left + last), right, right_size))};
    }
};

/// Concatenates the kept corners.
struct JoinHulls {
    Hulls from, to;
    Offset width;
    const Bridge* bridges;
    DUNLIN_HD void operator()(Offset place) const {
        const Offset pair = place / (2 * width), k = place % (2 * width), right = (2 * pair + 1) * width;
        const Bridge bridge = bridges[pair];
        const Offset stay = right < from.count ? Offset{from.size[2 * pair + 1]} - bridge.right : 0;
        if (k == 0) to.size[pair] = static_cast<std::uint32_t>(bridge.left + stay);
        if (k < bridge.left) {
            to.corner[place] = from.corner[place];
        } else if (k - bridge.left < stay) {
            to.corner[place] = from.corner[right + bridge.right + k - bridge.left];
        }
    }
};

/// Replaces each value by the slope of the hull edge above it.
struct WriteSlopes {
    Hulls hull;  ///< the single remaining hull
    double* values;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset end = math::first_at_least(hull.corner, Offset{*hull.size}, static_cast<std::uint32_t>(k + 1));
        const HullPoint &from = hull.at(end - 1), &to = hull.at(end);
        const double across = to.at[0] - from.at[0];
        if (across > 0) values[k] = (to.at[1] - from.at[1]) / across;
    }
};

/// In place; fewer than 2^32 - 1 values.
template <class Exec>
void make_monotone(Exec& exec, const WeightedValues& all) {
    typename Exec::template Buffer<HullPoint> points;
    typename Exec::template Buffer<std::uint32_t> corner, other, size, other_size;
    typename Exec::template Buffer<Bridge> bridges;
    const Offset count = all.count + 1, hulls = (count + points_per_thread - 1) / points_per_thread;
    exec.fill(points, static_cast<std::size_t>(count), HullPoint{});
    exec.each(all.count, WriteTerms{all, points.data()});
    prefix_sums(exec, points.data() + 1, all.count);
    exec.resize(corner, static_cast<std::size_t>(count));
    exec.resize(other, corner.size());
    exec.resize(size, static_cast<std::size_t>(hulls));
    exec.resize(other_size, size.size());
    exec.resize(bridges, size.size());
    Hulls from{points.data(), count, corner.data(), size.data()},
        to{points.data(), count, other.data(), other_size.data()};
    exec.each(hulls, FindHull{from});
    for (Offset width = points_per_thread; width < count; width *= 2) {
        const Offset pairs = (count + 2 * width - 1) / (2 * width);
        exec.each(pairs, FindBridge{from, width, bridges.data()});
        exec.each(count, JoinHulls{from, to, width, bridges.data()});
        std::swap(from, to);
    }
    exec.each(all.count, WriteSlopes{from, all.values});
}

}  // namespace hull

}  // namespace dunlin::mds

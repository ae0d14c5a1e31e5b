// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "device/cpu.hpp"
#include "math/hd.hpp"
#include "math/search.hpp"
#include "math/vec.hpp"

/// Monotone regression: the least squares fit to some values that never falls.
namespace dunlin::mds {

/// Values and their weights, above 0 (null: all 1), where the data live.
struct Weighted {
    Offset count;
    double* values;
    const double* weights;
};

/// In place, by pooling adjacent violators (Kruskal 1964). weights: above 0; empty: all 1.
void make_monotone(std::span<double> values, std::span<const double> weights);

/// The same by many at once: the fit's values are the slopes of the lower convex hull of the points (sum of the first k
/// weights, sum of the first k weighted values), k = 0 .. count (Barlow and others 1972, section 1.2). Hulls of a few
/// points each are joined two by two, by the one edge that lies below both.
namespace hull {

/// A point: x, y.
using Point = math::Vec<double, 2>;

constexpr Offset of_one = 32;       ///< points of a hull that one thread finds
constexpr Offset of_one_sum = 256;  ///< terms that one thread adds

/// Above 0: b lies below the line from a to c; x ascends.
DUNLIN_HD inline double bend(const Point& a, const Point& b, const Point& c) {
    return (b.at[0] - a.at[0]) * (c.at[1] - a.at[1]) - (c.at[0] - a.at[0]) * (b.at[1] - a.at[1]);
}

/// points[k + 1] = a term of the sum that leads there.
struct PutTerms {
    Weighted all;
    Point* points;
    DUNLIN_HD void operator()(Offset k) const {
        const double w = all.weights == nullptr ? 1.0 : all.weights[k];
        points[k + 1] = {{w, w * all.values[k]}};
    }
};

/// The sum of each run of terms.
struct SumRuns {
    const Point* points;
    Offset count;
    Point* sums;
    DUNLIN_HD void operator()(Offset run) const {
        Point sum;
        for (Offset k = run * of_one_sum; k < count && k < (run + 1) * of_one_sum; ++k) sum += points[k];
        sums[run] = sum;
    }
};

/// Terms become sums of all up to them, given those of whole runs.
struct AddUp {
    Point* points;
    Offset count;
    const Point* sums;  ///< of all runs up to each; null: there is one run
    DUNLIN_HD void operator()(Offset run) const {
        Point sum;
        if (run > 0) sum = sums[run - 1];
        for (Offset k = run * of_one_sum; k < count && k < (run + 1) * of_one_sum; ++k) {
            sum += points[k];
            points[k] = sum;
        }
    }
};

/// Terms become sums, in an order fixed by count.
template <class Exec>
void add_up(Exec& exec, Point* points, Offset count) {
    const Offset runs = (count + of_one_sum - 1) / of_one_sum;
    typename Exec::template Buffer<Point> sums;
    if (runs > 1) {
        exec.resize(sums, static_cast<std::size_t>(runs));
        exec.each(runs, SumRuns{points, count, sums.data()});
        add_up(exec, sums.data(), runs);
    }
    exec.each(runs, AddUp{points, count, sums.data()});
}

/// Hulls of `width` points each: their corners are at corner[h * width ..], size[h] of them.
struct Hulls {
    const Point* points;
    Offset count;  ///< points in all
    std::uint32_t* corner;
    std::uint32_t* size;

    [[nodiscard]] DUNLIN_HD const Point& at(Offset place) const { return points[corner[place]]; }
};

/// The hull of a few points, from left to right.
struct FindHull {
    Hulls hulls;
    DUNLIN_HD void operator()(Offset h) const {
        const Offset first = h * of_one, end = first + of_one < hulls.count ? first + of_one : hulls.count;
        Offset size = 0;
        for (Offset k = first; k < end; ++k) {
            while (size > 1 && !(bend(hulls.at(first + size - 2), hulls.at(first + size - 1), hulls.points[k]) > 0))
                --size;
            hulls.corner[first + size++] = static_cast<std::uint32_t>(k);
        }
        hulls.size[h] = static_cast<std::uint32_t>(size);
    }
};

/// The least k in [0, count] at which holds(k), which then holds at all beyond; by steps that double, then halve: it is
/// soon found where it is small.
template <class Holds>
DUNLIN_HD Offset first_where(Offset count, const Holds& holds) {
    Offset low = 0, step = 1;  // it holds nowhere below `low`
    while (low + step - 1 < count && !holds(low + step - 1)) {
        low += step;
        step *= 2;
    }
    Offset high = low + step - 1 < count ? low + step - 1 : count;
    while (low < high) {
        const Offset middle = (low + high) / 2;
        if (holds(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Two hulls side by side: how many corners of the left one stay, and how many of the right one go.
struct Bridge {
    std::uint32_t left, right;
};

/// Finds them. The edge that lies below both is sought from where they meet, which is where it mostly is.
struct FindBridge {
    Hulls hulls;
    Offset width;
    Bridge* bridges;

    /// Of the right hull, the corner at which a line from `left` touches it.
    DUNLIN_HD Offset touched(const Point& left, Offset first, Offset size) const {
        return first_where(size - 1,
                           [&](Offset k) { return bend(left, hulls.at(first + k), hulls.at(first + k + 1)) > 0; });
    }
    DUNLIN_HD void operator()(Offset pair) const {
        const Offset left = 2 * pair * width, right = left + width;
        const Offset left_size = hulls.size[2 * pair];
        if (right >= hulls.count) {
            bridges[pair] = {static_cast<std::uint32_t>(left_size), 0};
            return;
        }
        const Offset right_size = hulls.size[2 * pair + 1];
        // Corner left_size - 1 - k touches if the one before it lies below the line to the right hull
        const Offset gone = first_where(left_size - 1, [&](Offset k) {
            const Offset before = left + left_size - 2 - k;
            return bend(hulls.at(before), hulls.at(before + 1),
                        hulls.at(right + touched(hulls.at(before), right, right_size))) > 0;
        });
        const Offset last = left_size - 1 - gone;
        bridges[pair] = {static_cast<std::uint32_t>(last + 1),
                         static_cast<std::uint32_t>(touched(hulls.at(left + last), right, right_size))};
    }
};

/// Puts the corners that stay side by side.
struct Join {
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

/// A value becomes the slope of the edge above it.
struct PutSlopes {
    Hulls hull;  ///< one
    double* values;
    DUNLIN_HD void operator()(Offset k) const {
        const Offset end = math::first_at_least(hull.corner, Offset{*hull.size}, static_cast<std::uint32_t>(k + 1));
        const Point &from = hull.at(end - 1), &to = hull.at(end);
        const double across = to.at[0] - from.at[0];
        if (across > 0) values[k] = (to.at[1] - from.at[1]) / across;
    }
};

/// Fewer than 2^32 - 1 values, in place.
template <class Exec>
void make_monotone(Exec& exec, const Weighted& all) {
    typename Exec::template Buffer<Point> points;
    typename Exec::template Buffer<std::uint32_t> corner, other, size, other_size;
    typename Exec::template Buffer<Bridge> bridges;
    const Offset count = all.count + 1, hulls = (count + of_one - 1) / of_one;
    exec.fill(points, static_cast<std::size_t>(count), Point{});
    exec.each(all.count, PutTerms{all, points.data()});
    add_up(exec, points.data() + 1, all.count);
    exec.resize(corner, static_cast<std::size_t>(count));
    exec.resize(other, corner.size());
    exec.resize(size, static_cast<std::size_t>(hulls));
    exec.resize(other_size, size.size());
    exec.resize(bridges, size.size());
    Hulls from{points.data(), count, corner.data(), size.data()},
        to{points.data(), count, other.data(), other_size.data()};
    exec.each(hulls, FindHull{from});
    for (Offset width = of_one; width < count; width *= 2) {
        const Offset pairs = (count + 2 * width - 1) / (2 * width);
        exec.each(pairs, FindBridge{from, width, bridges.data()});
        exec.each(count, Join{from, to, width, bridges.data()});
        std::swap(from, to);
    }
    exec.each(all.count, PutSlopes{from, all.values});
}

}  // namespace hull

}  // namespace dunlin::mds

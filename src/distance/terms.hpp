// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include <dunlin/types.hpp>

/// What is added up over the columns of two rows, and what becomes of the sums. Each in double: add() for a pair of
/// values, join() for the sums of two stretches of columns, finish() for the distance.
namespace dunlin::distance::terms {

struct TermSum {
    double over = 0, under = 0;
};

/// The sums of two stretches, added.
struct Added {
    static void join(TermSum& sum, const TermSum& other) {
        sum.over += other.over;
        sum.under += other.under;
    }
};

struct Chebyshev {
    static void add(TermSum& sum, double x, double y) { sum.over = std::max(sum.over, std::abs(x - y)); }
    static void join(TermSum& sum, const TermSum& other) { sum.over = std::max(sum.over, other.over); }
    static double finish(const TermSum& sum, Index /*cols*/) { return sum.over; }
};

struct Canberra : Added {
    static void add(TermSum& sum, double x, double y) {
        const double under = std::abs(x) + std::abs(y);
        sum.over += under > 0 ? std::abs(x - y) / under : 0.0;
    }
    static double finish(const TermSum& sum, Index /*cols*/) { return sum.over; }
};

struct BrayCurtis : Added {
    static void add(TermSum& sum, double x, double y) {
        sum.over += std::abs(x - y);
        sum.under += std::abs(x + y);
    }
    static double finish(const TermSum& sum, Index /*cols*/) { return sum.over > 0 ? sum.over / sum.under : 0.0; }
};

struct Hamming : Added {
    static void add(TermSum& sum, double x, double y) { sum.over += x != y ? 1.0 : 0.0; }
    static double finish(const TermSum& sum, Index cols) { return sum.over / std::max<double>(cols, 1); }
};

/// Half the squared difference of the roots of two rows' shares.
struct Hellinger : Added {
    static void add(TermSum& sum, double x, double y) { sum.over += (x - y) * (x - y); }
    static double finish(const TermSum& sum, Index /*cols*/) { return std::sqrt(std::min(sum.over / 2, 1.0)); }
};

/// The distance by counts of columns: true in both rows, true in one of them.
inline double jaccard(double both, double one) { return one > 0 ? one / (both + one) : 0.0; }
inline double dice(double both, double one) { return one > 0 ? one / (2 * both + one) : 0.0; }

/// Of latitudes and longitudes. The sine of half the difference keeps the digits of near places.
inline double haversine(const double* x, const double* y) {
    const double across = std::sin((x[0] - y[0]) / 2), along = std::sin((x[1] - y[1]) / 2);
    const double half_chord = across * across + std::cos(x[0]) * std::cos(y[0]) * along * along;
    return 2 * std::asin(std::sqrt(std::min(half_chord, 1.0)));
}

}  // namespace dunlin::distance::terms

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include <dunlin/sequences.hpp>

#include "math/hd.hpp"

namespace dunlin::sequences {

/// Distance on the sphere of two unit vectors with this squared difference (haversine formula: its quarter is the
/// haversine of the angle).
DUNLIN_HD inline double arc_of(double square) {
    const double half_chord = 0.5 * std::sqrt(square);
    return 2 * earth_radius * std::asin(half_chord < 1 ? half_chord : 1.0);
}

/// arc_of() for squares up to short_square, without a call of asin: its series, whose first omitted term is below 1e-17
/// of the result.
constexpr double short_square = 0.04;
DUNLIN_HD inline double short_arc_of(double square) {
    const double s = 0.25 * square;
    const double series =
        1 +
        s * (1.0 / 6 +
             s * (3.0 / 40 +
                  s * (5.0 / 112 + s * (35.0 / 1152 + s * (63.0 / 2816 + s * (231.0 / 13312 + s * (143.0 / 10240)))))));
    return earth_radius * std::sqrt(square) * series;
}

[[gnu::always_inline]] DUNLIN_HD inline double least(double a, double b) { return a < b ? a : b; }
[[gnu::always_inline]] DUNLIN_HD inline double most(double a, double b) { return a > b ? a : b; }

/// How a cell of the dynamic program follows from the cost of its positions and the best cell before it: by a sum
/// (dynamic time warping), or by the largest (discrete Frechet distance).
struct SumOfCosts {
    [[gnu::always_inline]] DUNLIN_HD static double joined(double cost, double path) { return cost + path; }
};
struct LargestCost {
    [[gnu::always_inline]] DUNLIN_HD static double joined(double cost, double path) { return most(cost, path); }
};

/// How the distance of two positions follows from the sum of the squared differences of their coordinates.
enum class Ground { root, square, arc, short_arc };

DUNLIN_HD inline double ground_distance(double square, Ground ground) {
    switch (ground) {
        case Ground::root:
            return std::sqrt(square);
        case Ground::arc:
            return arc_of(square);
        case Ground::short_arc:
            return short_arc_of(square);
        case Ground::square:
            break;
    }
    return square;
}

/// The costs of dynamic time warping; on the sphere they are squared afterwards. near: are_near of the two tracks.
DUNLIN_HD inline Ground warping_ground(bool geographic, bool squared, bool near) {
    if (geographic) return near ? Ground::short_arc : Ground::arc;
    return squared ? Ground::square : Ground::root;
}

/// What a matching's least sum of such costs is as a dissimilarity. squared: WarpingCost::square.
DUNLIN_HD inline double warping_distance(double sum, bool squared) { return squared ? std::sqrt(sum) : sum; }

/// The distance of two positions with this squared difference: what Frechet and Hausdorff distance take at their end.
DUNLIN_HD inline double distance_of_square(double square, bool geographic) {
    return ground_distance(square, geographic ? Ground::arc : Ground::root);
}

/// Whether all positions between these least and largest coordinates of two tracks are so near that short_arc_of holds.
DUNLIN_HD inline bool are_near(const double* least, const double* most, const double* other_least,
                               const double* other_most, int dim) {
    double square = 0;
    for (int c = 0; c < dim; ++c) {
        const double high = most[c] > other_most[c] ? most[c] : other_most[c];
        const double low = least[c] < other_least[c] ? least[c] : other_least[c];
        square += (high - low) * (high - low);
    }
    return square <= short_square;
}

/// Positions of a track, coordinate by coordinate: that of position i and axis c is at[c * stride + i].
struct Positions {
    const double* at = nullptr;
    Offset stride = 0;
    Offset length = 0;
};

/// A pair of tracks and how their positions may match. a is not longer than b, and b is in reverse order.
struct Matching {
    Positions a, reversed_b;
    int dim = 2;
    Ground ground = Ground::square;
    bool squared = false;  ///< the costs are squares of the distances
    Offset band = 0;       ///< Options::band; at least b.length: any
};

/// Least sum of the costs along a monotone matching of all positions (dynamic time warping), by antidiagonals of the
/// dynamic program D(i, j) = cost(i, j) + min(D(i-1, j-1), D(i-1, j), D(i, j-1)). space: grows as needed. Has
/// cancellation points.
double least_sum(const Matching& pair, std::vector<double>& space);

/// Least maximum of the costs along such a matching: D(i, j) = max(cost(i, j), min(...)) (discrete Frechet distance).
double least_maximum(const Matching& pair, std::vector<double>& space);

/// Largest squared distance of a position of one track to the nearest of the other.
double largest_square_to_nearest(const Positions& a, const Positions& b, int dim, std::vector<double>& space);

}  // namespace dunlin::sequences

// SPDX-License-Identifier: Apache-2.0
// Time to remove overlaps of discs, and how far the discs spread.
//
//   bench_overlap [--threads N] [DISCS...]       a CSV row per number of discs and kind of crowd
//
// extent: the root mean square distance from the middle, over that of the same discs packed as densely as can be.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include <dunlin/overlap.hpp>

#include "math/rng.hpp"
#include "progress/stopwatch.hpp"

namespace {

using namespace dunlin;

/// Arrangement of discs: a normal distribution with `depth` discs over each point of the center, or a square lattice of
/// touching discs, jittered by their radius.
struct Crowd {
    const char* name;
    int dim;
    double depth;  ///< 0: the lattice
    bool mixed;    ///< radii from 1 to 5, most of them small
};
constexpr Crowd crowds[] = {{"shaken square", 2, 0, false},
                            {"crowd 1 deep", 2, 1, false},
                            {"crowd 4 deep", 2, 4, false},
                            {"mixed crowd 4 deep", 2, 4, true},
                            {"crowd 4 deep", 3, 4, false}};

double volume(int dim, double radius) {
    return dim == 2 ? std::numbers::pi * radius * radius : 4.0 / 3 * std::numbers::pi * radius * radius * radius;
}

Map map_of(const Crowd& crowd, Index n, double filled) {
    Map map{crowd.dim, {}};
    const auto side = static_cast<Index>(std::ceil(std::sqrt(n)));
    // Density at the center of a normal distribution: n / (2 pi sd^2)^(dim / 2)
    const double sd =
        crowd.depth > 0 ? std::pow(filled / crowd.depth, 1.0 / crowd.dim) / std::sqrt(2 * std::numbers::pi) : 0;
    for (Index i = 0; i < n; ++i) {
        for (int c = 0; c < crowd.dim; ++c) {
            const auto item = static_cast<std::uint64_t>(i), axis = static_cast<std::uint64_t>(c);
            const double lattice = 2.0 * (c == 0 ? i % side : i / side) + math::random_uniform(1, item, axis);
            map.coordinates.push_back(
                static_cast<float>(crowd.depth > 0 ? sd * math::random_normal(2, item, axis) : lattice));
        }
    }
    return map;
}

double spread(const Map& map) {
    double sum = 0;
    for (int c = 0; c < map.dim; ++c) {
        double mean = 0, square = 0;
        for (Index i = 0; i < map.size(); ++i) {
            mean += static_cast<double>(map.view()(i, c)) / map.size();
            square += std::pow(static_cast<double>(map.view()(i, c)), 2) / map.size();
        }
        sum += square - mean * mean;
    }
    return std::sqrt(sum);
}

/// Extent of a ball of discs of total area `filled` at the densest packing.
double least_spread(int dim, double filled) {
    const double density = dim == 2 ? 0.9069 : 0.7405;
    const double radius = std::pow(filled / density / volume(dim, 1), 1.0 / dim);
    return radius * std::sqrt(dim / (dim + 2.0));
}

void measure(const Crowd& crowd, Index n, int threads) {
    std::vector<float> radii;
    double filled = 0;
    for (Index i = 0; i < n; ++i) {
        const double draw = std::pow(math::random_uniform(3, static_cast<std::uint64_t>(i)), 4);
        radii.push_back(crowd.mixed ? static_cast<float>(std::pow(5.0, draw)) : 1.0F);
        filled += volume(crowd.dim, static_cast<double>(radii.back()));
    }
    Map map = map_of(crowd, n, filled);
    progress::Stopwatch watch;
    const int rounds = layout::remove_overlaps(map, radii, 0, {.threads = threads});
    std::printf("%d,%d,%s,%d,%.2f,%.2f\n", n, crowd.dim, crowd.name, rounds,
                spread(map) / least_spread(crowd.dim, filled), watch.lap());
    std::fflush(stdout);
}

}  // namespace

int bench_main(int argc, char** argv) {
    int threads = 0;
    std::vector<Index> sizes;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            threads = std::atoi(argv[++i]);
        } else {
            sizes.push_back(std::atoi(argv[i]));
        }
    }
    if (sizes.empty()) sizes = {10000, 100000, 1000000};
    std::printf("discs,dim,crowd,rounds,extent,seconds\n");
    for (const Index n : sizes) {
        for (const Crowd& crowd : crowds) measure(crowd, n, threads);
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Error and time of the grid for a map scaled to given spans; errors against forces in double at a sample of points.
//   bench_grid MAP|N,DIM THREADS SPACING SPAN...      (spacing 0: the default)
#include <fmt/core.h>
#include <dunlin/io.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cases/maps.hpp"
#include "cases/repulsion.hpp"
#include "forces/grid/grid.hpp"
#include "math/rng.hpp"
#include "progress/stopwatch.hpp"
#include "timing.hpp"

using namespace dunlin;

namespace {

constexpr Index largest_exact_mass = 20000;

// Clusters of many sizes with dense cores, and a few outliers
Map generated(Index n, int dim) {
    Map map{dim, {}};
    for (Offset i = 0; i < Offset{n} * dim; ++i) {
        const auto item = static_cast<std::uint64_t>(i / dim), draw = static_cast<std::uint64_t>(i % dim);
        const std::uint64_t cluster = math::random_below(60, 1, item);
        const double off = math::random_normal(4, item, draw), size = 0.5 + 4 * math::random_uniform(2, cluster);
        const double inside = 100 * (math::random_uniform(3, cluster, draw) - 0.5) + size * off * std::abs(off);
        const double outside = 120 * (math::random_uniform(5, item, draw) - 0.5);
        map.coordinates.push_back(static_cast<float>(item % 97 == 0 ? outside : inside));
    }
    return map;
}

void measure(device::Cpu& cpu, const Map& map, float spacing, double span) {
    forces::Grid<forces::StudentT> grid(spacing);
    std::vector<float> force(map.coordinates.size());
    device::Cell<double> mass;
    std::vector<double> wall, busy;
    for (int round = 0; round < 16; ++round) {
        progress::Stopwatch watch;
        const double before = bench::processor_seconds();
        grid.repel(cpu, map.view(), {force.data(), map.size(), map.dim}, mass);
        wall.push_back(1e3 * watch.lap());
        busy.push_back(1e3 * (bench::processor_seconds() - before));
    }
    const std::vector<double> errors = repulsion::sampled_errors(cpu, map.view(), force);
    double mass_error = std::nan("");
    if (map.size() <= largest_exact_mass)
        mass_error = std::abs(mass.value / repulsion::normalizer(cpu, map.view()) - 1);
    const double first = busy[0];
    wall.erase(wall.begin()), busy.erase(busy.begin());
    std::sort(wall.begin(), wall.end());
    std::sort(busy.begin(), busy.end());
    using repulsion::quantile;
    fmt::print(
        "span {:6g} nodes {:4} {:4} {:3} spacing {:6.4g} error median {:.3f}% p99 {:6.2f}% mass {:.1e} | "
        "wall {:.2f} ms, cpu {:.2f} ms, first {:.2f} ms\n",
        span, grid.nodes()[0], grid.nodes()[1], grid.nodes()[2], grid.spacing(), 100 * quantile(errors, 0.5),
        100 * quantile(errors, 0.99), mass_error, quantile(wall, 0.5), quantile(busy, 0.25), first);
}

}  // namespace

int bench_main(int argc, char** argv) {
    if (argc < 5) return fmt::print("bench_grid MAP|N,DIM THREADS SPACING SPAN...\n"), 1;
    const std::string what = argv[1];
    const auto comma = what.find(',');
    const Map map = comma == std::string::npos ? io::read_map(what).map
                                               : generated(std::stoi(what), std::stoi(what.substr(comma + 1)));
    device::Cpu cpu(std::stoi(argv[2]));
    for (int a = 4; a < argc; ++a)
        measure(cpu, made::scaled(map, std::stod(argv[a])), std::stof(argv[3]), std::stod(argv[a]));
    return 0;
}

#include "layout/low_stress.hpp"

#include <algorithm>

#include "layout/stress.hpp"
#include "layout/stress_descent.hpp"

namespace dunlin::layout {

namespace {

/// Some are enough (Ortmann, Klimenta and Brandes 2017), fewer where they would not fit a gigabyte or so.
Index pivots_for(Index n) { return std::clamp(100000000 / std::max(n, 1), 50, 200); }

}  // namespace

Placed place_by_stress(device::Cpu& cpu, const graph::Level& level, const Options& options, const Run& run) {
    const Index n = level.graph->size();
    Placed placed;
    placed.threads = cpu.threads();
    placed.map = outline_of(cpu, ladder_of(cpu, level, run.seed), options.dim, run.seed, run.stop);
    if (n <= all_pairs_up_to) {
        placed.ending = descend_stress(cpu, level, *options.iterations, run, placed.map);
        return placed;
    }
    const Pivots pivots = pivots_of(cpu, level, pivots_for(n));
    device::Ticker ticker(run, "optimise", *options.iterations);
    for (int t = 0; t < *options.iterations; ++t) {
        if (run.stop.stop_requested()) {
            placed.ending = {t, Stopped::cancelled};
            return placed;
        }
        lower_stress(cpu, level, pivots, 1, placed.map);
        ticker.tick(t + 1, [&] { return placed.map.coordinates; });
    }
    placed.ending = {*options.iterations, Stopped::budget};
    return placed;
}

std::uint64_t bytes_of_stress(const Options& options, Index n) {
    if (options.method != Method::stress) return 0;
    const auto pairs = n <= all_pairs_up_to ? Offset{n} * n / 2 : Offset{n} * pivots_for(n) * 3;
    return static_cast<std::uint64_t>(pairs) * sizeof(float);
}

}  // namespace dunlin::layout

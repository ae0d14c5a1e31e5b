#include "layout/low_stress.hpp"

#include <algorithm>

#include "device/ticker.hpp"
#include "layout/outline.hpp"
#include "layout/stress.hpp"
#include "layout/stress_descent.hpp"

namespace dunlin::layout {

namespace {

/// Some are enough (Ortmann, Klimenta and Brandes 2017), fewer where they would not fit a gigabyte or so.
Index enough_pivots(Index n) { return std::clamp(100000000 / std::max(n, 1), 50, 200); }

void keep_pinned(const Task& task, Map& map) {
    if (task.start == nullptr) return;
    const auto axes = static_cast<std::size_t>(map.dim);
    for (std::size_t i = 0; i < map.coordinates.size(); ++i) {
        if (task.pinned[i / axes] != 0) map.coordinates[i] = task.start->coordinates[i];
    }
}

}  // namespace

Placed place_by_stress(device::Cpu& cpu, const Task& task, const Options& options, const Run& run) {
    const graph::Level level{task.graph, task.lengths};
    const Index n = level.graph->size();
    Placed placed;
    placed.threads = cpu.threads();
    placed.map =
        task.start != nullptr ? *task.start : Map{options.dim, outline_of(cpu, level, options.dim, run.seed, run.stop)};
    if (n <= all_pairs_up_to) {
        placed.ending = descend_stress(cpu, task, *options.iterations, run, placed.map);
        return placed;
    }
    const Pivots<device::Cpu> pivots = farthest_pivots(cpu, level, enough_pivots(n));
    device::Ticker ticker(run, "optimise", *options.iterations);
    for (int t = 0; t < *options.iterations; ++t) {
        if (run.stop.stop_requested()) {
            placed.ending = {t, Stopped::cancelled};
            return placed;
        }
        lower_stress(cpu, level, pivots, 1, placed.map.dim, placed.map.coordinates);
        keep_pinned(task, placed.map);
        ticker.tick(t + 1, [&] { return placed.map.coordinates; });
    }
    placed.ending = {*options.iterations, Stopped::budget};
    return placed;
}

std::uint64_t bytes_of_stress(const Options& options, Index n) {
    if (options.method != Method::stress) return 0;
    const auto pairs = n <= all_pairs_up_to ? Offset{n} * n / 2 : Offset{n} * enough_pivots(n) * 3;
    return static_cast<std::uint64_t>(pairs) * sizeof(float);
}

}  // namespace dunlin::layout

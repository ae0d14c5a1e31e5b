#pragma once

#include <algorithm>
#include <cstdint>

#include "device/cancel.hpp"
#include "graph/coarsen.hpp"
#include "layout/backend.hpp"
#include "layout/stress.hpp"
#include "layout/stress_descent.hpp"
#include "layout/summit.hpp"

namespace dunlin::layout {

/// Up to so many vertices, the method stress looks at all pairs.
constexpr Index all_pairs_up_to = 12000;

/// Beyond, at those with some pivots: some are enough (Ortmann, Klimenta and Brandes 2017), fewer where they would not
/// fit a gigabyte or so.
constexpr Index enough_pivots(Index n) { return std::clamp(100000000 / std::max(n, 1), 50, 200); }

/// Pivots are found on the CPU, one after the other, wherever the rest is done.
template <class Exec, class Level>
Ending majorize_stress(Exec& exec, const Level& level, const Task& task, const Options& options, const Run& run,
                       typename Exec::template Buffer<float>& map) {
    constexpr int steps_at_once = 5;
    device::Cpu cpu(run);
    const Index n = level.graph->size();
    device::ProgressReporter reporter(run, "optimize", *options.iterations);
    const auto pivots = carried_to(exec, farthest_pivots(cpu, {task.graph, task.lengths}, enough_pivots(n)));
    typename Exec::template Buffer<std::uint8_t> pinned;
    exec.upload(pinned, task.pinned);
    for (int t = 0; t < *options.iterations;) {
        const int steps = std::min(steps_at_once, *options.iterations - t);
        const bool done = device::run_cancellable(
            run.stop, [&] { lower_stress(exec, level, pivots, steps, options.dim, map, pinned.data()); });
        if (!done) return {t, Stopped::cancelled};
        t += steps;
        reporter.tick(t, [&] { return exec.host(map); });
    }
    return {*options.iterations, Stopped::budget};
}

/// Method stress: a connected graph, from a start or else its outline (outline.hpp), in the unit of the edges' lengths.
/// level: the task's graph where exec works; map: n x dim.
template <class Exec, class Level>
Ending place_by_stress(Exec& exec, const Level& level, const Task& task, const Options& options, const Run& run,
                       typename Exec::template Buffer<float>& map) {
    Ending ending{0, Stopped::cancelled};
    device::run_cancellable(run.stop, [&] {
        ending = level.graph->size() > all_pairs_up_to
                     ? majorize_stress(exec, level, task, options, run, map)
                     : descend_stress(exec, level, task, *options.iterations, options.dim, run, map);
    });
    return ending;
}

/// The memory that it takes beside the graph's; 0 for other methods.
constexpr std::uint64_t bytes_of_stress(const Options& options, Index n) {
    if (options.method != Method::stress) return 0;
    const Offset pairs = n <= all_pairs_up_to ? Offset{n} * n / 2 : Offset{n} * enough_pivots(n) * 3;
    return static_cast<std::uint64_t>(pairs) * sizeof(float);
}

}  // namespace dunlin::layout

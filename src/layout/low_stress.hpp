// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "checkpoint/counted_loop.hpp"
#include "graph/coarsen.hpp"
#include "layout/backend.hpp"
#include "layout/random_pivots.hpp"
#include "layout/sparse_stress.hpp"
#include "layout/stress_sgd.hpp"
#include "live/loop.hpp"
#include "progress/cancel.hpp"

namespace dunlin::layout {

/// The method stress uses all pairs up to this number of vertices: about 10 s on two cores, 5 GB of a GPU.
constexpr Index all_pairs_up_to(Device where) { return where == Device::cuda ? 50000 : 20000; }

/// Beyond, it uses pairs with this number of random pivots: about 1 GB. With 1,000 pivots stress is a few percent above
/// that of all pairs.
constexpr Index enough_pivots(Index n) { return std::clamp(100000000 / std::max(n, 1), 50, 1000); }

template <class Exec, class Level>
Termination majorize_stress(Exec& exec, const Level& level, const LayoutInput& task, const Options& options,
                            const Run& run, typename Exec::template Buffer<float>& map) {
    constexpr int steps_at_once = 5;
    device::Cpu cpu(run);
    const Index n = level.graph->size();
    progress::ProgressReporter reporter(run, "optimize", *options.iterations);
    const auto pivots = upload_pivots(exec, random_pivots(cpu, {task.graph, task.lengths}, enough_pivots(n), run.seed));
    typename Exec::template Buffer<std::uint8_t> pinned;
    exec.upload(pinned, task.pinned);
    checkpoint::CountedLoop loop("stress", *options.iterations, checkpoint::Remembered(exec, map));
    if (loop.had_ended()) return {loop.done(), loop.stopped()};
    const live::Loop live(n, options.dim);
    const auto positions = [&]() -> decltype(auto) { return exec.host(map); };
    for (int t = loop.done(); t < *options.iterations;) {
        const int steps = std::min(steps_at_once, *options.iterations - t);
        loop.keep();
        const bool done = progress::run_cancellable(
            run.stop, [&] { reduce_stress(exec, level, pivots, steps, options.dim, map, pinned.data()); });
        if (!done) return {t, loop.cancelled()};
        t += steps;
        reporter.tick(t, positions);
        live.show(t, positions);
        loop.finished(t);
    }
    return {*options.iterations, loop.ended(*options.iterations, Stopped::budget)};
}

/// Method stress for a connected graph, from a given start or from its outline (initial_layout.hpp), in the unit of the
/// lengths of edges. level: the graph of the task in the memory of exec; map: n x dim.
template <class Exec, class Level>
Termination place_by_stress(Exec& exec, const Level& level, const LayoutInput& task, const Options& options,
                            const Run& run, typename Exec::template Buffer<float>& map) {
    constexpr Device where = std::is_same_v<Exec, device::Cpu> ? Device::cpu : Device::cuda;
    Termination ending{0, Stopped::cancelled};
    progress::run_cancellable(run.stop, [&] {
        ending = level.graph->size() > all_pairs_up_to(where)
                     ? majorize_stress(exec, level, task, options, run, map)
                     : minimize_by_sgd(exec, level, task, *options.iterations, options.dim, run, map);
    });
    return ending;
}

/// Host memory of the method besides the graph, in bytes; 0 for other methods.
constexpr std::uint64_t bytes_of_stress(const Options& options, Index n, Device where) {
    if (options.method != Method::stress) return 0;
    const bool all_pairs = n <= all_pairs_up_to(where);
    if (all_pairs && where == Device::cuda) return 0;
    const Offset numbers = all_pairs ? Offset{n} * n / 2 : Offset{n} * (enough_pivots(n) + validation_pivots) * 2;
    return static_cast<std::uint64_t>(numbers) * sizeof(float);
}

}  // namespace dunlin::layout

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "graph/coarsen.hpp"
#include "layout/backend.hpp"
#include "layout/random_pivots.hpp"
#include "layout/sparse_stress.hpp"
#include "layout/stress_sgd.hpp"
#include "progress/cancel.hpp"
#include "run/buffer_map.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"

namespace dunlin::layout {

/// The method stress uses all pairs up to this number of vertices: about 10 s on two cores, 5 GB of a GPU.
constexpr Index all_pairs_up_to(Device where) { return where == Device::cuda ? 50000 : 20000; }

/// Beyond, it uses pairs with this number of random pivots: about 1 GB. With 1,000 pivots stress is a few percent above
/// that of all pairs.
constexpr Index enough_pivots(Index n) { return std::clamp(100000000 / std::max(n, 1), 50, 1000); }

template <class Exec, class Level>
run::Ending majorize_stress(Exec& exec, const Level& level, const LayoutInput& task, const Options& options,
                            const Run& run, typename Exec::template Buffer<float>& map) {
    constexpr int steps_at_once = 5;
    device::Cpu cpu(run);
    const Index n = level.graph->size();
    const auto pivots = upload_pivots(exec, random_pivots(cpu, {task.graph, task.lengths}, enough_pivots(n), run.seed));
    typename Exec::template Buffer<std::uint8_t> pinned;
    exec.upload(pinned, task.pinned);
    run::Kept state(checkpoint::Remembered(exec, map), run::Cancelled::changes_state);
    run::BufferMap moving(exec, map, n, options.dim);
    run::Loop loop(run, {"optimize", "stress", *options.iterations}, state, &moving);
    while (loop.next()) {
        loop.step([&](Offset t) {
            const int steps = std::min(steps_at_once, *options.iterations - static_cast<int>(t));
            reduce_stress(exec, level, pivots, steps, options.dim, map, pinned.data());
            loop.advances(steps);
        });
    }
    return loop.ending();
}

/// Method stress for a connected graph, from a given start or from its outline (initial_layout.hpp), in the unit of the
/// lengths of edges. level: the graph of the task in the memory of exec; map: n x dim.
template <class Exec, class Level>
run::Ending place_by_stress(Exec& exec, const Level& level, const LayoutInput& task, const Options& options,
                            const Run& run, typename Exec::template Buffer<float>& map) {
    constexpr Device where = std::is_same_v<Exec, device::Cpu> ? Device::cpu : Device::cuda;
    run::Ending ending{0, Stopped::cancelled};
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

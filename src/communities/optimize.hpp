// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "communities/hierarchy.hpp"
#include "communities/input.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::communities {

/// Quality as a share of all edges: the terms of a partition and the resolution of a pair of unit masses. NaN without
/// edges.
inline double quality_in(const Aim& aim, const Terms& terms, double resolution) {
    if (aim.total == 0) return std::numeric_limits<double>::quiet_NaN();
    const auto total = static_cast<double>(aim.total);
    return (static_cast<double>(terms.inside + 2 * aim.loops) - resolution * static_cast<double>(terms.squares)) /
           total;
}

/// Modularity at a resolution, whatever was maximized.
template <class Engine>
double modularity_in(Engine& engine, const typename Engine::Labels& labels, double resolution) {
    const Aim& aim = engine.aim();
    return quality_in(aim, engine.terms(labels, MassKind::degrees), resolution / static_cast<double>(aim.total));
}

/// What was maximized.
template <class Engine>
double maximized_in(Engine& engine, const typename Engine::Labels& labels, const Options& o) {
    if (o.quality == Quality::modularity) return modularity_in(engine, labels, o.resolution);
    return quality_in(engine.aim(), engine.terms(labels, MassKind::objective), o.resolution * engine.aim().units);
}

/// Puts a partition into a result.
template <class Engine>
void set_result(Engine& engine, Partition<typename Engine::Labels> best, Result& result) {
    result.quality = maximized_in(engine, best.labels, result.options);
    result.modularity = modularity_in(engine, best.labels, 1);
    for (auto& parts : best.levels) {
        engine.divide_along(best.labels, parts);
        engine.number_by_size(parts);
    }
    best.levels.push_back(std::move(best.labels));
    result.levels = engine.to_host(std::move(best.levels));
    result.labels = result.levels.back();
    const std::size_t count = result.levels.size();
    if (count > 1 && result.levels[count - 2] == result.labels) result.levels.pop_back();
    for (const Index label : result.labels) result.count = std::max(result.count, label + 1);
}

/// The iterations. `now`: the partition after the last complete one; is_complete: there was one.
template <class Engine>
void iterate(Engine& engine, std::vector<Index> from, const Run& run, Result& result,
             Partition<typename Engine::Labels>& now, bool& is_complete) {
    const Options& o = result.options;
    const int most = o.iterations < 0 ? std::numeric_limits<int>::max() : o.iterations;
    progress::ProgressReporter reporter(run, "optimize", std::max(0, o.iterations));
    Hierarchy<Engine> hierarchy(engine, o.method);
    now = hierarchy.connected(engine.from_host(std::move(from)));
    is_complete = most == 0;
    for (int iteration = 0; iteration < most; ++iteration) {
        const auto seed = math::random_bits(run.seed, static_cast<std::uint64_t>(iteration));
        auto next = hierarchy.improve(now.labels, seed);
        bool improved = next.quality > now.quality;
        if (!improved && o.iterations < 0) {
            // Classes that move at the same time may end where a single vertex still gains
            next = hierarchy.polish(now.labels, seed);
            improved = next.quality > now.quality;
            if (improved) next.levels = std::move(now.levels);
        }
        result.iterations = iteration + 1;
        if (improved) now = std::move(next);
        is_complete = true;
        reporter.announce(iteration + 1);
        if (improved) continue;
        result.stopped = Stopped::converged;
        break;
    }
}

/// Finds communities by Leiden's or Louvain's method from these. If stopped, the result is that of the last complete
/// iteration; before the end of the first one it has no labels.
template <class Engine>
void optimize(Engine& engine, std::vector<Index> from, const Run& run, Result& result) {
    Partition<typename Engine::Labels> now;
    bool is_complete = false;
    const bool ended =
        progress::run_cancellable(run.stop, [&] { iterate(engine, std::move(from), run, result, now, is_complete); });
    if (!ended) result.stopped = Stopped::cancelled;
    const progress::Uncancellable rest;
    if (is_complete && now.labels.size() > 0) set_result(engine, std::move(now), result);
}

}  // namespace dunlin::communities

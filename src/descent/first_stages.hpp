// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/descent.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/outcome.hpp>
#include <dunlin/sparse.hpp>

#include "descent/components.hpp"
#include "device/cpu.hpp"
#include "device/memory.hpp"
#include "initialization/initial_map.hpp"
#include "initialization/pca.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

/// The stages before a neighbor embedding's own: principal components, initial map, neighbors.
namespace dunlin::descent {

/// Options of these stages, resolved.
struct PointOptions {
    int dim = 2;
    Index pca = 0;  ///< components of the points, at most their columns
    Start start = Start::pca;
    double deviation = 1;  ///< of the initial map's first axis
    neighbors::Options search;
};

struct FirstStages {
    Map start;                ///< the given one, else computed; a random one if cancelled before
    neighbors::Result found;  ///< if the neighbors are not given; without a graph if cancelled
    Seconds seconds;
    bool cancelled = false;
    std::vector<float> components;  ///< what replaces the points, a row each; empty: nothing does

    [[nodiscard]] MatrixView<const float> components_view(Index n) const {
        return {components.data(), n, static_cast<Index>(components.size() / static_cast<std::size_t>(n))};
    }
};

/// Records the search method that ran; an exact one has no target recall.
template <class Options>
void record_search(Options& options, neighbors::Method ran) {
    options.search = ran;
    if (ran == neighbors::Method::exact) options.recall.reset();
}

/// Metrics of terms are searched on a CPU.
inline neighbors::Result neighbors_of(MatrixView<const float> points, const neighbors::Options& search, Run run) {
    if (row_of(search.metric).is_by_terms) run.device = Device::cpu;
    return neighbors::search(points, search, run);
}

/// A GPU is for the descent.
inline neighbors::Result neighbors_of(const SparseView& points, const neighbors::Options& search, Run run) {
    run.device = Device::cpu;
    return neighbors::search(points, search, run);
}

/// Dense or sparse points. `bytes`: peak memory of the stages after the search, of `method`.
template <class Points>
FirstStages first_stages(device::Cpu& cpu, const Points& points, const PointOptions& options, const Given& given,
                         const Run& run, std::uint64_t bytes, const char* method) {
    FirstStages stages;
    progress::Stopwatch watch;
    const auto random = [&] {
        return initialization::random_start(points.rows, options.dim, options.deviation, run.seed);
    };
    const auto compute = [&](const auto& from) {
        if (given.start == nullptr && options.start != Start::random) {
            progress::ProgressReporter reporter(run, "start", 1);
            const bool done = progress::run_cancellable(run.stop, [&] {
                stages.start = initialization::pca_start(cpu, from, options.dim, options.deviation, run.seed);
            });
            if (!done) stages.start = random();
        } else {
            stages.start = given.start != nullptr ? *given.start : random();
        }
        stages.seconds["start"] = watch.lap();
        if (given_graph(given) == nullptr) {
            device::require_memory(run, bytes, std::string(method) + " of this many points and neighbors");
            stages.found = neighbors_of(from, options.search, run);
            stages.cancelled = stages.found.graph.size() == 0;
        }
        stages.seconds["neighbors"] = watch.lap();
    };
    if (options.pca == points.cols) {
        compute(points);
        return stages;
    }
    const bool reduced = progress::run_cancellable(run.stop, [&] {
        progress::ProgressReporter reporter(run, "start", 1);
        stages.components = components_of(cpu, points, options.pca, options.search.metric);
    });
    if (reduced) {
        compute(stages.components_view(points.rows));
    } else {
        stages.start = given.start != nullptr ? *given.start : random();
        stages.cancelled = true;
    }
    return stages;
}

}  // namespace dunlin::descent

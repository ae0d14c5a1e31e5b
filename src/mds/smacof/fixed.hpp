// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "math/hd.hpp"
#include "math/rng.hpp"
#include "mds/backend.hpp"
#include "mds/input/distance.hpp"
#include "mds/sgd/anneal.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"
#include "run/buffer_map.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"
#include "stress/terms.hpp"

/// Places new points in an existing map, whose other points stay. Once for every executor; it must have what
/// minimize.hpp names, and each_slow (partners.hpp). Method dunlin: each free point takes annealed steps, each from 32
/// random pairs. smacof: some of these steps, then majorization over all pairs of free points.
namespace dunlin::mds {

constexpr int pairs_per_step = 32;

/// Majorization term of a pair of a free point (stress::strength) and its weight.
struct SampledTerm {
    Index other;
    float pull, weight;
};

/// Draws 32 random pairs of every free point.
template <class Between, class Weight>
struct SamplePairs {
    Between between;
    Weight weight;
    const Index* free;
    const float* y;
    int dim;
    Index n;
    std::uint64_t seed, turn;
    SampledTerm* seen;  ///< free x pairs_per_step

    DUNLIN_HD void operator()(Offset k) const {
        const Index i = free[k / pairs_per_step];
        const auto j = static_cast<Index>(
            math::random_below(static_cast<std::uint64_t>(n), seed, static_cast<std::uint64_t>(i),
                               turn * pairs_per_step + static_cast<std::uint64_t>(k % pairs_per_step)));
        const float delta = between(i, j);
        SampledTerm term{j, 0, 0};
        if (j != i && delta >= 0) {
            const float d2 = squared_distance(y + Offset{i} * dim, y + Offset{j} * dim, dim);
            term.weight = weight(i, j);
            term.pull = stress::strength(stress::inverse_distance(d2), delta, term.weight);
        }
        seen[k] = term;
    }
};

/// One coordinate: mu times the majorization step of a free point over its sampled pairs (Borg and Groenen 2005, ch.
/// 8).
struct StepTowardSample {
    const Index* free;
    const SampledTerm* seen;
    const float* y;
    int dim;
    float mu;
    float* next;  ///< free x dim

    DUNLIN_HD void operator()(Offset at) const {
        const Offset k = at / dim, c = at % dim;
        const float here = y[Offset{free[k]} * dim + c];
        double move = 0, weight_sum = 0;
        for (int sample = 0; sample < pairs_per_step; ++sample) {
            const SampledTerm term = seen[k * pairs_per_step + sample];
            weight_sum += static_cast<double>(term.weight);
            move += static_cast<double>(term.pull * (here - y[Offset{term.other} * dim + c]));
        }
        next[at] = here + (weight_sum > 0 ? mu * static_cast<float>(move / weight_sum) : 0.0F);
    }
};

struct CopyFree {
    const Index* free;
    const float* next;
    float* y;
    int dim;
    DUNLIN_HD void operator()(Offset at) const { y[Offset{free[at / dim]} * dim + at % dim] = next[at]; }
};

/// Step length 0 for fixed points.
struct ZeroStep {
    const Index* fixed;
    float* step;
    DUNLIN_HD void operator()(Offset k) const { step[fixed[k]] = 0; }
};

/// Fixed points and points to be placed, in one list.
struct FixedAndFree {
    std::vector<Index> items;  ///< the fixed ones first
    Index fixed, free;         ///< how many
};

/// A point is free if its coordinates are NaN.
FixedAndFree split_fixed(const Map& map);

template <class Exec, class Source>
run::Ending anneal_free(Exec& exec, const Source& source, Configuration<Exec>& configuration, const Subset& free,
                        const Annealing& annealing, const Options& o, const Run& run) {
    typename Exec::template Buffer<SampledTerm> seen;
    typename Exec::template Buffer<float> next;
    const Offset terms = Offset{free.count} * pairs_per_step, numbers = Offset{free.count} * configuration.dim;
    exec.resize(seen, static_cast<std::size_t>(terms));
    exec.resize(next, static_cast<std::size_t>(numbers));
    run::BufferMap map(exec, configuration.y, configuration.n, configuration.dim);
    run::Kept state(checkpoint::Remembered(exec, configuration.y));
    run::Loop loop(run, {"optimize", "annealing", annealing.steps}, state, &map);
    while (loop.next()) {
        loop.step([&](Offset t) {
            each_slow(
                exec, terms,
                SamplePairs{source.between(), weights_of(source), free.items, configuration.y.data(), configuration.dim,
                            configuration.n, run.seed + 1, static_cast<std::uint64_t>(t), seen.data()});
            exec.each(numbers, StepTowardSample{free.items, seen.data(), configuration.y.data(), configuration.dim,
                                                annealing.mu(static_cast<int>(t), o.step), next.data()});
            const progress::Uncancellable whole;
            exec.each(numbers, CopyFree{free.items, next.data(), configuration.y.data(), configuration.dim});
        });
    }
    return loop.ending();
}

/// Majorization of the free points. Their steps are 1.8 times those of a map in which all items move, 1 / (2 sum of
/// weights), because two free points of a pair both move.
template <class Exec, class Pulling>
run::Ending majorize_free(Exec& exec, Pulling items, Configuration<Exec>& configuration, const Subset& free,
                          const Index* order, Index fixed, const Options& o, const Run& run) {
    const bool even = items.weights == nullptr && items.source->complete();
    auto step = steps(exec, items, even ? 0.9 : 1.8);
    exec.each(fixed, ZeroStep{order, step.data()});
    items.moving = free;
    const MajorizationLimits limits{*o.iterations, *o.tolerance, total_of(exec, items, configuration), 1.8, o.step};
    return smacof(exec, items, configuration, step, limits, o, run);
}

template <class Exec, class Pulling>
run::Ending place_free(Exec& exec, const ScalingInput& task, const Pulling& items, Configuration<Exec>& configuration,
                       const FixedAndFree& parts) {
    const Options& o = task.options;
    const auto& source = *items.source;
    typename Exec::template Buffer<Index> order;
    exec.upload(order, std::span<const Index>(parts.items));
    const Subset free{order.data() + parts.fixed, parts.free};
    progress::ProgressReporter reporter(task.run, "start", 1);
    each_slow(exec, parts.free,
              PlaceNearNearest{source.between(), order.data(), parts.fixed, configuration.y.data(), configuration.dim,
                               task.run.seed, 1e-3});
    if (o.method == Method::dunlin)
        return anneal_free(exec, source, configuration, free, {*o.iterations, 1, 1e-3}, o, task.run);
    constexpr int first_steps = 60;
    const run::Ending first = anneal_free(exec, source, configuration, free, {first_steps, 1, 0.1}, o, task.run);
    if (first.stopped == Stopped::cancelled) return first;
    return majorize_free(exec, items, configuration, free, order.data(), parts.fixed, o, task.run);
}

template <class Exec, class Pulling>
ScalingOutput place_fixed(Exec& exec, const ScalingInput& task, const Pulling& items) {
    progress::Stopwatch watch;
    ScalingOutput result{*task.given.fixed, {0, Stopped::converged}, {}};
    const FixedAndFree parts = split_fixed(result.map);
    if (parts.free == 0) return result;
    auto configuration = configuration_at(exec, result.map);
    result.ending = place_free(exec, task, items, configuration, parts);
    const auto& y = exec.host(configuration.y);
    result.map.coordinates.assign(y.begin(), y.end());
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/cancel.hpp"
#include "device/stopwatch.hpp"
#include "math/hd.hpp"
#include "math/rng.hpp"
#include "mds/backend.hpp"
#include "mds/input/distance.hpp"
#include "mds/sgd/anneal.hpp"

/// New points in an existing map, whose others stay, once for every executor: it brings what minimize.hpp asks for,
/// and each_slow (partners.hpp). dunlin: each looks at 32 random others at a time, by steps that are annealed; smacof:
/// some of these steps, then majorization over all pairs that a free point is in.
namespace dunlin::mds {

constexpr int looks = 32;

/// What a free point sees of another: how it pulls, and how much that counts.
struct Glance {
    Index other;
    float pull, weight;
};

/// Every free point looks at some random others.
template <class Between, class Weight>
struct LookAround {
    Between between;
    Weight weight;
    const Index* free;
    const float* y;
    int dim;
    Index n;
    std::uint64_t seed, turn;
    Glance* seen;  ///< free x looks

    DUNLIN_HD void operator()(Offset k) const {
        const Index i = free[k / looks];
        const auto j =
            static_cast<Index>(math::random_below(static_cast<std::uint64_t>(n), seed, static_cast<std::uint64_t>(i),
                                                  turn * looks + static_cast<std::uint64_t>(k % looks)));
        const float delta = between(i, j);
        Glance glance{j, 0, 0};
        if (j != i && delta >= 0) {
            const float d = distance(y + Offset{i} * dim, y + Offset{j} * dim, dim);
            glance.weight = weight(i, j);
            if (d > 0) glance.pull = glance.weight * (delta / d - 1);
        }
        seen[k] = glance;
    }
};

/// A coordinate's way: mu of that to the bottom of a parabola that lies above a free point's stress with those it
/// looked at (Borg and Groenen 2005, ch. 8).
struct GoOn {
    const Index* free;
    const Glance* seen;
    const float* y;
    int dim;
    float mu;
    float* next;  ///< free x dim

    DUNLIN_HD void operator()(Offset at) const {
        const Offset k = at / dim, c = at % dim;
        const float here = y[Offset{free[k]} * dim + c];
        double move = 0, met = 0;
        for (int look = 0; look < looks; ++look) {
            const Glance glance = seen[k * looks + look];
            met += static_cast<double>(glance.weight);
            move += static_cast<double>(glance.pull * (here - y[Offset{glance.other} * dim + c]));
        }
        next[at] = here + (met > 0 ? mu * static_cast<float>(move / met) : 0.0F);
    }
};

struct PutFree {
    const Index* free;
    const float* next;
    float* y;
    int dim;
    DUNLIN_HD void operator()(Offset at) const { y[Offset{free[at / dim]} * dim + at % dim] = next[at]; }
};

/// These do not move.
struct Hold {
    const Index* fixed;
    float* step;
    DUNLIN_HD void operator()(Offset k) const { step[fixed[k]] = 0; }
};

/// Who stays and who is to be placed, in one list.
struct Split {
    std::vector<Index> items;  ///< the fixed ones first
    Index fixed, free;         ///< how many
};

/// Free points of a map are those without coordinates: NaN.
Split split(const Map& map);

template <class Exec, class Source>
Termination nudge(Exec& exec, const Source& source, Configuration<Exec>& configuration, const Subset& free,
                  const Annealing& annealing, const Run& run) {
    device::ProgressReporter reporter(run, "optimize", annealing.steps);
    typename Exec::template Buffer<Glance> seen;
    typename Exec::template Buffer<float> next;
    const Offset glances = Offset{free.count} * looks, numbers = Offset{free.count} * configuration.dim;
    exec.resize(seen, static_cast<std::size_t>(glances));
    exec.resize(next, static_cast<std::size_t>(numbers));
    for (int t = 0; t < annealing.steps; ++t) {
        const bool done = device::run_cancellable(run.stop, [&] {
            each_slow(
                exec, glances,
                LookAround{source.between(), weights_of(source), free.items, configuration.y.data(), configuration.dim,
                           configuration.n, run.seed + 1, static_cast<std::uint64_t>(t), seen.data()});
            exec.each(numbers, GoOn{free.items, seen.data(), configuration.y.data(), configuration.dim, annealing.mu(t),
                                    next.data()});
        });
        if (!done) return {t, Stopped::cancelled};
        exec.each(numbers, PutFree{free.items, next.data(), configuration.y.data(), configuration.dim});
        reporter.tick(t + 1, [&] { return exec.host(configuration.y); });
    }
    return {annealing.steps, Stopped::budget};
}

/// Free items may not move farther than if all others moved too, with steps 1.8 times as long.
template <class Exec, class Pulling>
Termination majorize_free(Exec& exec, Pulling items, Configuration<Exec>& configuration, const Subset& free,
                          const Index* order, Index fixed, const Options& o, const Run& run) {
    const bool even = items.weights == nullptr && items.source->complete();
    auto step = steps(exec, items, even ? 0.9 : 1.8);
    exec.each(fixed, Hold{order, step.data()});
    items.moving = free;
    const MajorizationLimits limits{*o.iterations, *o.tolerance, total_of(exec, items, configuration)};
    return smacof(exec, items, configuration, step, limits, run);
}

template <class Exec, class Pulling>
Termination place_free(Exec& exec, const ScalingInput& task, const Pulling& items, Configuration<Exec>& configuration,
                       const Split& parts) {
    const Options& o = task.options;
    const auto& source = *items.source;
    typename Exec::template Buffer<Index> order;
    exec.upload(order, std::span<const Index>(parts.items));
    const Subset free{order.data() + parts.fixed, parts.free};
    device::ProgressReporter reporter(task.run, "start", 1);
    each_slow(exec, parts.free,
              PlaceNearNearest{source.between(), order.data(), parts.fixed, configuration.y.data(), configuration.dim,
                               task.run.seed, 1e-3});
    if (o.method == Method::dunlin) return nudge(exec, source, configuration, free, {*o.iterations, 1, 1e-3}, task.run);
    constexpr int first_steps = 60;
    const Termination first = nudge(exec, source, configuration, free, {first_steps, 1, 0.1}, task.run);
    if (first.stopped == Stopped::cancelled) return first;
    return majorize_free(exec, items, configuration, free, order.data(), parts.fixed, o, task.run);
}

template <class Exec, class Pulling>
ScalingOutput place_fixed(Exec& exec, const ScalingInput& task, const Pulling& items) {
    device::Stopwatch watch;
    ScalingOutput result{*task.given.fixed, {0, Stopped::converged}, {}};
    const Split parts = split(result.map);
    if (parts.free == 0) return result;
    auto configuration = configuration_at(exec, result.map);
    result.ending = place_free(exec, task, items, configuration, parts);
    const auto& y = exec.host(configuration.y);
    result.map.coordinates.assign(y.begin(), y.end());
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numeric>
#include <optional>

#include "device/ranks.hpp"
#include "mds/align.hpp"
#include "mds/backend.hpp"
#include "mds/sgd/anneal.hpp"
#include "mds/start.hpp"
#include "mds/starts.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

/// The methods that minimize stress, dunlin and smacof, once for every executor: it brings its source, and its
/// overloads of sgd_epoch, pull_all, steps and stress_rows, and the words of spectral.hpp.
namespace dunlin::mds {

/// True if some dozens of passes over all pairs are affordable.
inline bool can_afford_all_pairs(const Dissimilarities& items) {
    constexpr double affordable = 5e8;
    const double cols = items.has_points() ? items.values().cols() : 1;
    return std::pow(static_cast<double>(items.size()), 2) * (4 + cols) <= affordable;
}

/// Limit of the iterations of majorization.
inline int most_majorizations(const Options& o) { return o.method == Method::dunlin ? 300 : *o.iterations; }

/// Parameters of a method's majorization. dunlin ends with one that takes longer steps.
template <class Exec>
struct MajorizationSettings {
    MajorizationLimits limits;
    Steps<Exec> step;
};
template <class Exec, class Pulling>
MajorizationSettings<Exec> majorization_settings(Exec& exec, const ScalingInput& task, const Pulling& items,
                                                 const Configuration<Exec>& like) {
    const Options& o = task.options;
    const double total = total_of(exec, items, like);
    const double relaxation = o.method == Method::dunlin ? 1.8 : 1;
    return {{most_majorizations(o), *o.tolerance, total, relaxation, o.step}, steps(exec, items, relaxation)};
}

template <class Exec, class Pulling>
run::Ending majorize(Exec& exec, const ScalingInput& task, const Pulling& items, Configuration<Exec>& configuration) {
    const auto [limits, step] = majorization_settings(exec, task, items, configuration);
    return smacof(exec, items, configuration, step, limits, task.options, task.run);
}

template <class Exec, class Pulling>
run::Ending run_dunlin(Exec& exec, const ScalingInput& task, const Pulling& items, Configuration<Exec>& configuration,
                       bool from_random) {
    run::Ending all;
    const auto then = [&](const run::Ending& next) { all = {all.iterations + next.iterations, next.stopped}; };
    if (from_random) then(coarse_to_fine(exec, *items.source, configuration, task.options, task.run));
    if (all.stopped != Stopped::cancelled)
        then(anneal_to_convergence(exec, *items.source, configuration, task.options, task.run));
    if (all.stopped != Stopped::cancelled && can_afford_all_pairs(task.items))
        then(majorize(exec, task, items, configuration));
    return all;
}

/// The reported stress: sum w (d - delta)^2 / sum w delta^2 over all pairs, or over validation pairs if all pairs are
/// not affordable.
template <class Exec, class Pulling>
double stress_at(Exec& exec, const ScalingInput& task, const Pulling& items, Configuration<Exec>& configuration) {
    if (!can_afford_all_pairs(task.items)) return validation_stress(exec, *items.source, configuration, task.run.seed);
    if (task.given.weights != nullptr) {
        const double total = total_of(exec, items, configuration);
        pull_all(exec, items, configuration);
        return total > 0 ? exec.read(configuration.stress) / total : 0;
    }
    std::vector<Index> rows(static_cast<std::size_t>(configuration.n));
    std::iota(rows.begin(), rows.end(), Index{0});
    StressSums all;
    for (const StressSums& row : stress_rows(exec, *items.source, configuration.y.data(), configuration.dim, rows))
        all += row;
    return all.delta2 > 0 ? all.error2 / all.delta2 : 0;
}

/// Origin of the first start.
inline Origin origin_of(const Dissimilarities& items, bool at_random) {
    if (at_random) return Origin::random;
    return has_cheap_axes(items) ? Origin::classical : Origin::pivot;
}

/// Anneals one of several starts. Up to 4,000 items the starts share the pairs of one annealing run. If majorization
/// follows, mu ends at 0.05 instead of 0.001.
template <class Exec, class Source>
run::Ending anneal_start(Exec& exec, const ScalingInput& task, const Source& source, Configuration<Exec>& configuration,
                         bool at_random, const Run& run) {
    const Options& o = task.options;
    if (configuration.n > few_items) {
        if (at_random) coarse_to_fine(exec, source, configuration, o, run);
        return anneal_to_convergence(exec, source, configuration, o, run);
    }
    constexpr int most = 2000;
    const int count = o.iterations.value_or(std::min(most, steps_within(1.3e8 / *o.starts, configuration.n)));
    const Annealing annealing{count, 1, can_afford_all_pairs(task.items) ? 0.05 : 1e-3};
    return anneal(exec, source, configuration, {nullptr, configuration.n},
                  cooled_for_weights(annealing, largest_weight(source)), 0, o, run);
}

/// Initializes all starts and, for dunlin, anneals them. After a cancellation, starts that have not begun are dropped,
/// except the first, which is then random.
template <class Exec, class Pulling>
std::vector<Attempt<Exec>> begin_starts(Exec& exec, const ScalingInput& task, const Pulling& items) {
    const Options& o = task.options;
    std::vector<Attempt<Exec>> all(static_cast<std::size_t>(*o.starts));
    StartsProgress starts_progress(task.run, *o.starts);
    each_start(exec, *o.starts, [&](auto& own, Offset k) {
        Attempt<Exec>& one = all[static_cast<std::size_t>(k)];
        one.number = static_cast<int>(k);
        const Run run = starts_progress.of(k);
        one.configuration = empty_configuration(own, task.items.size(), o.dim);
        bool at_random = true;
        const bool begun = progress::run_cancellable(run.stop, [&] {
            if (k == 0)
                at_random = initialize(own, task.items, *items.source, one.configuration, o.start, run.seed);
            else
                place_at_random(own, *items.source, one.configuration, run.seed);
            device::broadcast(own, one.configuration.y.data(), one.configuration.y.size());
        });
        one.dropped = k > 0 && !begun;
        if (one.dropped) return;
        if (!begun) place_at_random(own, *items.source, one.configuration, run.seed);
        one.from = origin_of(task.items, at_random || !begun);
        run::Ending ending{0, begun ? Stopped::budget : Stopped::cancelled};
        if (begun && o.method == Method::dunlin) {
            ending.stopped = Stopped::cancelled;
            progress::run_cancellable(
                run.stop, [&] { ending = anneal_start(own, task, *items.source, one.configuration, at_random, run); });
            one.annealed = ending.iterations;
        }
        if (ending.stopped == Stopped::cancelled) one.descent.ended = ending.stopped;
        starts_progress.finish_start();
    });
    return all;
}

/// Runs all starts to their ends.
template <class Exec, class Pulling>
std::vector<Attempt<Exec>> minimize_from_starts(Exec& exec, const ScalingInput& task, const Pulling& items) {
    checkpoint::Sequence starts("starts");
    const auto no_more = [](auto&, std::size_t) {};
    std::vector<Attempt<Exec>> all;
    int done = 0;
    const bool resumed = starts.resume([&](auto& archive) {
        done = read_attempts(archive, exec, static_cast<std::size_t>(*task.options.starts), task.items.size(),
                             task.options.dim, most_majorizations(task.options), all, no_more);
    });
    if (!resumed) all = begin_starts(exec, task, items);
    if (!resumed && !task.run.stop.stop_requested())
        starts.commit(0, [&](auto& archive) { write_attempts(archive, exec, all, 0, no_more); });
    if (task.options.method == Method::dunlin && !can_afford_all_pairs(task.items)) {
        for (auto& one : all) one.descent.ended = one.descent.ended.value_or(Stopped::budget);
        return all;
    }
    std::optional<MajorizationSettings<Exec>> how;
    if (!progress::run_cancellable(
            task.run.stop, [&] { how.emplace(majorization_settings(exec, task, items, all.front().configuration)); })) {
        for (auto& one : all) one.descent.ended = Stopped::cancelled;
        return all;
    }
    const auto go = [&](auto& own, Attempt<Exec>& one, int until) {
        descend(own, items, one.configuration, how->step, how->limits, until, one.descent, [](const Descent&) {});
    };
    descend_in_rounds(exec, all, how->limits, task.run, go, starts, done, no_more);
    return all;
}

/// A map whose stress the result must not exceed.
struct UpperBound {
    Map map;
    Origin from;
};

/// The bounds of a run: the given start, and classical scaling if all pairs are known and affordable.
template <class Exec, class Source>
std::vector<UpperBound> bounds_of(Exec& exec, const ScalingInput& task, const Source& source, bool affordable) {
    std::vector<UpperBound> bounds;
    if (task.given.start != nullptr) bounds.push_back({*task.given.start, Origin::given});
    if (task.bounded && affordable && source.complete() && source.size() > 1) {
        auto configuration = empty_configuration(exec, source.size(), task.options.dim);
        configuration.y = classical(exec, task.items, source, task.options.dim);
        bounds.push_back({aligned(exec, std::move(configuration)), Origin::classical});
    }
    return bounds;
}

/// Returns a bound whose stress is negligible in float32, if any: no start can end below it.
template <class StressOf>
bool take_if_zero(const std::vector<UpperBound>& bounds, const StressOf& stress_of, double negligible, int starts,
                  ScalingOutput& placed) {
    for (const UpperBound& bound : bounds) {
        if (!(stress_of(bound.map) <= negligible)) continue;
        placed.map = bound.map;
        placed.ending.stopped = Stopped::converged;
        placed.starts = {starts, starts, bound.from};
        return true;
    }
    return false;
}

/// Ensures that the result has no more stress than any bound: descends from a better bound, and takes the bound itself
/// if rounding leaves that descent above it. stress_of(map); descend_from(configuration) returns its run::Ending. After
/// a cancellation the map stays the last one placed.
template <class Exec, class StressOf, class DescendFrom>
void enforce_bounds(Exec& exec, const ScalingInput& task, std::vector<UpperBound> bounds, const StressOf& stress_of,
                    const DescendFrom& descend_from, ScalingOutput& placed) {
    const bool done = progress::run_cancellable(task.run.stop, [&] {
        double stress = stress_of(placed.map);
        for (UpperBound& bound : bounds) {
            const double least = stress_of(bound.map);
            if (!(least < stress)) continue;
            auto configuration = configuration_at(exec, bound.map);
            placed.ending = descend_from(configuration);
            placed.map = task.given.start != nullptr ? Map{configuration.dim, exec.host(configuration.y)}
                                                     : aligned(exec, std::move(configuration));
            placed.starts.won = placed.starts.tried;
            placed.starts.from = bound.from;
            stress = stress_of(placed.map);
            if (!(stress <= least)) {
                placed.map = std::move(bound.map);
                stress = least;
            }
        }
    });
    if (!done) placed.ending.stopped = Stopped::cancelled;
}

template <class Exec, class Pulling>
ScalingOutput minimize(Exec& exec, const ScalingInput& task, const Pulling& items) {
    const Options& o = task.options;
    const bool given = task.given.start != nullptr;
    progress::Stopwatch watch;
    ScalingOutput result;
    result.starts.tried = *o.starts;
    std::vector<UpperBound> bounds;
    const auto stress_of_shape = [&](Configuration<Exec>& configuration) {
        return stress_at(exec, task, items, configuration);
    };
    const auto stress_of = [&](const Map& map) {
        auto configuration = configuration_at(exec, map);
        return stress_of_shape(configuration);
    };
    bool is_zero = false;
    progress::run_cancellable(task.run.stop, [&] {
        progress::ProgressReporter reporter(task.run, "start", 1);
        bounds = bounds_of(exec, task, *items.source, can_afford_all_pairs(task.items));
        is_zero = *o.starts > 1 && take_if_zero(bounds, stress_of, least_stress, *o.starts, result);
    });
    if (is_zero) return result;
    if (*o.starts > 1) {
        auto all = minimize_from_starts(exec, task, items);
        auto& best = best_attempt(all, stress_of_shape);
        result.ending = {best.annealed + best.descent.iterations, best.descent.ended.value_or(Stopped::cancelled)};
        result.starts = {*o.starts, best.number, best.from};
        result.map = aligned(exec, std::move(best.configuration));
    } else {
        auto configuration =
            given ? configuration_at(exec, *task.given.start) : empty_configuration(exec, task.items.size(), o.dim);
        bool at_random = false;
        const bool begun = progress::run_cancellable(task.run.stop, [&] {
            progress::ProgressReporter reporter(task.run, "start", 1);
            at_random = !given && initialize(exec, task.items, *items.source, configuration, o.start, task.run.seed);
            device::broadcast(exec, configuration.y.data(), configuration.y.size());
        });
        result.seconds["start"] = watch.lap();
        result.ending = {0, Stopped::cancelled};
        progress::run_cancellable(task.run.stop, [&] {
            result.ending = o.method == Method::smacof ? majorize(exec, task, items, configuration)
                                                       : run_dunlin(exec, task, items, configuration, at_random);
        });
        if (!begun && !given) place_at_random(exec, *items.source, configuration, task.run.seed);
        result.starts.from = given ? Origin::given : origin_of(task.items, at_random || !begun);
        result.map =
            given ? Map{configuration.dim, exec.host(configuration.y)} : aligned(exec, std::move(configuration));
    }
    const bool is_changed = device::Rank::current() == nullptr && live::is_changed_by_acts(task.items.size());
    if (result.ending.stopped != Stopped::cancelled && !is_changed) {
        const auto descend_from = [&](Configuration<Exec>& configuration) {
            return majorize(exec, task, items, configuration);
        };
        enforce_bounds(exec, task, std::move(bounds), stress_of, descend_from, result);
    }
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numeric>
#include <optional>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "device/stopwatch.hpp"
#include "mds/align.hpp"
#include "mds/backend.hpp"
#include "mds/sgd/anneal.hpp"
#include "mds/start.hpp"
#include "mds/starts.hpp"

/// The methods that minimize stress, dunlin and smacof, once for every executor: it brings its source, and its
/// overloads of sgd_epoch, pull_all, steps and stress_rows, and the words of spectral.hpp.
namespace dunlin::mds {

/// Is a look at all pairs, some dozens of times, worth while?
inline bool affords_all_pairs(const Dissimilarities& items) {
    constexpr double affordable = 5e8;
    const double cols = items.has_points() ? items.values().cols() : 1;
    return std::pow(static_cast<double>(items.size()), 2) * (4 + cols) <= affordable;
}

/// How a method majorizes: dunlin, at its end, with longer steps.
template <class Exec>
struct Majorizing {
    Patience patience;
    Steps<Exec> step;
};
template <class Exec, class Pulling>
Majorizing<Exec> majorizing(Exec& exec, const Task& task, const Pulling& items, const Shape<Exec>& like) {
    const Options& o = task.options;
    const double total = total_of(exec, items, like);
    if (o.method == Method::dunlin) return {{300, *o.tolerance, total}, steps(exec, items, 1.8)};
    return {{*o.iterations, *o.tolerance, total}, steps(exec, items, 1)};
}

template <class Exec, class Pulling>
Ending majorize(Exec& exec, const Task& task, const Pulling& items, Shape<Exec>& shape) {
    const auto [patience, step] = majorizing(exec, task, items, shape);
    return smacof(exec, items, shape, step, patience, task.run);
}

template <class Exec, class Pulling>
Ending run_dunlin(Exec& exec, const Task& task, const Pulling& items, Shape<Exec>& shape, bool from_nowhere) {
    Ending all;
    const auto then = [&](const Ending& next) { all = {all.iterations + next.iterations, next.stopped}; };
    if (from_nowhere) then(coarse_to_fine(exec, *items.source, shape, task.run));
    if (all.stopped != Stopped::cancelled)
        then(anneal_to_convergence(exec, *items.source, shape, task.options.iterations, task.run));
    if (all.stopped != Stopped::cancelled && affords_all_pairs(task.items)) then(majorize(exec, task, items, shape));
    return all;
}

/// What is minimized, as it is reported: sum w (d - delta)^2 / sum w delta^2 over all pairs; over held-out ones where
/// all cannot be afforded.
template <class Exec, class Pulling>
double stress_at(Exec& exec, const Task& task, const Pulling& items, Shape<Exec>& shape) {
    if (!affords_all_pairs(task.items)) return held_out_stress(exec, *items.source, shape, task.run.seed);
    if (task.given.weights != nullptr) {
        const double total = total_of(exec, items, shape);
        pull_all(exec, items, shape);
        return total > 0 ? exec.read(shape.stress) / total : 0;
    }
    std::vector<Index> rows(static_cast<std::size_t>(shape.n));
    std::iota(rows.begin(), rows.end(), Index{0});
    StressSums all;
    for (const StressSums& row : stress_rows(exec, *items.source, shape.y.data(), shape.dim, rows)) all += row;
    return all.delta2 > 0 ? all.error2 / all.delta2 : 0;
}

/// Where the first start begins.
inline Origin origin_of(const Dissimilarities& items, bool at_random) {
    if (at_random) return Origin::random;
    return has_cheap_axes(items) ? Origin::classical : Origin::pivot;
}

/// A start among several: up to 4,000 items share the pairs of one annealing. Majorization, where it follows, needs no
/// slow end.
template <class Exec, class Source>
Ending anneal_one_of(Exec& exec, const Task& task, const Source& source, Shape<Exec>& shape, bool at_random,
                     const Run& run) {
    const Options& o = task.options;
    if (shape.n > few_items) {
        if (at_random) coarse_to_fine(exec, source, shape, run);
        return anneal_to_convergence(exec, source, shape, o.iterations, run);
    }
    constexpr int most = 2000;
    const int count = o.iterations.value_or(std::min(most, steps_within(1.3e8 / *o.starts, shape.n)));
    const Annealing annealing{count, 1, affords_all_pairs(task.items) ? 0.05 : 1e-3};
    return anneal(exec, source, shape, {nullptr, shape.n}, cooled_for_weights(annealing, largest_weight(source)), 0,
                  run);
}

/// The starts themselves, and dunlin's annealing of each. Cancelled, those that were not begun are given up; the first
/// is then random.
template <class Exec, class Pulling>
std::vector<Attempt<Exec>> begin_all(Exec& exec, const Task& task, const Pulling& items) {
    const Options& o = task.options;
    std::vector<Attempt<Exec>> all(static_cast<std::size_t>(*o.starts));
    Together together(task.run, *o.starts);
    each_start(exec, *o.starts, [&](auto& own, Offset k) {
        Attempt<Exec>& one = all[static_cast<std::size_t>(k)];
        one.number = static_cast<int>(k);
        const Run run = together.of(k);
        one.shape = empty_shape(own, task.items.size(), o.dim);
        bool at_random = true;
        const bool begun = device::run_cancellable(run.stop, [&] {
            if (k == 0)
                at_random = begin(own, task.items, *items.source, one.shape, o.start, run.seed);
            else
                scatter(own, *items.source, one.shape, run.seed);
        });
        one.given_up = k > 0 && !begun;
        if (one.given_up) return;
        if (!begun) scatter(own, *items.source, one.shape, run.seed);
        one.from = origin_of(task.items, at_random || !begun);
        Ending ending{0, begun ? Stopped::budget : Stopped::cancelled};
        if (begun && o.method == Method::dunlin) {
            ending.stopped = Stopped::cancelled;
            device::run_cancellable(
                run.stop, [&] { ending = anneal_one_of(own, task, *items.source, one.shape, at_random, run); });
            one.annealed = ending.iterations;
        }
        if (ending.stopped == Stopped::cancelled) one.descent.ended = ending.stopped;
        together.ended();
    });
    return all;
}

/// All starts taken to their ends.
template <class Exec, class Pulling>
std::vector<Attempt<Exec>> minimize_all(Exec& exec, const Task& task, const Pulling& items) {
    std::vector<Attempt<Exec>> all = begin_all(exec, task, items);
    if (task.options.method == Method::dunlin && !affords_all_pairs(task.items)) {
        for (auto& one : all) one.descent.ended = one.descent.ended.value_or(Stopped::budget);
        return all;
    }
    std::optional<Majorizing<Exec>> how;
    if (!device::run_cancellable(task.run.stop,
                                 [&] { how.emplace(majorizing(exec, task, items, all.front().shape)); })) {
        for (auto& one : all) one.descent.ended = Stopped::cancelled;
        return all;
    }
    race(exec, all, how->patience, task.run, [&](auto& own, Attempt<Exec>& one, int until) {
        descend(own, items, one.shape, how->step, how->patience, until, one.descent, [](const Descent&) {});
    });
    return all;
}

/// A map that another one must not be worse than.
struct Bound {
    Map map;
    Origin from;
};

/// The start that is given, and classical scaling as it is reported, where all pairs are known and can be afforded.
template <class Exec, class Source>
std::vector<Bound> bounds_of(Exec& exec, const Task& task, const Source& source, bool affordable) {
    std::vector<Bound> bounds;
    if (task.given.start != nullptr) bounds.push_back({*task.given.start, Origin::given});
    if (task.bounded && affordable && source.complete() && source.size() > 1) {
        auto shape = empty_shape(exec, source.size(), task.options.dim);
        shape.y = classical(exec, task.items, source, task.options.dim);
        bounds.push_back({aligned(exec, std::move(shape)), Origin::classical});
    }
    return bounds;
}

/// Takes a bound without stress, for float32: no start can end below it.
template <class StressOf>
bool take_if_zero(const std::vector<Bound>& bounds, const StressOf& stress_of, double negligible, int starts,
                  Placed& placed) {
    for (const Bound& bound : bounds) {
        if (!(stress_of(bound.map) <= negligible)) continue;
        placed.map = bound.map;
        placed.ending.stopped = Stopped::converged;
        placed.starts = {starts, starts, bound.from};
        return true;
    }
    return false;
}

/// The end of a run with less stress than each bound: from a bound that is below it, another descent is begun, and
/// where rounding leaves that above the bound, the bound is taken. stress_of(map); descend_from(shape): Ending.
/// Cancelled, the map is the last one that was placed.
template <class Exec, class StressOf, class DescendFrom>
void keep_within(Exec& exec, const Task& task, std::vector<Bound> bounds, const StressOf& stress_of,
                 const DescendFrom& descend_from, Placed& placed) {
    const bool done = device::run_cancellable(task.run.stop, [&] {
        double stress = stress_of(placed.map);
        for (Bound& bound : bounds) {
            const double least = stress_of(bound.map);
            if (!(least < stress)) continue;
            auto shape = shape_at(exec, bound.map);
            placed.ending = descend_from(shape);
            placed.map =
                task.given.start != nullptr ? Map{shape.dim, exec.host(shape.y)} : aligned(exec, std::move(shape));
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
Placed minimize(Exec& exec, const Task& task, const Pulling& items) {
    const Options& o = task.options;
    const bool given = task.given.start != nullptr;
    device::Stopwatch watch;
    Placed result;
    result.starts.tried = *o.starts;
    std::vector<Bound> bounds;
    const auto stress_of_shape = [&](Shape<Exec>& shape) { return stress_at(exec, task, items, shape); };
    const auto stress_of = [&](const Map& map) {
        auto shape = shape_at(exec, map);
        return stress_of_shape(shape);
    };
    bool is_zero = false;
    device::run_cancellable(task.run.stop, [&] {
        device::ProgressReporter reporter(task.run, "start", 1);
        bounds = bounds_of(exec, task, *items.source, affords_all_pairs(task.items));
        is_zero = *o.starts > 1 && take_if_zero(bounds, stress_of, least_stress, *o.starts, result);
    });
    if (is_zero) return result;
    if (*o.starts > 1) {
        auto all = minimize_all(exec, task, items);
        auto& best = best_of(all, stress_of_shape);
        result.ending = {best.annealed + best.descent.iterations, best.descent.ended.value_or(Stopped::cancelled)};
        result.starts = {*o.starts, best.number, best.from};
        result.map = aligned(exec, std::move(best.shape));
    } else {
        auto shape = given ? shape_at(exec, *task.given.start) : empty_shape(exec, task.items.size(), o.dim);
        bool at_random = false;
        const bool begun = device::run_cancellable(task.run.stop, [&] {
            device::ProgressReporter reporter(task.run, "start", 1);
            at_random = !given && begin(exec, task.items, *items.source, shape, o.start, task.run.seed);
        });
        result.seconds["start"] = watch.lap();
        result.ending = {0, Stopped::cancelled};
        device::run_cancellable(task.run.stop, [&] {
            result.ending = o.method == Method::smacof ? majorize(exec, task, items, shape)
                                                       : run_dunlin(exec, task, items, shape, at_random);
        });
        if (!begun && !given) scatter(exec, *items.source, shape, task.run.seed);
        result.starts.from = given ? Origin::given : origin_of(task.items, at_random || !begun);
        result.map = given ? Map{shape.dim, exec.host(shape.y)} : aligned(exec, std::move(shape));
    }
    if (result.ending.stopped != Stopped::cancelled) {
        const auto descend_from = [&](Shape<Exec>& shape) { return majorize(exec, task, items, shape); };
        keep_within(exec, task, std::move(bounds), stress_of, descend_from, result);
    }
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds

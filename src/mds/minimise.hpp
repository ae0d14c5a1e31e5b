#pragma once

#include <cmath>

#include "device/stopwatch.hpp"
#include "mds/align.hpp"
#include "mds/anneal.hpp"
#include "mds/backend.hpp"
#include "mds/start.hpp"

/// The methods that minimise stress, dunlin and smacof, once for every executor: it brings its source, and its
/// overloads of relax_all, pull_all, steps and stress_rows, and the words of spectral.hpp.
namespace dunlin::mds {

/// Is a look at all pairs, some dozens of times, worth while?
inline bool affords_all_pairs(const Dissimilarities& items) {
    constexpr double affordable = 5e8;
    const double cols = items.has_points() ? items.values().cols() : 1;
    return std::pow(static_cast<double>(items.size()), 2) * (4 + cols) <= affordable;
}

template <class Exec, class Pulling>
Ending run_dunlin(Exec& exec, const Task& task, const Pulling& items, Shape<Exec>& shape, bool from_nowhere) {
    const Options& o = task.options;
    Ending all;
    const auto then = [&](const Ending& next) { all = {all.iterations + next.iterations, next.stopped}; };
    if (from_nowhere) then(grow(exec, *items.source, shape, task.run));
    if (all.stopped != Stopped::cancelled) then(settle(exec, *items.source, shape, o.iterations, task.run));
    if (all.stopped != Stopped::cancelled && affords_all_pairs(task.items)) {
        const Patience patience{300, *o.tolerance, total_of(exec, items, shape)};
        then(smacof(exec, items, shape, steps(exec, items, 1.8), patience, task.run));
    }
    return all;
}

template <class Exec, class Pulling>
Ending run_smacof(Exec& exec, const Task& task, const Pulling& items, Shape<Exec>& shape) {
    const Patience patience{*task.options.iterations, *task.options.tolerance, total_of(exec, items, shape)};
    return smacof(exec, items, shape, steps(exec, items, 1), patience, task.run);
}

template <class Exec, class Pulling>
Placed minimise(Exec& exec, const Task& task, const Pulling& items) {
    const Options& o = task.options;
    const bool given = task.given.start != nullptr;
    device::Stopwatch watch;
    Placed result;
    auto shape = given ? shape_at(exec, *task.given.start) : empty_shape(exec, task.items.size(), o.dim);
    const bool at_random = !given && begin(exec, task.items, *items.source, shape, o.start, task.run.seed);
    result.seconds.start = watch.lap();
    result.ending = o.method == Method::smacof ? run_smacof(exec, task, items, shape)
                                               : run_dunlin(exec, task, items, shape, at_random);
    result.map = given ? Map{shape.dim, exec.host(shape.y)} : aligned(exec, std::move(shape));
    result.seconds.optimise = watch.lap();
    return result;
}

}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "mds/backend.hpp"
#include "mds/smacof/disparities.hpp"
#include "mds/smacof/minimize.hpp"
#include "mds/start.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "progress/stopwatch.hpp"

namespace dunlin::mds {

/// The metric problem: the dissimilarities, or for ordinal their ranks.
template <class Exec>
Dissimilarities metric_items(Exec& exec, Disparities<Exec>& disparities, const ScalingInput& task) {
    Run unlimited = task.run;  // this memory was checked before
    unlimited.memory = 0;
    return Dissimilarities::of_matrix(disparities.matrix(exec), unlimited);
}

/// Stress-1 of the optimal disparities at this configuration.
template <class Exec>
double stress1_at(Exec& exec, Disparities<Exec>& disparities, const Configuration<Exec>& configuration) {
    disparities.fit(exec, configuration.y.data(), configuration.dim);
    return disparities.stress1(exec);
}

/// Appends the starts of the non-metric runs: the first start of the metric problem and, with several starts, up to
/// three distinct local minima of the metric problem with the least stress-1. After a cancellation `all` has the starts
/// found so far.
template <class Exec, class Pulling>
void add_metric_starts(Exec& exec, Disparities<Exec>& disparities, const ScalingInput& task, Pulling items,
                       std::vector<Attempt<Exec>>& all) {
    constexpr std::size_t few = 3;
    constexpr double same = 1e-6;
    const Options& o = task.options;
    const Dissimilarities known = metric_items(exec, disparities, task);
    const std::remove_cvref_t<decltype(*items.source)> source(exec, known);
    items.source = &source;
    Attempt<Exec> first;
    first.configuration = empty_configuration(exec, known.size(), o.dim);
    first.from = origin_of(known, initialize(exec, known, source, first.configuration, o.start, task.run.seed));
    all.push_back(std::move(first));
    if (*o.starts == 1) return;

    const Options metric{.dim = o.dim,
                         .method = Method::smacof,
                         .start = o.start,
                         .starts = o.starts,
                         .iterations = std::min(300, *o.iterations),
                         .tolerance = 1e-4,
                         .step = o.step};
    const Given given{.weights = task.given.weights};
    auto ends = minimize_from_starts(exec, ScalingInput{known, metric, given, task.run}, items);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < ends.size(); ++k) {
        if (!ends[k].dropped) order.emplace_back(stress1_at(exec, disparities, ends[k].configuration), k);
    }
    std::sort(order.begin(), order.end());
    double last = -1;
    for (const auto& [stress, k] : order) {
        if (all.size() > few) break;
        if (stress - last <= same * stress) continue;
        last = stress;
        ends[k].descent = {};
        ends[k].previous_stress = std::numeric_limits<double>::infinity();
        all.push_back(std::move(ends[k]));
    }
}

/// Kruskal's stress-1 of a map with the optimal transform.
template <class Exec, class Pulling>
double stress1_after(Exec& exec, const Pulling& items, const Map& map, Transform transform) {
    Disparities<Exec> disparities(exec, *items.source, pair_weights(items), transform);
    return stress1_at(exec, disparities, configuration_at(exec, map));
}

/// SMACOF with disparities (Borg and Groenen 2005, ch. 9); a template over the executor, which provides what
/// minimize.hpp and disparities.hpp need. The result depends on the dissimilarities only through what the transform
/// keeps (for ordinal, their order), unless classical scaling of the dissimilarities has less stress than every run.
template <class Exec, class Pulling>
ScalingOutput place_transformed(Exec& exec, const ScalingInput& task, const Pulling& items) {
    const Options& o = task.options;
    const bool given = task.given.start != nullptr;
    progress::Stopwatch watch;
    ScalingOutput result;
    std::vector<UpperBound> bounds;
    const auto stress_of_map = [&](const Map& map) { return stress1_after(exec, items, map, o.transform); };
    bool is_zero = false;
    progress::run_cancellable(task.run.stop, [&] {
        progress::ProgressReporter reporter(task.run, "start", 1);
        bounds = bounds_of(exec, task, *items.source, true);
        is_zero = *o.starts > 1 && take_if_zero(bounds, stress_of_map, std::sqrt(least_stress), *o.starts, result);
    });
    if (is_zero) return result;
    std::optional<Disparities<Exec>> sorted;
    std::vector<Attempt<Exec>> all;
    if (given) {
        all.resize(1);
        all[0].configuration = configuration_at(exec, *task.given.start);
        all[0].from = Origin::given;
    }
    Steps<Exec> step;
    const bool begun = progress::run_cancellable(task.run.stop, [&] {
        progress::ProgressReporter reporter(task.run, "start", 1);
        sorted.emplace(exec, *items.source, pair_weights(items), o.transform);
        if (!given) add_metric_starts(exec, *sorted, task, items, all);
        step = steps(exec, items, 1);
    });
    if (all.empty()) {
        all.resize(1);
        all[0].configuration = empty_configuration(exec, task.items.size(), o.dim);
        place_at_random(exec, *items.source, all[0].configuration, task.run.seed);
    }
    result.seconds["start"] = watch.lap();
    const auto map_of = [&](Attempt<Exec>& one) {
        return given ? Map{one.configuration.dim, exec.host(one.configuration.y)}
                     : aligned(exec, std::move(one.configuration));
    };
    if (!begun) {  // perhaps without disparities
        result.ending = {0, Stopped::cancelled};
        result.starts = {*o.starts, all[0].number, all[0].from};
        result.map = map_of(all[0]);
        return result;
    }
    Disparities<Exec>& disparities = *sorted;
    const MajorizationLimits limits{*o.iterations, *o.tolerance, disparities.total_weight(), 1, o.step};
    const auto descend_from = [&](Configuration<Exec>& configuration) {
        return smacof(exec, Transformed<Exec>{&disparities}, configuration, step, limits, o, task.run);
    };
    if (all.size() == 1) {
        result.ending = descend_from(all[0].configuration);
        all[0].descent = {result.ending.iterations, 0, result.ending.stopped};
    } else {
        std::vector<std::unique_ptr<Disparities<Exec>>> own_disparities(all.size());
        const auto disparities_of = [&](auto& own, std::size_t k) -> Disparities<Exec>& {
            auto& mine = own_disparities[k];
            if (mine == nullptr)
                mine = std::make_unique<Disparities<Exec>>(own, *items.source, pair_weights(items), o.transform);
            return *mine;
        };
        const auto go = [&](auto& own, Attempt<Exec>& one, int until) {
            Disparities<Exec>& mine = disparities_of(own, static_cast<std::size_t>(&one - all.data()));
            descend(own, Transformed<Exec>{&mine}, one.configuration, step, limits, until, one.descent,
                    [](const Descent&) {});
        };
        checkpoint::Sequence rounds("rounds");
        const auto more = [&](auto& archive, std::size_t k) {
            if constexpr (!std::is_same_v<Exec, device::Cpu>) disparities_of(exec, k).history(exec, archive);
        };
        int finished = 0;
        rounds.resume([&](auto& archive) {
            const std::size_t count = all.size();
            finished = read_attempts(archive, exec, count, task.items.size(), o.dim, *o.iterations, all, more);
        });
        descend_in_rounds(exec, all, limits, task.run, go, rounds, finished, more);
    }
    auto& best = best_attempt(
        all, [&](const Configuration<Exec>& configuration) { return stress1_at(exec, disparities, configuration); });
    result.ending = {best.descent.iterations, best.descent.ended.value_or(Stopped::cancelled)};
    result.starts = {*o.starts, best.number, best.from};
    result.map = map_of(best);
    if (result.ending.stopped != Stopped::cancelled) {
        const auto stress_of = [&](const Map& map) {
            return stress1_at(exec, disparities, configuration_at(exec, map));
        };
        enforce_bounds(exec, task, std::move(bounds), stress_of, descend_from, result);
    }
    result.seconds["optimize"] = watch.lap();
    return result;
}

}  // namespace dunlin::mds

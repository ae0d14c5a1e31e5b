// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <dunlin/mds.hpp>

#include "mds/input/validation_pairs.hpp"
#include "mds/sgd/epoch.hpp"
#include "mds/smacof/smacof.hpp"
#include "run/buffer_map.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"

/// Dunlin's own method: SGD over pairs with a decreasing learning rate mu (Zheng, Pawar and Goodman 2018), in groups of
/// 32 items that are drawn anew in each step; from a random start, coarse to fine.
namespace dunlin::mds {

/// Learning-rate schedule: mu falls geometrically from `first` to `last` in `steps` steps.
struct Annealing {
    int steps;
    double first, last;

    /// factor: of the rate, which is at most 1.
    [[nodiscard]] float mu(int step, double factor = 1) const {
        const double share = steps > 1 ? static_cast<double>(step) / (steps - 1) : 1.0;
        return static_cast<float>(std::min(1.0, factor * (first * std::pow(last / first, share))));
    }
};

/// Runs the schedule on these items. stream: distinguishes the shuffles of different calls.
template <class Exec, class Source>
run::Ending anneal(Exec& exec, const Source& source, Configuration<Exec>& configuration, const Subset& some,
                   const Annealing& annealing, std::uint64_t stream, const Options& o, const Run& run) {
    run::SteeredBufferMap map(exec, configuration.y, some.count, configuration.dim, o);
    run::Kept state(checkpoint::Remembered(exec, configuration.y), run::Cancelled::changes_state);
    run::Loop loop(run, {"optimize", "annealing", annealing.steps}, state, &map);
    while (loop.next()) {
        loop.step([&](Offset t) {
            const auto shuffle =
                math::Permutation::of(some.count, run.seed, (stream << 32) + static_cast<std::uint64_t>(t));
            sgd_epoch(exec, source, configuration, some, shuffle,
                      annealing.mu(static_cast<int>(t), map.options().step));
        });
    }
    return loop.ending();
}

/// Number of steps for a budget of pairs; a step takes 12 pairs per item.
inline int steps_within(double pairs, Index n) {
    constexpr double pairs_of_item = 12;
    return static_cast<int>(std::clamp(pairs / (pairs_of_item * std::max(n, 1)), 60.0, 16000.0));
}

/// The schedule with a lower end, so that pairs of the largest weight end as slowly as all do without weights.
inline Annealing cooled_for_weights(Annealing annealing, float largest_weight) {
    annealing.last /= std::max(1.0, static_cast<double>(largest_weight));
    return annealing;
}

/// Schedule of a single annealing. A start at mu = 1 escapes from a bad arrangement, but converges only if mu falls
/// slowly, so short schedules start lower.
inline Annealing once(int steps) { return steps >= 500 ? Annealing{steps, 1, 1e-3} : Annealing{steps, 0.3, 3e-3}; }

constexpr Index few_items = 4000;

/// A round of annealing; last: no further round is worth its time.
struct Round {
    int steps;
    bool last;
};

/// The round after one whose stress is lower by a fraction `gained` than that of the one before it, of half as many
/// steps. The excess of stress over its limit is about inversely proportional to the number of steps (docs/lab/mds.md),
/// so as much is left as was gained. The next round is to bring it to 0.75%; it has no steps if the excess is less
/// already. This is extrapolated to at most 1.5 times the steps; otherwise the steps are doubled and the gain is
/// measured again.
inline Round round_after(const Round& round, double gained) {
    constexpr double worth_a_round = 0.0075, trusted = 1.5;
    if (round.last || gained <= worth_a_round) return {0, true};
    const double longer = gained / worth_a_round;
    if (longer >= trusted) return {2 * round.steps, false};
    return {static_cast<int>(std::ceil(round.steps * longer)), true};
}

/// Anneals all items. Up to few_items: once, within 130 million pairs. More items: in rounds, mu from 0.3 to 0.003, the
/// first of 20 million pairs, until the stress of held-out pairs stops improving or is zero. If o.iterations are
/// given: once.
template <class Exec, class Source>
run::Ending anneal_to_convergence(Exec& exec, const Source& source, Configuration<Exec>& configuration,
                                  const Options& o, const Run& run) {
    constexpr int most_rounds = 8;
    std::optional<int> steps = o.iterations;
    const Subset all{nullptr, configuration.n};
    if (!steps && configuration.n <= few_items) steps = steps_within(1.3e8, configuration.n);
    if (steps)
        return anneal(exec, source, configuration, all, cooled_for_weights(once(*steps), largest_weight(source)), 0, o,
                      run);
    run::Ending ending{0, Stopped::budget};
    Round round{steps_within(2e7, configuration.n), false};
    double before = std::numeric_limits<double>::infinity();
    for (int r = 0; r < most_rounds; ++r) {
        const auto stream = std::uint64_t{0x10000} * static_cast<std::uint64_t>(r);
        const Annealing annealing = cooled_for_weights({round.steps, 0.3, 3e-3}, largest_weight(source));
        const run::Ending next = anneal(exec, source, configuration, all, annealing, stream, o, run);
        ending = {ending.iterations + next.iterations, next.stopped};
        if (next.stopped == Stopped::cancelled) break;
        const double stress = validation_stress(exec, source, configuration, run.seed);
        ending.stopped = Stopped::converged;
        if (stress <= least_stress) break;
        round = round_after(round, before / stress - 1);
        if (round.steps == 0) break;
        ending.stopped = Stopped::budget;
        before = stress;
    }
    return ending;
}

/// Coarse-to-fine start (Morrison, Ross and Chalmers 2003): a thousand random items first, then eight times as many on
/// each level; a new item begins at a near item that is placed already. Each level is annealed briefly; the caller
/// continues on the last one.
template <class Exec, class Source>
run::Ending coarse_to_fine(Exec& exec, const Source& source, Configuration<Exec>& configuration, const Options& o,
                           const Run& run) {
    constexpr Index coarsest = 1000, factor = 8;
    std::vector<Index> sizes{configuration.n};
    while (sizes.back() > coarsest) sizes.push_back(sizes.back() / factor);
    typename Exec::template Buffer<Index> order;
    exec.resize(order, static_cast<std::size_t>(configuration.n));
    exec.each(configuration.n,
              WriteShuffle{math::Permutation::of(configuration.n, run.seed, ~std::uint64_t{0}), order.data()});
    run::Ending all;
    for (std::size_t level = sizes.size(); level-- > 0;) {
        const Index size = sizes[level];
        const bool first = level + 1 == sizes.size();
        if (!first) {
            const Index placed = sizes[level + 1];
            exec.each(size - placed, PlaceNearNearest{source.between(), order.data(), placed, configuration.y.data(),
                                                      configuration.dim, run.seed + level});
        }
        const Annealing annealing = first ? Annealing{2000, 1, 0.05} : Annealing{30, 0.5, 0.1};
        const run::Ending ending =
            anneal(exec, source, configuration, Subset{order.data(), size}, annealing, level + 1, o, run);
        all = {all.iterations + ending.iterations, ending.stopped};
        if (ending.stopped == Stopped::cancelled) break;
    }
    return all;
}

}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include <dunlin/mds.hpp>

#include "mds/input/validation_pairs.hpp"
#include "mds/sgd/relax.hpp"
#include "mds/smacof/smacof.hpp"

/// Dunlin's own method: moves of pairs whose length is annealed (Zheng, Pawar and Goodman 2018), in
/// groups of 32 that are shuffled anew for each step; from a random start, coarse to fine.
namespace dunlin::mds {

/// mu falls from `first` to `last`, by the same factor in each of `steps`.
struct Annealing {
    int steps;
    double first, last;

    [[nodiscard]] float mu(int step) const {
        const double share = steps > 1 ? static_cast<double>(step) / (steps - 1) : 1.0;
        return static_cast<float>(first * std::pow(last / first, share));
    }
};

/// Steps of all of these items. stream: keeps the shuffles of different calls apart.
template <class Exec, class Source>
Termination anneal(Exec& exec, const Source& source, Configuration<Exec>& configuration, const Subset& some,
                   const Annealing& annealing, std::uint64_t stream, const Run& run) {
    device::ProgressReporter reporter(run, "optimize", annealing.steps);
    for (int t = 0; t < annealing.steps; ++t) {
        const auto shuffle =
            math::Permutation::of(some.count, run.seed, (stream << 32) + static_cast<std::uint64_t>(t));
        const bool done = device::run_cancellable(
            run.stop, [&] { relax_all(exec, source, configuration, some, shuffle, annealing.mu(t)); });
        if (!done) return {t, Stopped::cancelled};
        reporter.tick(t + 1, [&] { return exec.host(configuration.y); });
    }
    return {annealing.steps, Stopped::budget};
}

/// As many steps as so many pairs allow, of which a step moves 12 an item.
inline int steps_within(double pairs, Index n) {
    constexpr double pairs_of_item = 12;
    return static_cast<int>(std::clamp(pairs / (pairs_of_item * std::max(n, 1)), 60.0, 16000.0));
}

/// The same, until the pairs that weigh most move as little in the end as all do without weights.
inline Annealing slower(Annealing annealing, float largest_weight) {
    annealing.last /= std::max(1.0, static_cast<double>(largest_weight));
    return annealing;
}

/// One annealing. Moves as long as the whole error (mu of 1) find the way out of a bad arrangement, but nothing comes
/// to rest after them unless it cools slowly.
inline Annealing once(int steps) { return steps >= 500 ? Annealing{steps, 1, 1e-3} : Annealing{steps, 0.3, 3e-3}; }

constexpr Index few_items = 4000;

/// A round of annealing; last: what it leaves is not worth another one.
struct Round {
    int steps;
    bool last;
};

/// The round after one that ended, by a share `gained`, below the one before it, half as long. What stress is above its
/// limit after a round is about inversely as the round is long (docs/mds.md), so that as much is left as was gained: it
/// is brought to 0.75%. No steps: it is less already. That is trusted for half as many steps again; else they are
/// doubled, and gains looked at anew.
inline Round round_after(const Round& round, double gained) {
    constexpr double worth_a_round = 0.0075, trusted = 1.5;
    if (round.last || gained <= worth_a_round) return {0, true};
    const double longer = gained / worth_a_round;
    if (longer >= trusted) return {2 * round.steps, false};
    return {static_cast<int>(std::ceil(round.steps * longer)), true};
}

/// Anneals all items. Few: once and slowly, within 130 million pairs. Many: in rounds from 0.3 to 0.003, the first of
/// 20 million pairs, until held-out pairs tell that no more is to be gained, or that stress is zero. Or once, if
/// `steps` are given.
template <class Exec, class Source>
Termination settle(Exec& exec, const Source& source, Configuration<Exec>& configuration, std::optional<int> steps,
                   const Run& run) {
    constexpr int most_rounds = 8;
    const Subset all{nullptr, configuration.n};
    if (!steps && configuration.n <= few_items) steps = steps_within(1.3e8, configuration.n);
    if (steps) return anneal(exec, source, configuration, all, slower(once(*steps), largest_weight(source)), 0, run);
    Termination ending{0, Stopped::budget};
    Round round{steps_within(2e7, configuration.n), false};
    double before = std::numeric_limits<double>::infinity();
    for (int r = 0; r < most_rounds; ++r) {
        const auto stream = std::uint64_t{0x10000} * static_cast<std::uint64_t>(r);
        const Annealing annealing = slower({round.steps, 0.3, 3e-3}, largest_weight(source));
        const Termination next = anneal(exec, source, configuration, all, annealing, stream, run);
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

/// From no start: a thousand random items first, then eight times as many at a time, each new one beside a near one
/// that is placed already. The last level is left to the caller, its items placed.
template <class Exec, class Source>
Termination grow(Exec& exec, const Source& source, Configuration<Exec>& configuration, const Run& run) {
    constexpr Index coarsest = 1000, factor = 8;
    std::vector<Index> sizes{configuration.n};
    while (sizes.back() > coarsest) sizes.push_back(sizes.back() / factor);
    typename Exec::template Buffer<Index> order;
    exec.resize(order, static_cast<std::size_t>(configuration.n));
    exec.each(configuration.n,
              WriteShuffle{math::Permutation::of(configuration.n, run.seed, ~std::uint64_t{0}), order.data()});
    Termination all;
    for (std::size_t level = sizes.size(); level-- > 0;) {
        const Index size = sizes[level];
        const bool first = level + 1 == sizes.size();
        if (!first) {
            const Index placed = sizes[level + 1];
            exec.each(size - placed, PlaceNearNearest{source.between(), order.data(), placed, configuration.y.data(),
                                                      configuration.dim, run.seed + level});
        }
        const Annealing annealing = first ? Annealing{2000, 1, 0.05} : Annealing{30, 0.5, 0.1};
        const Termination ending =
            anneal(exec, source, configuration, Subset{order.data(), size}, annealing, level + 1, run);
        all = {all.iterations + ending.iterations, ending.stopped};
        if (ending.stopped == Stopped::cancelled) break;
    }
    return all;
}

}  // namespace dunlin::mds

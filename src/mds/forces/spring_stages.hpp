// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <dunlin/mds.hpp>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "mds/forces/stopping_rule.hpp"
#include "mds/forces/subset.hpp"
#include "mds/forces/spring_model.hpp"
#include "mds/order.hpp"
#include "mds/smacof/smacof.hpp"

/// Scaling by forces among a few partners an item, once for every executor: an executor brings measure() of its items'
/// dissimilarities, and reverse_of() where forces are symmetric.
namespace dunlin::mds {

/// Items on their way, in the order in which they were drawn.
template <class Exec>
struct SpringState {
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;
    template <class T>
    using Cell = typename Exec::template Cell<T>;

    Index n = 0;
    int dim = 2, near = 4, slots = 8;
    float fastest = 0;  ///< along an axis
    std::vector<Index> order;
    Buffer<Index> item, partner, shuffle;
    Buffer<float> delta, y, velocity, force;
    Buffer<double> heard;
    Buffer<Offset> reverse_begin, reverse_slot;
    Cell<Share> share;
    Cell<int> turn;  ///< iterations so far
    int turns = 0;   ///< the same, known to the host

    [[nodiscard]] SpringView bonds() {
        return {item.data(), partner.data(), delta.data(), y.data(), velocity.data(), force.data(), dim, near, slots};
    }
};

/// The coordinates of `from` at order[k] become those at k, or back.
inline std::vector<float> permuted(const std::vector<float>& from, const std::vector<Index>& order, int dim,
                                   bool back) {
    std::vector<float> to(from.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const auto there = static_cast<std::size_t>(order[k]) * static_cast<std::size_t>(dim),
                   here = k * static_cast<std::size_t>(dim);
        std::copy_n(from.data() + (back ? here : there), dim, to.data() + (back ? there : here));
    }
    return to;
}

/// The released program lets velocities grow to 2 where places begin in a square of side 1: here, in one as wide as
/// the map that is given.
inline float max_velocity_of(const Map& map) {
    constexpr double side_of_deviation = 3.4641016151377544;  // sqrt(12)
    double squares = 0;
    for (const float y : map.coordinates) squares += static_cast<double>(y) * static_cast<double>(y);
    const double deviation = std::sqrt(squares / std::max<double>(1, static_cast<double>(map.coordinates.size())));
    return static_cast<float>(2 * side_of_deviation * deviation);
}

template <class Exec>
SpringState<Exec> springs_at(Exec& exec, const Map& map, std::vector<Index> order, int near, int random) {
    SpringState<Exec> springs;
    springs.n = map.size();
    springs.dim = map.dim;
    springs.near = near;
    springs.slots = near + random;
    springs.fastest = max_velocity_of(map);
    const auto slots = static_cast<std::size_t>(Offset{springs.n} * springs.slots);
    exec.upload(springs.item, std::span<const Index>(order));
    exec.upload(springs.y, std::span<const float>(permuted(map.coordinates, order, map.dim, false)));
    exec.fill(springs.velocity, map.coordinates.size(), 0.0F);
    exec.fill(springs.force, map.coordinates.size(), 0.0F);
    exec.fill(springs.partner, slots, Index{-1});
    exec.fill(springs.delta, slots, std::numeric_limits<float>::infinity());
    exec.set(springs.turn, 0);
    exec.set(springs.share, Share{});
    springs.order = std::move(order);
    return springs;
}

template <class Exec>
std::vector<float> positions_of(Exec& exec, SpringState<Exec>& springs) {
    const auto& y = exec.host(springs.y);
    return permuted({y.begin(), y.end()}, springs.order, springs.dim, true);
}

/// Items [first, size) move; all partners are among items [0, from).
struct Stage {
    Index first, size, from;
    double share;  ///< of the highest speed: it ends when speeds fall no faster (Signal)
};

/// How long a stage may take, and how its forces act.
struct StageOptions {
    Until until;
    int iterations;  ///< count: as many; else at most
    bool symmetric;
};

template <class Exec, class Items>
void iterate(Exec& exec, const Items& items, SpringState<Exec>& springs, const Stage& stage, const StageOptions& pace, int begin) {
    const SpringView bonds = springs.bonds();
    const Offset moving = stage.size - stage.first;
    exec.each(moving, DrawPartners{bonds, springs.shuffle.data(), exec.address(springs.turn), stage.first, stage.from});
    measure(exec, items, bonds, stage.first, stage.size);
    exec.each(moving, UpdateNearSet{bonds, stage.first});
    const ReversePartners reverse = pace.symmetric ? reverse_of(exec, springs, stage.size) : ReversePartners{};
    exec.each(moving, SumSpringForces{bonds, reverse, stage.first});
    exec.each(moving, IntegrateMotion{bonds, springs.fastest, stage.first});
    if (pace.until == Until::stress) {
        exec.sum(moving, SparseStress{bonds, stage.first}, springs.share);
    } else {
        exec.sum(moving, Speed{bonds, stage.first}, springs.share);
    }
    exec.each(1, RecordStatistic{exec.address(springs.share), springs.heard.data(), exec.address(springs.turn), begin});
}

/// Everything at rest, a new shuffle.
template <class Exec>
void begin_stage(Exec& exec, SpringState<Exec>& springs, const Stage& stage, const StageOptions& pace, std::uint64_t seed) {
    const auto shuffle = math::Permutation::of(stage.from, seed, static_cast<std::uint64_t>(springs.turns));
    exec.resize(springs.shuffle, static_cast<std::size_t>(stage.from));
    exec.each(stage.from, WriteShuffle{shuffle, springs.shuffle.data()});
    exec.fill(springs.velocity, static_cast<std::size_t>(Offset{springs.n} * springs.dim), 0.0F);
    exec.fill(springs.heard, static_cast<std::size_t>(pace.iterations), 0.0);
    exec.forget();
}

/// One stage. What was heard is looked at every eight iterations, in which nothing is waited for. Iterations with
/// symmetric forces are not recorded: finding out whose partner an item is takes memory anew each time.
template <class Exec, class Items>
Termination run_stage(Exec& exec, const Items& items, SpringState<Exec>& springs, const Stage& stage, const StageOptions& pace,
            const Run& run) {
    constexpr int listen_every = 8;
    if (stage.first >= stage.size || stage.from < 1) return {0, Stopped::converged};
    begin_stage(exec, springs, stage, pace, run.seed);
    device::ProgressReporter reporter(run, "optimize", pace.iterations);
    FilteredStoppingRule signal(pace.until);
    const int begin = springs.turns;
    for (int t = 0; t < pace.iterations; ++t) {
        const auto once = [&] { iterate(exec, items, springs, stage, pace, begin); };
        const bool done = device::run_cancellable(run.stop, [&] { pace.symmetric ? once() : exec.replay(once); });
        if (!done) return {t, Stopped::cancelled};
        ++springs.turns;
        reporter.tick(t + 1, [&] { return positions_of(exec, springs); });
        if (pace.until == Until::count || (t + 1) % listen_every != 0) continue;
        const auto& heard = exec.host(springs.heard);
        for (int k = t + 1 - listen_every; k <= t; ++k) {
            signal.hear(heard[static_cast<std::size_t>(k)]);
            if (signal.settled(stage.share)) return {t + 1, Stopped::converged};
        }
    }
    return {pace.iterations, pace.until == Until::count ? Stopped::converged : Stopped::budget};
}

/// Glimmer: nested random subsets, each a `decimation`-th of the next, the first of less than a thousand items. New
/// items move among those that are placed already, then all together.
template <class Exec, class Items>
Termination glimmer(Exec& exec, const Items& items, SpringState<Exec>& springs, int decimation, const StageOptions& pace,
               const Run& run) {
    constexpr Index smallest = 1000;
    constexpr double share = 1.0 / 32, last_share = 1.0 / 1000;
    std::vector<Index> sizes{springs.n};
    while (sizes.back() >= smallest) sizes.push_back(sizes.back() / decimation);
    Termination all{0, Stopped::converged};
    const auto then = [&](const Stage& stage) {
        if (all.stopped == Stopped::cancelled) return;
        const Termination ending = run_stage(exec, items, springs, stage, pace, run);
        all.iterations += ending.iterations;
        if (ending.stopped != Stopped::converged) all.stopped = ending.stopped;
    };
    for (std::size_t level = sizes.size(); level-- > 0;) {
        const Index size = sizes[level];
        if (level + 1 < sizes.size()) then({sizes[level + 1], size, sizes[level + 1], share});
        then({0, size, size, level == 0 ? last_share : share});
    }
    return all;
}

}  // namespace dunlin::mds

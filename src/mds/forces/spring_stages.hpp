// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <dunlin/mds.hpp>

#include "mds/forces/spring_model.hpp"
#include "mds/forces/stopping_rule.hpp"
#include "mds/forces/subset.hpp"
#include "mds/order.hpp"
#include "mds/smacof/smacof.hpp"
#include "progress/cancel.hpp"
#include "run/buffer_map.hpp"
#include "run/kept.hpp"
#include "run/loop.hpp"

/// Stages of force-directed scaling; a template over the executor, which provides measure() (dissimilarities of
/// partners) and, for symmetric forces, reverse_of().
namespace dunlin::mds {

/// State of all items, in a random order.
template <class Exec>
struct SpringState {
    template <class T>
    using Buffer = typename Exec::template Buffer<T>;
    template <class T>
    using Cell = typename Exec::template Cell<T>;

    Index n = 0;
    int dim = 2, near = 4, slots = 8;
    float max_velocity = 0;  ///< limit along each axis
    std::vector<Index> order;
    Buffer<Index> item, partner, shuffle;
    Buffer<float> delta, y, velocity, force;
    Buffer<double> speeds, stresses;  ///< of the iterations of a stage
    Buffer<Offset> reverse_begin, reverse_slot;
    Cell<Statistic> statistic;
    Cell<int> iteration;  ///< iterations so far, on the device
    int iterations = 0;   ///< the same on the host

    [[nodiscard]] SpringView view() {
        return {item.data(), partner.data(), delta.data(), y.data(), velocity.data(), force.data(), dim, near, slots};
    }
};

/// Permutes rows: to[k] = from[order[k]], or with `back` to[order[k]] = from[k].
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

/// Glimmer's released program limits velocities to 2 for a start in a unit square; here the limit scales with the
/// standard deviation of the start map.
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
    springs.max_velocity = max_velocity_of(map);
    const auto slots = static_cast<std::size_t>(Offset{springs.n} * springs.slots);
    exec.upload(springs.item, std::span<const Index>(order));
    exec.upload(springs.y, std::span<const float>(permuted(map.coordinates, order, map.dim, false)));
    exec.fill(springs.velocity, map.coordinates.size(), 0.0F);
    exec.fill(springs.force, map.coordinates.size(), 0.0F);
    exec.fill(springs.partner, slots, Index{-1});
    exec.fill(springs.delta, slots, std::numeric_limits<float>::infinity());
    exec.set(springs.iteration, 0);
    exec.set(springs.statistic, Statistic{});
    springs.order = std::move(order);
    return springs;
}

template <class Exec>
std::vector<float> positions_of(Exec& exec, SpringState<Exec>& springs) {
    const auto& y = exec.host(springs.y);
    return permuted({y.begin(), y.end()}, springs.order, springs.dim, true);
}

/// Items [first, size) move; their partners are among items [0, from).
struct SpringStage {
    Index first, size, from;
    double fraction;  ///< of the highest speed, for FilteredStoppingRule::is_met
};

/// Iteration limit and force symmetry of a stage.
struct StageOptions {
    Until until;
    int iterations;  ///< number of iterations for Until::count, else the limit
    bool symmetric;
};

template <class Exec, class Items>
void iterate(Exec& exec, const Items& items, SpringState<Exec>& springs, const SpringStage& stage,
             const StageOptions& options, int begin, double step) {
    const SpringView view = springs.view();
    const Offset moving = stage.size - stage.first;
    exec.each(moving,
              DrawPartners{view, springs.shuffle.data(), exec.address(springs.iteration), stage.first, stage.from});
    measure(exec, items, view, stage.first, stage.size);
    exec.each(moving, UpdateNearSet{view, stage.first});
    const ReversePartners reverse = options.symmetric ? reverse_of(exec, springs, stage.size) : ReversePartners{};
    exec.each(moving, SumSpringForces{view, reverse, stage.first});
    exec.each(moving,
              IntegrateMotion{view, springs.max_velocity, stage.first, static_cast<float>(step) * spring::time});
    const int* iteration = exec.address(springs.iteration);
    const int interval = options.until == Until::stress ? 1 : stress_interval;
    exec.sum(moving, Observe{view, stage.first, iteration, begin, interval}, springs.statistic);
    exec.each(1, RecordStatistic{exec.address(springs.statistic), springs.speeds.data(), springs.stresses.data(),
                                 exec.address(springs.iteration), begin});
}

/// Resets velocities and draws a new shuffle.
template <class Exec>
void begin_stage(Exec& exec, SpringState<Exec>& springs, const SpringStage& stage, const StageOptions& options,
                 std::uint64_t seed) {
    const auto shuffle = math::Permutation::of(stage.from, seed, static_cast<std::uint64_t>(springs.iterations));
    exec.resize(springs.shuffle, static_cast<std::size_t>(stage.from));
    exec.each(stage.from, WriteShuffle{shuffle, springs.shuffle.data()});
    exec.fill(springs.velocity, static_cast<std::size_t>(Offset{springs.n} * springs.dim), 0.0F);
    exec.fill(springs.speeds, static_cast<std::size_t>(options.iterations), 0.0);
    exec.fill(springs.stresses, static_cast<std::size_t>(options.iterations), 0.0);
    exec.forget();
}

/// A stage as its watchers see it: iterations are counted through all stages.
template <class Exec>
class MovingSprings : public run::SteeredBufferMap<Exec, Options> {
public:
    MovingSprings(Exec& exec, SpringState<Exec>& springs, const SpringStage& stage, const Options& o)
        : run::SteeredBufferMap<Exec, Options>(
              exec, springs.y, stage.size, springs.dim, o,
              stage.size == springs.n ? std::span<const Index>(springs.order) : std::span<const Index>{}),
          springs_(springs),
          begin_(springs.iterations) {}

    [[nodiscard]] std::vector<float> positions() override { return positions_of(this->exec_, springs_); }
    bool show(live::Watcher& watcher, Offset iteration, bool now) override {
        return run::MovingMap::show(watcher, begin_ + iteration, now);
    }
    /// The stage goes on at rest.
    Offset begin_again(Offset t) override {
        this->exec_.fill(springs_.velocity, static_cast<std::size_t>(Offset{springs_.n} * springs_.dim), 0.0F);
        return t;
    }

private:
    SpringState<Exec>& springs_;
    int begin_;
};

/// Runs one stage. The series is read every eight iterations, so that the other iterations do not wait for the device.
/// Iterations with symmetric forces are not recorded as a CUDA graph, because reverse_of allocates memory.
template <class Exec, class Items>
run::Ending run_stage(Exec& exec, const Items& items, SpringState<Exec>& springs, const SpringStage& stage,
                      const StageOptions& options, const Options& o, const Run& run) {
    constexpr int check_interval = 8;
    if (stage.first >= stage.size || stage.from < 1) return {0, Stopped::converged};
    begin_stage(exec, springs, stage, options, run.seed);
    FilteredStoppingRule rule(options.until);
    ShrinkingSteps steps(stress_interval);
    const int begin = springs.iterations;
    const auto is_partner = [&](Index p) { return p >= -1 && p < stage.from; };
    const auto is_delta = [](float delta) { return delta >= 0; };
    const auto is_iteration = [&](int t) { return t >= begin && t - begin <= options.iterations; };
    run::Kept state(checkpoint::Remembered(exec, springs.y, springs.velocity, springs.force,
                                           checkpoint::Checked{springs.partner, is_partner},
                                           checkpoint::Checked{springs.delta, is_delta}, springs.speeds,
                                           springs.stresses, checkpoint::Checked{springs.iteration, is_iteration}),
                    run::Cancelled::changes_state);
    MovingSprings map(exec, springs, stage, o);
    const Stopped at_limit = options.until == Until::count ? Stopped::converged : Stopped::budget;
    run::Loop loop(run, {"optimize", "springs", options.iterations, at_limit}, state, &map);
    springs.iterations = begin + static_cast<int>(loop.iteration());
    if (loop.is_kept()) loop.require(exec.read(springs.iteration) == springs.iterations, "iteration");
    const auto add_to_rule = [&](int from, int to) {
        const auto& followed = exec.host(options.until == Until::stress ? springs.stresses : springs.speeds);
        const auto& stresses = exec.host(springs.stresses);
        for (int k = from; k < to; ++k) {
            rule.add(followed[static_cast<std::size_t>(k)]);
            if (rule.is_met(stage.fraction)) return true;
            if (options.until == Until::velocity) steps.add(stresses[static_cast<std::size_t>(k)]);
        }
        return false;
    };
    if (!loop.is_over() && options.until != Until::count)
        add_to_rule(0, static_cast<int>(loop.iteration()) / check_interval * check_interval);
    while (loop.next()) {
        loop.step([&](Offset at) {
            const auto once = [&] {
                iterate(exec, items, springs, stage, options, begin, map.options().step * steps.share());
            };
            options.symmetric ? once() : exec.replay(once);
            const progress::Uncancellable whole;
            const int done = static_cast<int>(at) + 1;
            ++springs.iterations;
            const bool is_checked = options.until != Until::count && done % check_interval == 0;
            const double share = steps.share();
            if (is_checked && add_to_rule(done - check_interval, done)) return loop.settled_after();
            if (steps.share() != share) exec.forget();
        });
    }
    return loop.ending();
}

/// Glimmer: nested random subsets, each 1 / decimation of the next, the smallest below 1,000 items. On each level new
/// items move among the placed ones, then all move together.
template <class Exec, class Items>
run::Ending glimmer(Exec& exec, const Items& items, SpringState<Exec>& springs, const StageOptions& options,
                    const Options& o, const Run& run) {
    constexpr Index smallest = 1000;
    constexpr double fraction = 1.0 / 32, last_fraction = 1.0 / 1000;
    std::vector<Index> sizes{springs.n};
    while (sizes.back() >= smallest) sizes.push_back(sizes.back() / *o.decimation);
    run::Ending all{0, Stopped::converged};
    const auto then = [&](const SpringStage& stage) {
        if (all.stopped == Stopped::cancelled) return;
        const run::Ending ending = run_stage(exec, items, springs, stage, options, o, run);
        all.iterations += ending.iterations;
        if (ending.stopped != Stopped::converged) all.stopped = ending.stopped;
    };
    for (std::size_t level = sizes.size(); level-- > 0;) {
        const Index size = sizes[level];
        if (level + 1 < sizes.size()) then({sizes[level + 1], size, sizes[level + 1], fraction});
        then({0, size, size, level == 0 ? last_fraction : fraction});
    }
    return all;
}

}  // namespace dunlin::mds

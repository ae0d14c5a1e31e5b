// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "math/rng.hpp"
#include "mds/backend.hpp"
#include "mds/start.hpp"

/// Several starts, of which the best end is taken. On a CPU they run at the same time, one thread each, in rounds:
/// which of them are given up is decided between rounds, so that it does not depend on the number of threads.
namespace dunlin::mds {

/// Calls body(exec, k) for k in [0, count), one after another. What is cancelled in a body ends there.
template <class Exec, class Body>
void each_start(Exec& exec, Offset count, const Body& body) {
    for (Offset k = 0; k < count; ++k) body(exec, k);
}

/// The same on a CPU: several at a time, each with one thread; a single one has all threads.
template <class Body>
void each_start(device::Cpu& cpu, Offset count, const Body& body) {
    if (count == 1) return body(cpu, 0);
    const device::Uncancellable whole;  // each start ends by itself
    cpu.blocks(count, 1, [&](Offset k, Offset, int) {
        device::Cpu own(1);
        body(own, k);
    });
}

/// Progress of several starts as that of one stage. Only what happens on the caller's thread is passed on.
class StartsProgress {
public:
    StartsProgress(const Run& run, int starts) : run_(run), starts_(starts) {}

    /// The run of the k-th start. Must not outlive this.
    [[nodiscard]] Run of(Offset k) {
        Run own = run_;
        if (k > 0) own.seed = math::random_bits(run_.seed, static_cast<std::uint64_t>(k));
        if (run_.on_progress) own.on_progress = [this](const Progress& progress) { pass_on(progress); };
        return own;
    }
    void ended() { ++ended_; }

private:
    void pass_on(Progress progress) const {
        if (std::this_thread::get_id() != caller_) return;
        progress.done = std::min(ended_ * progress.total + progress.done, starts_ * progress.total - 1);
        progress.total *= starts_;
        run_.on_progress(progress);
    }

    const Run& run_;
    Offset starts_;
    std::atomic<Offset> ended_ = 0;
    std::thread::id caller_ = std::this_thread::get_id();
};

/// One start on its way.
template <class Exec>
struct Attempt {
    Configuration<Exec> configuration;
    Origin from = Origin::random;
    int number = 0;    ///< of the start, from 0
    int annealed = 0;  ///< iterations before the descent
    Descent descent = {};
    double previous_stress = std::numeric_limits<double>::infinity();  ///< its stress
    bool dropped = false;
};

/// Gives up those that are still above the least stress after eight times what they gained in the last round (gains
/// shrink from round to round; eight is their sum where each is 8/9 of the one before), but not the first, so that
/// several starts are never worse than one; and all others once a stress is negligible.
template <class Exec>
void drop_hopeless_starts(std::vector<Attempt<Exec>>& all, double negligible) {
    constexpr double rounds_to_come = 8;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& one : all) least = std::min(least, one.descent.stress);
    for (auto& one : all) {
        const double gained = one.previous_stress - one.descent.stress;
        one.previous_stress = one.descent.stress;
        if (one.descent.ended) continue;
        const bool first = &one == &all.front();
        one.dropped = least <= negligible || (!first && one.descent.stress - rounds_to_come * gained > least);
    }
}

/// Takes all to their ends, but those that are given up. go(exec, attempt, until): continues its descent.
template <class Exec, class Go>
void descend_in_rounds(Exec& exec, std::vector<Attempt<Exec>>& all, const MajorizationLimits& patience, const Run& run, const Go& go) {
    constexpr int round = 32;
    device::ProgressReporter reporter(run, "optimize", patience.iterations);
    for (int until = std::min(round, patience.iterations);; until = std::min(until + round, patience.iterations)) {
        std::vector<Attempt<Exec>*> going;
        for (auto& one : all) {
            if (!one.descent.ended && !one.dropped) going.push_back(&one);
        }
        if (going.empty()) break;
        each_start(exec, std::ssize(going), [&](auto& own, Offset k) {
            auto& one = *going[static_cast<std::size_t>(k)];
            if (!device::run_cancellable(run.stop, [&] { go(own, one, until); }))
                one.descent.ended = Stopped::cancelled;
        });
        drop_hopeless_starts(all, least_stress * patience.total);
        reporter.cost(going.front()->descent.stress / patience.total);
        for (int t = until - round + 1; t <= until; ++t)
            reporter.tick(t, [&] { return exec.host(going.front()->configuration.y); });
    }
}

/// The one whose stress is least, of equals the first; stress_of(shape).
template <class Exec, class StressOf>
Attempt<Exec>& best_attempt(std::vector<Attempt<Exec>>& all, const StressOf& stress_of) {
    auto* best = &all.front();
    if (all.size() == 1) return *best;
    double least = std::numeric_limits<double>::infinity();
    for (auto& one : all) {
        if (one.dropped) continue;
        const double stress = stress_of(one.configuration);
        if (!(stress < least)) continue;
        least = stress;
        best = &one;
    }
    return *best;
}

}  // namespace dunlin::mds

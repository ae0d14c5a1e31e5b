// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "checkpoint/session.hpp"
#include "live/loop.hpp"
#include "live/steered_loop.hpp"
#include "math/rng.hpp"
#include "mds/backend.hpp"
#include "mds/start.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

/// Multi-start optimization. On a CPU starts run concurrently, one thread each, in rounds. Hopeless starts are dropped
/// between rounds only, so that the result does not depend on the number of threads.
namespace dunlin::mds {

/// Calls body(exec, k) for k in [0, count), one after another. A cancellation ends the body in which it happens.
template <class Exec, class Body>
void each_start(Exec& exec, Offset count, const Body& body) {
    for (Offset k = 0; k < count; ++k) body(exec, k);
}

/// On a CPU: starts run concurrently with one thread each; a single start uses all threads.
template <class Body>
void each_start(device::Cpu& cpu, Offset count, const Body& body) {
    if (count == 1) return body(cpu, 0);
    const progress::Uncancellable whole;  // each start handles its own cancellation
    cpu.blocks(count, 1, [&](Offset k, Offset, int) {
        const checkpoint::Suspended alone;  // starts run in any order; their checkpoint is that of all
        const live::Alone not_seen_or_steered;
        device::Cpu own(1);
        body(own, k);
    });
}

/// Merges the progress of several starts into one stage. Only the caller's thread reports.
class StartsProgress {
public:
    StartsProgress(const Run& run, int starts) : run_(run), starts_(starts) {}

    /// Run of the k-th start; it refers to this object.
    [[nodiscard]] Run of(Offset k) {
        Run own = run_;
        if (k > 0) own.seed = math::random_bits(run_.seed, static_cast<std::uint64_t>(k));
        if (run_.on_progress) own.on_progress = [this](const Progress& progress) { report(progress); };
        return own;
    }
    void finish_start() { ++finished_; }

private:
    void report(Progress progress) const {
        if (std::this_thread::get_id() != caller_) return;
        progress.done = std::min(finished_ * progress.total + progress.done, starts_ * progress.total - 1);
        progress.total *= starts_;
        run_.on_progress(progress);
    }

    const Run& run_;
    Offset starts_;
    std::atomic<Offset> finished_ = 0;
    std::thread::id caller_ = std::this_thread::get_id();
};

/// State of one start.
template <class Exec>
struct Attempt {
    Configuration<Exec> configuration;
    Origin from = Origin::random;
    int number = 0;    ///< index of the start
    int annealed = 0;  ///< annealing iterations before the descent
    Descent descent = {};
    double previous_stress = std::numeric_limits<double>::infinity();  ///< stress at the end of the previous round
    bool dropped = false;
};

/// The attempts, for a checkpoint. One that was cancelled has not ended. more(archive, k): what else attempt k has.
template <class Exec, class More>
void write_attempts(checkpoint::ArchiveWriter& archive, Exec& exec, const std::vector<Attempt<Exec>>& all, int until,
                    const More& more) {
    archive(until);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const Attempt<Exec>& one = all[k];
        Descent descent = one.descent;
        if (descent.ended == Stopped::cancelled) descent.ended.reset();
        archive(one.from), archive(one.number), archive(one.annealed), archive(one.previous_stress);
        archive(static_cast<std::uint8_t>(one.dropped ? 1 : 0)), content(archive, descent);
        archive(exec.host(one.configuration.y));
        more(archive, k);
    }
}

/// Reads `count` attempts of n items; returns `until`, at most `iterations`.
template <class Exec, class More>
int read_attempts(checkpoint::ArchiveReader& archive, Exec& exec, std::size_t count, Index n, int dim, int iterations,
                  std::vector<Attempt<Exec>>& all, const More& more) {
    int until = 0;
    archive(until);
    archive.require(until >= 0 && until <= iterations, "iteration");
    all.clear();
    for (std::size_t k = 0; k < count; ++k) {
        Attempt<Exec>& one = all.emplace_back();
        std::uint8_t dropped = 0;
        std::vector<float> y;
        archive(one.from), archive(one.number), archive(one.annealed), archive(one.previous_stress);
        archive(dropped), content(archive, one.descent);
        one.dropped = dropped != 0;
        one.configuration = empty_configuration(exec, n, dim);
        archive.finite(y, one.configuration.y.size(), "map");
        archive.require(one.number >= 0 && one.annealed >= 0 && !std::isnan(one.previous_stress), "starts");
        exec.upload(one.configuration.y, std::span<const float>(y));
        more(archive, k);
    }
    return until;
}

/// Drops a start if its stress, less eight times its gain in the last round, is above the least stress (the gains of a
/// geometric series with ratio 8/9 sum to eight times the last one). The first start is never dropped, so that several
/// starts are never worse than one. If any stress is negligible, all starts are dropped.
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

/// Runs all starts to their ends in rounds of 32 iterations, of which those until `done` are finished. go(exec,
/// attempt, until) continues a descent; rounds, more: the checkpoint, as write_attempts.
template <class Exec, class Go, class More>
void descend_in_rounds(Exec& exec, std::vector<Attempt<Exec>>& all, const MajorizationLimits& limits, const Run& run,
                       const Go& go, checkpoint::Sequence& rounds, int done, const More& more) {
    constexpr int round = 32;
    progress::ProgressReporter reporter(run, "optimize", limits.iterations);
    const live::WatchedLoop live(all.front().configuration.n, all.front().configuration.dim);
    for (int until = std::min(done + round, limits.iterations);; until = std::min(until + round, limits.iterations)) {
        std::vector<Attempt<Exec>*> going;
        for (auto& one : all) {
            if (!one.descent.ended && !one.dropped) going.push_back(&one);
        }
        if (going.empty()) break;
        each_start(exec, std::ssize(going), [&](auto& own, Offset k) {
            auto& one = *going[static_cast<std::size_t>(k)];
            if (!progress::run_cancellable(run.stop, [&] { go(own, one, until); }))
                one.descent.ended = Stopped::cancelled;
        });
        if (run.stop.stop_requested()) {
            rounds.save(done, [&](auto& archive) { write_attempts(archive, exec, all, done, more); });
        }
        drop_hopeless_starts(all, least_stress * limits.total);
        reporter.cost(going.front()->descent.stress / limits.total);
        const auto positions = [&]() -> decltype(auto) { return exec.host(going.front()->configuration.y); };
        for (int t = until - round + 1; t <= until; ++t) reporter.tick(t, positions);
        live.show(until, positions);
        done = until;
        if (!run.stop.stop_requested())
            rounds.commit(done, [&](auto& archive) { write_attempts(archive, exec, all, done, more); });
    }
}

/// The attempt with the least stress_of(configuration); of equals the first.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string_view>

#include <dunlin/run.hpp>

#include "checkpoint/session.hpp"
#include "live/loop.hpp"
#include "live/steered_loop.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"
#include "run/ending.hpp"
#include "run/moving_map.hpp"

namespace dunlin::device {
class Rank;
}

/// What all loops of methods share: stop, progress, checkpoint, watchers and acts.
namespace dunlin::run {

/// Where a loop is: the finished iterations; whether there are no more, and why.
struct Position {
    Offset iteration = 0;
    std::optional<Stopped> ended = {};
};

/// The state of a loop, for its checkpoint: all that its later iterations depend on, except what is computed again
/// before the loop.
class LoopState {
public:
    LoopState() = default;
    virtual ~LoopState() = default;
    LoopState(const LoopState&) = delete;
    LoopState& operator=(const LoopState&) = delete;
    LoopState(LoopState&&) = delete;
    LoopState& operator=(LoopState&&) = delete;

    virtual void write(checkpoint::ArchiveWriter& archive, const Position& at) = 0;
    /// `ended` of the result counts only if the loop had ended.
    virtual Position read(checkpoint::ArchiveReader& archive) = 0;
    /// Before an iteration, if there is a checkpoint: for a state that a cancelled iteration leaves half changed.
    virtual void keep() {}
    /// After a cancelled iteration: writes what write() would have written at the last keep().
    virtual void write_kept(checkpoint::ArchiveWriter& archive, const Position& at) { write(archive, at); }
    /// After read() and after the acts of the checkpoint.
    virtual void resumed() {}
    /// The number of finished iterations after a cancelled step that began with `iteration`.
    [[nodiscard]] virtual Offset reached(Offset iteration) { return iteration; }
};

/// A loop's stage (Progress, Seconds), its name in the checkpoint, and its limit of iterations. The names are literals.
struct LoopNames {
    std::string_view stage, checkpoint;  ///< checkpoint: empty for a loop without one
    Offset limit = 0;
    Stopped at_limit = Stopped::budget;
    device::Rank* rank = nullptr;  ///< of several GPUs, whose loops end together
};

/// The loop of a method:
///     run::Loop loop(run, {"optimize", "descent", limit}, state, &map);
///     while (loop.next()) loop.step([&](Offset t) { .. });
///     return loop.ending();
/// A step is cancelled by the stop of the run, at cancellation points. Ranks agree on a stop before each step, which
/// none then leaves. Progress, watchers, acts and the checkpoint are served between two steps.
class Loop {
public:
    /// run, state, map: referred to. map: null if the loop has none. A resumed loop has its state after this.
    Loop(const Run& run, const LoopNames& names, LoopState& state, MovingMap* map = nullptr);

    /// Whether there is another iteration. Does the acts that are due, and waits during a pause.
    [[nodiscard]] bool next();
    /// Runs work(t) for the iterations that begin with t.
    template <class Work>
    void step(const Work& work) {
        if (!begin()) return;
        const bool done = progress::run_cancellable(token_, [&] { work(position_.iteration); });
        done ? complete() : cancel();
    }

    // Within a step

    /// The loop has converged: before this iteration, which has changed nothing, or after it.
    void settled() { settled_ = Settled::before; }
    void settled_after() { settled_ = Settled::after; }
    /// The step is of so many iterations.
    void advances(Offset iterations) { advance_ = iterations; }
    void cost(double value) { progress_.cost(value); }
    [[nodiscard]] progress::ProgressReporter& progress() { return progress_; }

    [[nodiscard]] Offset iteration() const { return position_.iteration; }
    /// Whether the loop writes checkpoints.
    [[nodiscard]] bool is_kept() const { return kept_.is_kept(); }
    /// Throws Error{bad_file} unless a state that was read also fits what is known after it.
    void require(bool fits, std::string_view what) const { kept_.require(fits, what); }
    [[nodiscard]] bool is_over() const { return is_over_; }
    /// After the last step.
    [[nodiscard]] Ending ending() const {
        return {static_cast<int>(position_.iteration), position_.ended.value_or(Stopped::cancelled)};
    }

private:
    enum class Settled { no, before, after };

    [[nodiscard]] bool begin();
    void complete();
    void cancel();
    void end(Stopped why);
    void show();
    [[nodiscard]] bool goes_on_after_rest();
    [[nodiscard]] bool can_rest() const { return map_ != nullptr && map_->can_rest(); }
    [[nodiscard]] bool is_at_limit() const {
        return position_.iteration >= (map_ != nullptr ? map_->limit(names_.limit) : names_.limit);
    }
    void write(checkpoint::ArchiveWriter& archive) const;
    void read(checkpoint::ArchiveReader& archive);

    const Run& run_;
    LoopNames names_;
    LoopState& state_;
    MovingMap* map_;
    bool is_steered_;
    live::Watcher* watcher_;
    progress::ProgressReporter progress_;
    Position position_;
    live::SteeredLoop steered_;
    checkpoint::Loop kept_;
    std::stop_token token_;
    Settled settled_ = Settled::no;
    Offset advance_ = 1;
    bool is_over_ = false, has_begun_ = false;
};

}  // namespace dunlin::run

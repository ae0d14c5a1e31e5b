// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <dunlin/run.hpp>

#include "checkpoint/remembered.hpp"
#include "checkpoint/session.hpp"

namespace dunlin::checkpoint {

/// A loop over numbered iterations with its checkpoint: `state` has functions write(archive) and read(archive), as
/// Remembered. On construction the state becomes that of the checkpoint, if there is one.
template <class State>
class CountedLoop {
public:
    /// name: a literal. Holds `state`.
    CountedLoop(std::string_view name, int iterations, State state) : loop_(name), state_(std::move(state)) {
        had_ended_ = loop_.had_ended();
        loop_.resume([&](ArchiveReader& archive) {
            archive(done_), archive(stopped_);
            archive.require(done_ >= 0 && done_ <= iterations, "iteration");
            state_.read(archive);
        });
    }

    [[nodiscard]] bool is_kept() const { return loop_.is_kept(); }
    /// Number of iterations finished so far, those of the checkpoint included. Then: whether the checkpoint is of a
    /// loop that had ended, and the reason for its end.
    [[nodiscard]] int done() const { return done_; }
    [[nodiscard]] bool had_ended() const { return had_ended_; }
    [[nodiscard]] Stopped stopped() const { return stopped_; }

    /// As Loop::require.
    void require(bool fits, std::string_view what) const { loop_.require(fits, what); }

    /// Copies the state, so that cancelled() can save it. Call before an iteration that, when cancelled, leaves the
    /// state half changed. Does nothing without a checkpoint or where iterations cannot be cancelled (State::on_cpu is
    /// false).
    void keep() {
        if (!is_kept() || !State::on_cpu) return;
        MemoryWriter archive;
        state_.write(archive);
        before_ = std::move(archive.bytes());
    }
    /// Records that `iterations` iterations are finished and writes a checkpoint if one is due.
    void finished(int iterations) {
        done_ = iterations;
        loop_.offer(done_, [&](ArchiveWriter& archive) { write(archive); });
    }
    /// Call when the loop was cancelled. Saves the copy that keep() made or, if there is none, the present state, which
    /// must be that of the last finished iteration. Returns Stopped::cancelled.
    Stopped cancelled() {
        loop_.save(done_, [&](ArchiveWriter& archive) {
            if (before_.empty()) return write(archive);
            archive(done_), archive(stopped_);
            archive.append(before_.data(), before_.size());
        });
        return Stopped::cancelled;
    }
    /// Call when the loop has ended. Saves the final state and returns `why`.
    Stopped ended(int iterations, Stopped why) {
        done_ = iterations, stopped_ = why;
        loop_.end(done_, [&](ArchiveWriter& archive) { write(archive); });
        return why;
    }

private:
    void write(ArchiveWriter& archive) const {
        archive(done_), archive(stopped_);
        state_.write(archive);
    }

    Loop loop_;
    State state_;
    std::vector<std::byte> before_;
    bool had_ended_ = false;
    int done_ = 0;
    Stopped stopped_ = Stopped::budget;
};

}  // namespace dunlin::checkpoint

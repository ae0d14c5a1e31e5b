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
    /// Iterations that were finished before; whether there are no more, and why.
    [[nodiscard]] int done() const { return done_; }
    [[nodiscard]] bool had_ended() const { return had_ended_; }
    [[nodiscard]] Stopped stopped() const { return stopped_; }

    /// As Loop::require.
    void require(bool fits, std::string_view what) const { loop_.require(fits, what); }

    /// Call before an iteration that leaves the state half changed when it is cancelled. Keeps a copy of the state, on
    /// a CPU and with a checkpoint; on a GPU iterations are not cancelled.
    void keep() {
        if (!is_kept() || !State::on_cpu) return;
        MemoryWriter archive;
        state_.write(archive);
        before_ = std::move(archive.bytes());
    }
    /// So many are finished.
    void finished(int iterations) {
        done_ = iterations;
        loop_.offer(done_, [&](ArchiveWriter& archive) { write(archive); });
    }
    /// The loop was cancelled, and its state is that of the last finished iteration, or that of keep(). Returns
    /// Stopped::cancelled.
    Stopped cancelled() {
        loop_.save(done_, [&](ArchiveWriter& archive) {
            if (before_.empty()) return write(archive);
            archive(done_), archive(stopped_);
            archive.append(before_.data(), before_.size());
        });
        return Stopped::cancelled;
    }
    /// The loop has ended; returns why.
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

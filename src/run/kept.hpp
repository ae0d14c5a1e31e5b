// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "checkpoint/remembered.hpp"
#include "run/loop.hpp"

namespace dunlin::run {

/// Whether a cancelled iteration leaves the state half changed, so that a copy is kept before each one.
enum class Cancelled { leaves_state, changes_state };

/// The state of a loop over numbered iterations: `state` has functions write(archive) and read(archive), as
/// checkpoint::Remembered. On a GPU iterations are not cancelled, and no copy is kept.
template <class State>
class Kept : public LoopState {
public:
    explicit Kept(State state, Cancelled cancelled = Cancelled::leaves_state)
        : state_(std::move(state)), copies_(State::on_cpu && cancelled == Cancelled::changes_state) {}

    void write(checkpoint::ArchiveWriter& archive, const Position& at) override {
        write_position(archive, at);
        state_.write(archive);
    }
    Position read(checkpoint::ArchiveReader& archive) override {
        int done = 0;
        Stopped stopped{};
        archive(done), archive(stopped);
        archive.require(done >= 0, "iteration");
        state_.read(archive);
        return {done, stopped};
    }
    void keep() override {
        if (!copies_) return;
        checkpoint::MemoryWriter archive;
        state_.write(archive);
        before_ = std::move(archive.bytes());
    }
    void write_kept(checkpoint::ArchiveWriter& archive, const Position& at) override {
        if (before_.empty()) return write(archive, at);
        write_position(archive, at);
        archive.append(before_.data(), before_.size());
    }

protected:
    State& state() { return state_; }

private:
    static void write_position(checkpoint::ArchiveWriter& archive, const Position& at) {
        archive(static_cast<int>(at.iteration)), archive(at.ended.value_or(Stopped::budget));
    }

    State state_;
    bool copies_;
    std::vector<std::byte> before_;
};

}  // namespace dunlin::run

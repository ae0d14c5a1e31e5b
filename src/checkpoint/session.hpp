// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>

#include "checkpoint/archive.hpp"

/// Checkpoints of the loops of a method (docs/checkpoints.md). The public function opens a Session. Its loops do not
/// handle files: they resume their state from the session and offer it their state to save.
namespace dunlin::checkpoint {

class Key;
struct SessionState;

/// Copy of a run without its checkpoint. For calls that a method makes, which must not write checkpoints themselves.
Run without_checkpoint(const Run& run);

/// The checkpoint of one call of a public function, on the thread of the caller. Without Run::checkpoint it does
/// nothing, and loops within it have no checkpoint, either.
class Session {
public:
    /// add_to(key) adds device, options and inputs. Throws Error for options that cannot be used, and with Run::resume
    /// for files that cannot be used; an absent file begins anew.
    Session(const Run& run, std::string_view method, const std::function<void(Key&)>& add_to);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    Session(Session&&) = delete;
    Session& operator=(Session&&) = delete;

    /// Writes the last checkpoint of a run that was not cancelled, and sets outcome.checkpoint. Call it with an outcome
    /// that is otherwise complete.
    template <class Options>
    void complete(Outcome<Options>& outcome) {
        if (state_ == nullptr) return;
        std::vector<std::string_view> stages;
        for (const auto& stage : outcome.seconds.stages()) stages.push_back(stage.name);
        outcome.checkpoint = completed(outcome.stopped, stages);
    }

private:
    CheckpointUse completed(Stopped stopped, const std::vector<std::string_view>& stages);

    std::unique_ptr<SessionState> state_;
    SessionState* outer_;
};

/// While an object exists, loops of this thread have no checkpoint. For work whose loops do not run in a fixed order.
class Suspended {
public:
    Suspended();
    ~Suspended();
    Suspended(const Suspended&) = delete;
    Suspended& operator=(const Suspended&) = delete;
    Suspended(Suspended&&) = delete;
    Suspended& operator=(Suspended&&) = delete;

private:
    SessionState* outer_;
};

/// A loop of a session. Loops must begin in the same order in every run: a checkpoint identifies them by it. The
/// checkpoint has the final state of loops that have ended, and the state of the running loop. A state is all that
/// later iterations depend on, except what is computed again before the loop. A resumed loop that had ended gets its
/// final state.
class Loop {
public:
    Loop() = default;  ///< without a checkpoint
    /// `name`: a literal; that of a stage (Seconds) if the loop is all of it.
    explicit Loop(std::string_view name);

    /// Whether there is a checkpoint.
    [[nodiscard]] bool is_kept() const { return session_ != nullptr; }
    /// Whether there is a state to resume, and whether it is the final state of a loop that had ended.
    [[nodiscard]] bool has_state() const;
    [[nodiscard]] bool had_ended() const { return has_state() && has_ended(); }
    /// Calls read(archive) and returns true if there is a state to resume. Throws Error{bad_file} if the state does not
    /// fit. Call at most once.
    template <class Read>
    bool resume(const Read& read) {
        if (!has_state()) return false;
        read_state([&](ArchiveReader& archive) { read(archive); });
        return true;
    }
    /// Throws Error{bad_file} unless `fits`. For checks of a resumed state that are possible only after the loop has
    /// begun.
    void require(bool fits, std::string_view what) const;
    /// Writes the state, write(archive), if that is due. `iteration`: the number of finished ones.
    template <class Write>
    void offer(Offset iteration, const Write& write) {
        if (is_due()) save(iteration, write);
    }
    /// Writes the state if that is due. count() returns the number of finished iterations and is called only then.
    template <class Count, class Write>
    void offer_lazily(const Count& count, const Write& write) {
        if (is_due()) save(count(), write);
    }
    /// Writes the state at once, due or not. For a loop that was stopped.
    template <class Write>
    void save(Offset iteration, const Write& write) {
        if (is_kept()) write_state(iteration, [&](ArchiveWriter& archive) { write(archive); });
    }
    /// The loop, which is the last of the session, has ended with this state. It is written at once, so that no copy of
    /// it is kept.
    template <class Write>
    void end_run(Offset iteration, const Write& write) {
        if (is_kept()) write_last(iteration, [&](ArchiveWriter& archive) { write(archive); });
    }
    /// The loop has ended with this state.
    template <class Write>
    void end(Offset iteration, const Write& write) {
        if (!is_kept() || has_ended()) return;
        MemoryWriter archive;
        write(archive);
        keep(iteration, std::move(archive.bytes()));
    }

private:
    [[nodiscard]] bool has_ended() const;
    [[nodiscard]] bool is_due() const { return is_kept() && is_time(); }
    [[nodiscard]] bool is_time() const;
    void read_state(const std::function<void(ArchiveReader&)>& read);
    void write_state(Offset iteration, const std::function<void(ArchiveWriter&)>& write);
    void write_last(Offset iteration, const std::function<void(ArchiveWriter&)>& write);
    void keep(Offset iteration, std::vector<std::byte> bytes);

    SessionState* session_ = nullptr;
    std::string_view name_;
    std::size_t number_ = 0;  ///< in the order of the session's loops
};

/// Work in parts, one after another, which may have loops of their own: restarts, components, blocks. Its state is what
/// the finished parts have left; it takes the place of the states of their loops.
class Sequence {
public:
    explicit Sequence(std::string_view name);  ///< a literal

    [[nodiscard]] bool is_kept() const { return session_ != nullptr; }
    /// Calls read(archive) and returns true if the checkpoint has finished parts. Call before the first part.
    template <class Read>
    bool resume(const Read& read) {
        if (!has_state()) return false;
        read_state([&](ArchiveReader& archive) { read(archive); });
        return true;
    }
    /// A part has finished; the state is now write(archive), written to the file if due. iteration: for the report.
    template <class Write>
    void commit(Offset iteration, const Write& write) {
        if (!is_kept()) return;
        MemoryWriter archive;
        write(archive);
        keep(iteration, std::move(archive.bytes()));
    }

    /// As commit(), but writes the file at once. For a sequence that was stopped.
    template <class Write>
    void save(Offset iteration, const Write& write) {
        commit(iteration, write);
        write_now(iteration);
    }
    /// As commit, only if a write is due: for parts without loops of their own.
    template <class Write>
    void offer(Offset iteration, const Write& write) {
        if (is_due()) commit(iteration, write);
    }

private:
    [[nodiscard]] bool has_state() const;
    [[nodiscard]] bool is_due() const;
    void read_state(const std::function<void(ArchiveReader&)>& read);
    void keep(Offset iteration, std::vector<std::byte> bytes);
    void write_now(Offset iteration);

    SessionState* session_;
    std::size_t number_ = 0;
};

}  // namespace dunlin::checkpoint

// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <dunlin/error.hpp>

#include "checkpoint/joined.hpp"
#include "checkpoint/key.hpp"
#include "checkpoint/records.hpp"
#include "checkpoint/store.hpp"
#include "progress/cancel.hpp"

namespace dunlin::checkpoint {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void check(const Run& run) {
    if (run.checkpoint.empty() && run.resume) {
        throw Error(Fault::bad_input, "resume is given without a checkpoint to go on from; give its file",
                    {.option = "resume"});
    }
    if (!(run.checkpoint_every >= 0) || !std::isfinite(run.checkpoint_every)) {
        throw Error(Fault::bad_input,
                    fmt::format("checkpoint-every is {}; it must be at least 0", run.checkpoint_every),
                    {.option = "checkpoint-every"});
    }
}

[[noreturn]] void fail(const std::string& file, const std::string& why) {
    throw Error(Fault::bad_file, fmt::format("checkpoint {}: {}", file, why), {.option = "checkpoint", .file = file});
}

using Entries = std::vector<std::pair<std::string, std::string>>;

/// Those that `other` has, too, or that counts(i) says are given: an option that one release lacks and the other was
/// not given is no difference.
template <class Counts>
Entries compared(const Entries& entries, const Entries& other, const Counts& counts) {
    Entries kept;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto has_name = [&](const auto& each) { return each.first == entries[i].first; };
        if (counts(i) || std::any_of(other.begin(), other.end(), has_name)) kept.push_back(entries[i]);
    }
    return kept;
}

/// Throws unless the keys are equal; names the first difference.
void require_equal(const std::string& file, const Key& key, const Entries& in_file) {
    const Entries& of_run = key.entries();
    const Entries wanted =
        compared(of_run, in_file, [&](std::size_t i) { return !of_run[i].second.empty() && !key.is_default(i); });
    const Entries found = compared(in_file, of_run, [&](std::size_t i) { return !in_file[i].second.empty(); });
    for (std::size_t i = 0; i < std::max(wanted.size(), found.size()); ++i) {
        if (i < wanted.size() && i < found.size() && wanted[i] == found[i]) continue;
        const std::string name = i < wanted.size() ? wanted[i].first : found[i].first;
        const auto text = [&](const auto& entries) -> std::string {
            if (i >= entries.size() || entries[i].first != name) return "not there";
            return entries[i].second.empty() ? "not given" : entries[i].second;
        };
        fail(file, fmt::format("it is of another run: its {} is {}, and that of this run is {}; give the same, or "
                               "another file",
                               name, text(found), text(wanted)));
    }
}

}  // namespace

struct SessionState {
    explicit SessionState(const Run& how) : run(how), store(how.checkpoint) {}

    void tell(Notice kind, const std::string& sentence) const {
        if (run.on_notice) run.on_notice(kind, fmt::format("checkpoint {}: {}", store.shown(), sentence));
    }
    void read(bool resume);
    /// Writes a file; a failure becomes a notice. write_loop: of the loop that runs; null: none runs.
    void write(RunRecord record, const std::function<void(ArchiveWriter&)>& write_loop);

    const Run run;
    Store store;
    std::vector<std::pair<std::string, std::string>> key;
    std::optional<Sections> resumed;  ///< until its loop has been resumed
    RunRecord record;                 ///< of the resumed file
    std::vector<EndedLoop> ended;
    std::set<std::string, std::less<>> resumed_loops;  ///< their names, which those of stages may be
    std::size_t next_loop = 0;
    Clock::time_point last_write = Clock::now();
    bool is_complete = false;  ///< the last file has been written
    CheckpointUse use;
};

namespace {

thread_local SessionState* current = nullptr;
thread_local bool joins_next = false;  ///< the next session is part of the current one

}  // namespace

void SessionState::read(bool resume) {
    std::string damage;
    std::optional<Sections> found = store.newest(damage);
    if (!found) {
        if (resume && damage.empty()) tell(Notice::note, "it is not there yet, so the run begins anew");
        if (resume && !damage.empty())
            tell(Notice::warning, damage + ", and there is none before it, so the run begins anew");
        return;
    }
    RunRecord of_file;
    std::vector<EndedLoop> ended_in_file;
    try {
        read_records(*found, of_file, ended_in_file);
    } catch (const Damage& why) {
        fail(store.shown(), why.why + "; remove it to begin anew");
    }
    if (!resume) {
        if (of_file.finished != 0) return;
        fail(store.shown(), fmt::format("it is there, of a run that has not finished (iteration {}); give resume to go "
                                        "on from it, or remove it",
                                        of_file.iteration));
    }
    if (!damage.empty())
        tell(Notice::warning, fmt::format("{}; the one before it, {}.previous, is used", damage, store.shown()));
    resumed_loops.insert(of_file.loop);
    for (const EndedLoop& loop : ended_in_file) resumed_loops.insert(loop.name);
    record = std::move(of_file);
    ended = std::move(ended_in_file);
    resumed = std::move(found);
}

void SessionState::write(RunRecord next, const std::function<void(ArchiveWriter&)>& write_loop) {
    const progress::Uncancellable whole;
    const auto begin = Clock::now();
    next.key = key;
    const auto failed = [&](const std::string& why) {
        if (use.failure != why) tell(Notice::warning, fmt::format("it cannot be written: {}; the run goes on", why));
        use.failure = why;
    };
    try {
        use.bytes = store.replace([&](SectionWriter& writer) {
            writer.begin("run");
            content(writer, next);
            writer.begin("ended");
            each_content(writer, ended);
            if (!write_loop) return;
            writer.begin("loop");
            write_loop(writer);
        });
        ++use.writes;
    } catch (const WriteFailure& failure) {
        failed(failure.why);
    } catch (const std::bad_alloc&) {
        failed("there is no memory for its copy of the state");
    }
    use.seconds += seconds_since(begin);
    last_write = Clock::now();
}

Run without_checkpoint(const Run& run) {
    Run plain = run;
    CheckpointOptions{}.set(plain);
    return plain;
}

Session::Session(const Run& run, std::string_view method, const std::function<void(Key&)>& add_to) : outer_(current) {
    check(run);
    if (!run.checkpoint.empty()) {
        const progress::Uncancellable whole;
        state_ = std::make_unique<SessionState>(run);
        device::Cpu cpu(run);
        Key key(cpu);
        key.add("version", DUNLIN_VERSION);
        key.add("method", std::string(method));
        key.add("seed", std::to_string(run.seed));
        add_to(key);
        state_->key = key.entries();
        state_->use.file = run.checkpoint;
        state_->read(run.resume);
        if (state_->resumed) {
            require_equal(run.checkpoint, key, state_->record.key);
            state_->use.resumed = true;
            state_->use.resumed_from = state_->record.iteration;
            state_->tell(
                Notice::note,
                fmt::format("resumed from iteration {}{}; what comes before the loop is computed again",
                            state_->record.iteration, state_->record.finished != 0 ? " (it had finished)" : ""));
        }
    }
    const bool joins = std::exchange(joins_next, false);
    if (state_ == nullptr && joins) return;
    current = state_.get();
}

Session::~Session() { current = outer_; }

CheckpointUse Session::completed(Stopped stopped, const std::vector<std::string_view>& stages) {
    SessionState& state = *state_;
    if (stopped != Stopped::cancelled && !state.is_complete) {
        state.write({{}, {}, state.ended.empty() ? 0 : state.ended.back().iteration, 1}, {});
    }
    for (const std::string_view stage : stages) {
        if (!state.use.resumed || stage == "optimize") break;
        if (!state.resumed_loops.contains(stage)) state.use.computed_again.push_back(stage);
    }
    return state.use;
}

Joined::Joined() { joins_next = true; }
Joined::~Joined() { joins_next = false; }

Suspended::Suspended() : outer_(current) { current = nullptr; }
Suspended::~Suspended() { current = outer_; }

namespace {

bool is_due(const SessionState& session) { return seconds_since(session.last_write) >= session.run.checkpoint_every; }

/// Calls read(archive) on the state of a loop; damage becomes an Error.
void read_checked(const SessionState& session, std::span<const std::byte> bytes, std::string_view found,
                  std::string_view name, const std::function<void(ArchiveReader&)>& read) {
    try {
        if (found != name) fail_for_damage(fmt::format("it has the loop '{}' in place of '{}'", found, name));
        ArchiveReader archive(bytes, fail_for_damage);
        read(archive);
        archive.end();
    } catch (const Damage& why) {
        fail(session.store.shown(), why.why + "; remove it to begin anew");
    }
}

}  // namespace

Loop::Loop(std::string_view name) : session_(current), name_(name) {
    if (session_ == nullptr) return;
    number_ = session_->next_loop++;
    if (!session_->run.stop.stop_requested() || has_state()) return;
    // What came before may have been cancelled, its loops included, so that this one has no state to be resumed
    if (!session_->ended.empty()) session_->write({{}, {}, session_->ended.back().iteration, 0}, {});
    session_ = nullptr;
}

bool Loop::has_ended() const { return number_ < session_->ended.size(); }

bool Loop::has_state() const {
    if (session_ == nullptr || !session_->resumed) return false;
    return has_ended() || (number_ == session_->ended.size() && session_->resumed->has("loop"));
}

bool Loop::is_time() const { return checkpoint::is_due(*session_); }

void Loop::read_state(const std::function<void(ArchiveReader&)>& read) {
    if (has_ended()) {
        const EndedLoop& loop = session_->ended[number_];
        return read_checked(*session_, loop.state, loop.name, name_, read);
    }
    read_checked(*session_, session_->resumed->of("loop"), session_->record.loop, name_, read);
    session_->resumed.reset();
}

void Loop::require(bool fits, std::string_view what) const {
    if (fits || !is_kept()) return;
    fail(session_->store.shown(), fmt::format("its {} does not fit; remove it to begin anew", what));
}

void Loop::write_state(Offset iteration, const std::function<void(ArchiveWriter&)>& write) {
    if (number_ != session_->ended.size()) return;  // it follows a loop that was cancelled, whose state is written
    session_->write({{}, std::string(name_), iteration, 0}, write);
}

void Loop::write_last(Offset iteration, const std::function<void(ArchiveWriter&)>& write) {
    session_->write({{}, std::string(name_), iteration, 1}, write);
    session_->is_complete = true;
}

void Loop::keep(Offset iteration, std::vector<std::byte> bytes) {
    if (number_ != session_->ended.size()) throw std::logic_error("loops with checkpoints must end in their order");
    session_->ended.push_back({std::string(name_), iteration, std::move(bytes)});
    if (is_time()) session_->write({{}, {}, iteration, 0}, {});
}

Sequence::Sequence(std::string_view name) : session_(current) {
    if (session_ == nullptr) return;
    number_ = session_->next_loop++;
    // Its parts' loops follow it, also before the first part has finished
    if (number_ == session_->ended.size()) session_->ended.push_back({std::string(name), 0, {}});
    if (number_ > session_->ended.size()) {  // it follows a loop that was cancelled
        session_ = nullptr;
    } else if (session_->ended[number_].name != name) {
        fail(session_->store.shown(),
             fmt::format("it has '{}' in place of '{}'; remove it to begin anew", session_->ended[number_].name, name));
    }
}

bool Sequence::is_due() const { return is_kept() && checkpoint::is_due(*session_); }

bool Sequence::has_state() const { return is_kept() && !session_->ended[number_].state.empty(); }

void Sequence::read_state(const std::function<void(ArchiveReader&)>& read) {
    const EndedLoop& loop = session_->ended[number_];
    read_checked(*session_, loop.state, loop.name, loop.name, read);
}

void Sequence::keep(Offset iteration, std::vector<std::byte> bytes) {
    session_->ended.resize(number_ + 1);
    session_->ended[number_].iteration = iteration;
    session_->ended[number_].state = std::move(bytes);
    session_->next_loop = number_ + 1;
    if (is_due()) write_now(iteration);
}

void Sequence::write_now(Offset iteration) {
    if (is_kept()) session_->write({{}, {}, iteration, 0}, {});
}

}  // namespace dunlin::checkpoint

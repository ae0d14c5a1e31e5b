// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include <dunlin/run.hpp>

namespace dunlin::device {

/// Calls Run::on_progress during a stage: at its begin and end, at least about 10 times a second by the clock, and with
/// the map every Run::snapshot_every steps. Nothing of a result depends on it. Between two calls of tick() the
/// cancellation points of the same thread repeat the last progress, so that a long step is not silent. Reporters nest;
/// the innermost one of a thread that has an on_progress is the one that repeats.
class ProgressReporter {
public:
    ProgressReporter(const Run& run, std::string_view stage, Offset total);
    ~ProgressReporter();
    ProgressReporter(const ProgressReporter&) = delete;
    ProgressReporter& operator=(const ProgressReporter&) = delete;
    ProgressReporter(ProgressReporter&&) = delete;
    ProgressReporter& operator=(ProgressReporter&&) = delete;

    /// The stage goes on under this name, of so many steps; nothing is reported yet.
    void rename(std::string_view stage, Offset total) {
        progress_.stage = stage;
        progress_.total = total;
    }

    void cost(double value) { progress_.cost = value; }

    /// `done` steps of the stage are done.
    void tick(Offset done) {
        progress_.done = done;
        if (on_progress_ && (done == progress_.total || is_due())) tell();
    }

    /// The same, reported at once: for the few steps of a stage that has no loop.
    void announce(Offset done) {
        progress_.done = done;
        if (on_progress_) tell();
    }

    /// As tick(done); positions() is called only when a snapshot is due.
    template <class Positions>
    void tick(Offset done, const Positions& positions) {
        if (on_progress_ && snapshot_every_ > 0 && done % snapshot_every_ == 0) {
            progress_.done = done;
            const auto now = positions();
            progress_.coordinates = now;
            tell();
            progress_.coordinates = {};
        } else {
            tick(done);
        }
    }

    void tell_if_due() {
        if (is_due()) tell();
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{50};  ///< half of what is promised

    [[nodiscard]] bool is_due() const { return Clock::now() - last_ >= interval; }
    void tell();

    std::function<void(const Progress&)> on_progress_;
    int snapshot_every_;
    ProgressReporter* outer_;
    Progress progress_;
    Clock::time_point last_;
};

/// Whether this thread has a reporter.
bool reports_progress();

/// Repeats the last progress of this thread's reporter if its last call is long enough ago.
void report_if_due();

}  // namespace dunlin::device

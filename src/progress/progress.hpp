// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include <dunlin/run.hpp>

namespace dunlin::progress {

/// Calls Run::on_progress during a stage: at its begin and end, at least about 10 times a second, and with the map
/// every Run::snapshot_every steps. Results do not depend on it. Between two calls of tick() the cancellation points of
/// the same thread repeat the last progress, so that long steps also report. Reporters nest; the innermost one of a
/// thread with an on_progress repeats.
class ProgressReporter {
public:
    ProgressReporter(const Run& run, std::string_view stage, Offset total);
    ~ProgressReporter();
    ProgressReporter(const ProgressReporter&) = delete;
    ProgressReporter& operator=(const ProgressReporter&) = delete;
    ProgressReporter(ProgressReporter&&) = delete;
    ProgressReporter& operator=(ProgressReporter&&) = delete;

    /// Renames the stage and sets its number of steps, without a report.
    void rename(std::string_view stage, Offset total) {
        progress_.stage = stage;
        progress_.total = total;
    }

    void cost(double value) { progress_.cost = value; }

    /// Sets the number of finished steps; reports it if due, or if the stage is complete.
    void tick(Offset done) {
        progress_.done = done;
        if (on_progress_ && (done == progress_.total || is_due())) tell();
    }

    /// Sets the number of finished steps and reports it at once, for stages of a few steps.
    void announce(Offset done) {
        progress_.done = done;
        if (on_progress_) tell();
    }

    /// As tick(done); positions() is called only when a snapshot is due.
    template <class Positions>
    void tick(Offset done, const Positions& positions) {
        if (on_progress_ && snapshot_every_ > 0 && done % snapshot_every_ == 0) {
            progress_.done = done;
            const auto& now = positions();
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
    static constexpr std::chrono::milliseconds interval{50};  ///< half of the documented 0.1 s

    [[nodiscard]] bool is_due() const { return Clock::now() - last_ >= interval; }
    void tell();

    std::function<void(const Progress&)> on_progress_;
    int snapshot_every_;
    ProgressReporter* outer_;
    Progress progress_;
    Clock::time_point last_;
};

/// True if this thread has a reporter.
bool reports_progress();

/// Repeats the last progress of this thread's reporter if its interval has passed.
void report_if_due();

}  // namespace dunlin::progress

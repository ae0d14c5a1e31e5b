#pragma once

#include <chrono>

#include <dunlin/run.hpp>

namespace dunlin::device {

/// Tells Run::on_progress about a stage: about 10 times a second by the clock, at the stage's begin and end, and with
/// the map every Run::snapshot_every steps. It only watches; nothing of a result depends on it.
class Ticker {
public:
    Ticker(const Run& run, std::string_view stage, Offset total) : run_(run) {
        progress_.stage = stage;
        progress_.total = total;
        tell();
    }

    void cost(double value) { progress_.cost = value; }

    void tick(Offset done) {
        progress_.done = done;
        if (run_.on_progress && (done == progress_.total || Clock::now() - last_ > interval)) tell();
    }

    /// positions() is asked for only when a snapshot is due.
    template <class Positions>
    void tick(Offset done, const Positions& positions) {
        if (run_.on_progress && run_.snapshot_every > 0 && done % run_.snapshot_every == 0) {
            progress_.done = done;
            const auto now = positions();
            progress_.coordinates = now;
            tell();
            progress_.coordinates = {};
        } else {
            tick(done);
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{100};

    void tell() {
        last_ = Clock::now();
        if (run_.on_progress) run_.on_progress(progress_);
    }

    const Run& run_;
    Progress progress_;
    Clock::time_point last_;
};

}  // namespace dunlin::device

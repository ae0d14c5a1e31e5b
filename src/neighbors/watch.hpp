#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include <dunlin/run.hpp>

namespace dunlin::neighbors {

inline void tell(const Run& run, Offset done, Offset total) {
    if (run.on_progress) run.on_progress({.stage = "neighbors", .done = done, .total = total});
}

/// Tells the caller how far the search is, from the caller's own thread (worker 0), and hears its wish to stop.
class Watch {
public:
    Watch(Run run, Offset total) : run_(std::move(run)), total_(total) {}

    [[nodiscard]] bool stopped() const { return run_.stop.stop_requested(); }

    /// Hears the same wish and tells nothing.
    [[nodiscard]] Run stop_only() const { return {.stop = run_.stop}; }

    void advance(Offset steps, int worker) {
        const Offset done = std::min(done_ += steps, total_);  // a search that begins again does not go back
        if (worker != 0 || !run_.on_progress) return;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        next_ = now + std::chrono::milliseconds(100);
        tell(run_, done, total_);
    }

private:
    Run run_;
    Offset total_;
    std::atomic<Offset> done_{0};
    std::chrono::steady_clock::time_point next_{};
};

}  // namespace dunlin::neighbors

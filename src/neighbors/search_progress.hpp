// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "progress/progress.hpp"

namespace dunlin::neighbors {

/// Counts the finished queries of all threads. Worker 0, the calling thread, reports them.
class SearchProgress {
public:
    SearchProgress(const Run& run, Offset total) : reporter_(run, "neighbors", total), total_(total) {}

    void advance(Offset steps, int worker) {
        const Offset done = std::min(done_ += steps, total_);  // a repeated search must not lower the count
        if (worker != 0) return;
        reporter_.tick(done);
        if (each_report_) each_report_();
    }
    /// Calls this from then on after each report, on the calling thread.
    void call_at_reports(std::function<void()> call) { each_report_ = std::move(call); }

private:
    progress::ProgressReporter reporter_;
    Offset total_;
    std::atomic<Offset> done_{0};
    std::function<void()> each_report_;
};

}  // namespace dunlin::neighbors

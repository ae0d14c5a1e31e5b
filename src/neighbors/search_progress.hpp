// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>

#include "device/progress.hpp"

namespace dunlin::neighbors {

/// Counts the finished queries of all threads. Worker 0, the calling thread, reports them.
class SearchProgress {
public:
    SearchProgress(const Run& run, Offset total) : reporter_(run, "neighbors", total), total_(total) {}

    void advance(Offset steps, int worker) {
        const Offset done = std::min(done_ += steps, total_);  // a repeated search must not lower the count
        if (worker == 0) reporter_.tick(done);
    }

private:
    device::ProgressReporter reporter_;
    Offset total_;
    std::atomic<Offset> done_{0};
};

}  // namespace dunlin::neighbors

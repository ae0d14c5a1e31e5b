// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>

#include "device/progress.hpp"

namespace dunlin::neighbors {

/// Counts the queries of a search that are done, in all threads, and reports them on the caller's (worker 0).
class SearchProgress {
public:
    SearchProgress(const Run& run, Offset total) : reporter_(run, "neighbors", total), total_(total) {}

    void advance(Offset steps, int worker) {
        const Offset done = std::min(done_ += steps, total_);  // a search that begins again does not go back
        if (worker == 0) reporter_.tick(done);
    }

private:
    device::ProgressReporter reporter_;
    Offset total_;
    std::atomic<Offset> done_{0};
};

}  // namespace dunlin::neighbors

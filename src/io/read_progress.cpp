// SPDX-License-Identifier: Apache-2.0
#include "io/read_progress.hpp"

namespace dunlin::io {

namespace {

thread_local device::ProgressReporter* reporter = nullptr;

}  // namespace

ReadProgressScope::ReadProgressScope(const Run& run) : reporter_(run, "read", 1), outer_(reporter) {
    reporter = &reporter_;
}

ReadProgressScope::~ReadProgressScope() { reporter = outer_; }

void ReadProgress::report(const char* place) {
    const std::ptrdiff_t passed = place - text_.data();
    next_ = passed + step;
    if (reporter != nullptr) {
        reporter->rename(stage_, static_cast<Offset>(text_.size()));
        reporter->tick(passed);
    }
    device::cancellation_point();
}

}  // namespace dunlin::io

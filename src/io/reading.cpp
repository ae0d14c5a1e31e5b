// SPDX-License-Identifier: Apache-2.0
#include "io/reading.hpp"

namespace dunlin::io {

namespace {

thread_local device::ProgressReporter* reporter = nullptr;

}  // namespace

Reading::Reading(const Run& run) : reporter_(run, "read", 1), outer_(reporter) { reporter = &reporter_; }

Reading::~Reading() { reporter = outer_; }

void Pace::report(const char* place) {
    const std::ptrdiff_t passed = place - text_.data();
    next_ = passed + step;
    if (reporter != nullptr) {
        reporter->rename(stage_, static_cast<Offset>(text_.size()));
        reporter->tick(passed);
    }
    device::cancellation_point();
}

}  // namespace dunlin::io

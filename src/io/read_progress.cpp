// SPDX-License-Identifier: Apache-2.0
#include "io/read_progress.hpp"

namespace dunlin::io {

namespace {

thread_local ReadScope* innermost = nullptr;

}  // namespace

ReadScope::ReadScope(const Run& run) : reporter_(run, "read", 1), memory_(run.memory), outer_(innermost) {
    innermost = this;
}

ReadScope::~ReadScope() { innermost = outer_; }

std::uint64_t ReadScope::memory() { return innermost == nullptr ? 0 : innermost->memory_; }

void ReadProgress::report(const char* place) {
    const std::ptrdiff_t passed = place - text_.data();
    next_ = passed + step;
    if (innermost != nullptr) {
        innermost->reporter_.rename(stage_, static_cast<Offset>(text_.size()));
        innermost->reporter_.tick(passed);
    }
    progress::cancellation_point();
}

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#include "progress/cancel.hpp"

#include "progress/progress.hpp"

namespace dunlin::progress {

namespace {

thread_local const std::stop_token* scope = nullptr;
thread_local ProgressReporter* reporter = nullptr;

}  // namespace

CancellationScope::CancellationScope(const std::stop_token& stop) : outer_(scope) {
    if (stop.stop_possible()) scope = &stop;
}

CancellationScope::~CancellationScope() { scope = outer_; }

Uncancellable::Uncancellable() : outer_(scope) { scope = nullptr; }

Uncancellable::~Uncancellable() { scope = outer_; }

const std::stop_token* CancellationScope::current() { return scope; }

void cancellation_point() {
    report_if_due();
    if (scope != nullptr && scope->stop_requested()) throw Cancelled{};
}

ProgressReporter::ProgressReporter(const Run& run, std::string_view stage, Offset total)
    : on_progress_(run.on_progress), snapshot_every_(run.snapshot_every), outer_(reporter) {
    progress_.stage = stage;
    progress_.total = total;
    if (on_progress_) {
        tell();
        reporter = this;
    }
}

ProgressReporter::~ProgressReporter() {
    if (on_progress_) reporter = outer_;
}

void ProgressReporter::tell() {
    last_ = Clock::now();
    on_progress_(progress_);
}

bool reports_progress() { return reporter != nullptr; }

void report_if_due() {
    if (reporter != nullptr) reporter->tell_if_due();
}

}  // namespace dunlin::progress

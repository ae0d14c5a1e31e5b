// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <dunlin/run.hpp>

#include "device/cancel.hpp"
#include "device/progress.hpp"

/// Progress and cancellation points of the readers.
namespace dunlin::io {

/// Scope in which the readers of this thread report their progress to the Run. Begins the stage "read".
class ReadProgressScope {
public:
    explicit ReadProgressScope(const Run& run);
    ~ReadProgressScope();
    ReadProgressScope(const ReadProgressScope&) = delete;
    ReadProgressScope& operator=(const ReadProgressScope&) = delete;
    ReadProgressScope(ReadProgressScope&&) = delete;
    ReadProgressScope& operator=(ReadProgressScope&&) = delete;

private:
    device::ProgressReporter reporter_;
    device::ProgressReporter* outer_;
};

/// Position in a text: a cancellation point every 64 KiB, which reports the bytes read.
class ReadProgress {
public:
    ReadProgress(std::string_view stage, std::string_view text) : stage_(stage), text_(text) {}

    /// Sets the position of the reader.
    void advance(const char* place) {
        if (place - text_.data() >= next_) [[unlikely]]
            report(place);
    }

private:
    static constexpr std::ptrdiff_t step = 1 << 16;

    void report(const char* place);

    std::string_view stage_, text_;
    std::ptrdiff_t next_ = step;
};

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <dunlin/run.hpp>

#include "progress/cancel.hpp"
#include "progress/progress.hpp"

/// What a Run asks of the readers: progress, cancellation points, and the memory that they may take.
namespace dunlin::io {

/// Scope in which the readers of this thread report their progress to the Run, and keep within its memory. Begins the
/// stage "read".
class ReadScope {
public:
    explicit ReadScope(const Run& run);
    ~ReadScope();
    ReadScope(const ReadScope&) = delete;
    ReadScope& operator=(const ReadScope&) = delete;
    ReadScope(ReadScope&&) = delete;
    ReadScope& operator=(ReadScope&&) = delete;

    /// Run::memory of the innermost scope of this thread; 0: no scope, or no limit.
    static std::uint64_t memory();

private:
    friend class ReadProgress;

    progress::ProgressReporter reporter_;
    std::uint64_t memory_;
    ReadScope* outer_;
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

namespace dunlin::io {

/// A child process, `sh -c command`, connected by two pipes. The destructor ends it and waits for it.
class Process {
public:
    /// Throws Error{bad_file} if it cannot be started.
    explicit Process(const std::string& command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// Waits at most `most` until the process accepts input or has output. Removes the bytes written from the front of
    /// `input`, and returns the bytes read.
    std::string exchange(std::string_view& input, std::chrono::milliseconds most);

    /// Whether the process has closed its output.
    [[nodiscard]] bool is_silent() const { return from_ < 0; }

    /// Ends the process and its children, at once or after a grace period.
    void end(bool at_once);

    /// After end(): "exit status 3", "signal 9".
    [[nodiscard]] std::string ending() const;

private:
    void write_some(std::string_view& input);
    std::string read_some();
    bool has_ended_within(std::chrono::milliseconds most);

    pid_t id_ = -1;  ///< id of the process and its group; -1: already reaped
    int to_ = -1, from_ = -1, status_ = 0;
};

}  // namespace dunlin::io

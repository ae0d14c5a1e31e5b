// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>

namespace dunlin::io {

/// A child process, `sh -c command`, at the other end of two pipes. Ends with this object; never a zombie.
class Process {
public:
    /// Throws Error{bad_file} if it cannot be started.
    explicit Process(const std::string& command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    /// Writes what it takes of `question`, from its front, and returns what it has said; waits for either for at most
    /// so long.
    std::string exchange(std::string_view& question, std::chrono::milliseconds most);

    /// Whether it has closed its output.
    [[nodiscard]] bool is_silent() const { return from_ < 0; }

    /// Ends it and its children: at once, or when it had time to end by itself.
    void end(bool at_once);

    /// After end(): "exit status 3", "signal 9".
    [[nodiscard]] std::string ending() const;

private:
    void write_some(std::string_view& question);
    std::string read_some();
    bool has_ended_within(std::chrono::milliseconds most);

    pid_t id_ = -1;  ///< also of its group; -1: it has been waited for
    int to_ = -1, from_ = -1, status_ = 0;
};

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

/// Standard output and standard error, which may be closed, full or a terminal.
namespace dunlin::app {

/// Opens /dev/null where standard input or error is closed, as a file that is written would take its place, and
/// /dev/full where standard output is: what is written to it is an error.
void open_standard_streams();

/// Writes to standard error as it is; what cannot be written is lost.
void write_error(std::string_view text);

/// Control characters other than tabs and ends of lines as \x1b, so that a name in a file does not steer a terminal.
std::string without_controls(std::string_view text);

/// Writes a sentence to standard error.
template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
    write_error(without_controls(fmt::format(format, std::forward<Args>(args)...)));
}

/// Writes to standard output, to a terminal without control characters.
void write_output(std::string_view text);

template <class... Args>
void put(fmt::format_string<Args...> format, Args&&... args) {
    write_output(fmt::format(format, std::forward<Args>(args)...));
}

/// Whether all of standard output was written.
bool output_is_complete();

}  // namespace dunlin::app

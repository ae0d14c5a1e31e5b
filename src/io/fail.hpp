// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <dunlin/error.hpp>

namespace dunlin::io {

/// A location in a file: its text in a message, and the members of Error for it.
struct FileLocation {
    std::string text;
    ErrorLocation place;
};

/// "file:line"
template <class Line>
FileLocation at_line(const std::string& file, Line line) {
    return {fmt::format("{}:{}", file, line), {.file = file, .line = static_cast<Offset>(line)}};
}

/// The location among the arguments of a message; an empty one if there is none.
template <class... Args>
ErrorLocation location_among(const Args&... args) {
    ErrorLocation place;
    [[maybe_unused]] const auto look = [&place](const auto& arg) {
        if constexpr (std::is_same_v<std::decay_t<decltype(arg)>, FileLocation>) place = arg.place;
    };
    (look(args), ...);
    return place;
}

/// Throws Error{bad_file}: one sentence with the location, the value and the remedy. A FileLocation among `args`
/// becomes the place of the Error; run_reader() adds the file if there is none.
template <class... Args>
[[noreturn]] void bad_file(fmt::format_string<Args...> format, Args&&... args) {
    const ErrorLocation place = location_among(args...);
    throw Error(Fault::bad_file, fmt::format(format, std::forward<Args>(args)...), place);
}

/// Throws Error{bad_input} for an argument.
template <class... Args>
[[noreturn]] void bad_input(fmt::format_string<Args...> format, Args&&... args) {
    const ErrorLocation place = location_among(args...);
    throw Error(Fault::bad_input, fmt::format(format, std::forward<Args>(args)...), place);
}

/// Throws Error{bad_input} for the option of this name, with which the sentence begins.
template <class... Args>
[[noreturn]] void bad_option(std::string_view name, fmt::format_string<Args...> format, Args&&... args) {
    throw Error(Fault::bad_input, fmt::format("{}: {}", name, fmt::format(format, std::forward<Args>(args)...)),
                {.option = std::string(name)});
}

/// In the handler of an attempt to read a file as one of several formats: another format needs the memory, too.
inline void rethrow_out_of_memory(const Error& error) {
    if (error.fault() == Fault::out_of_memory) throw error;
}

/// Text of a file for a message: truncated, on one line.
std::string shown(std::string_view text, std::size_t longest = 40);

}  // namespace dunlin::io

template <>
struct fmt::formatter<dunlin::io::FileLocation> : fmt::formatter<std::string_view> {
    auto format(const dunlin::io::FileLocation& location, fmt::format_context& out) const {
        return fmt::formatter<std::string_view>::format(location.text, out);
    }
};

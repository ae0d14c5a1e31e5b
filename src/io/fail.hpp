#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include <dunlin/error.hpp>

namespace dunlin::io {

/// The file is at fault: one sentence with the place, the value and the remedy.
template <class... Args>
[[noreturn]] void bad_file(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(Fault::bad_file, fmt::format(format, std::forward<Args>(args)...));
}

/// An option or an argument is at fault.
template <class... Args>
[[noreturn]] void bad_input(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(Fault::bad_input, fmt::format(format, std::forward<Args>(args)...));
}

/// Text of a file as it may stand in a message: short, on one line.
std::string shown(std::string_view text, std::size_t longest = 40);

}  // namespace dunlin::io

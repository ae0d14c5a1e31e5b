// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <dunlin/error.hpp>

namespace dunlin::io {

/// A place in a file: its text in a sentence, and the same as members of the Error.
struct FileLocation {
    std::string text;
    Place place;
};

/// "file:line"
template <class Line>
FileLocation at_line(const std::string& file, Line line) {
    return {fmt::format("{}:{}", file, line), {.file = file, .line = static_cast<Offset>(line)}};
}

/// The place of the FileLocation among the arguments of a sentence; an empty one if there is none.
template <class... Args>
Place location_among(const Args&... args) {
    Place place;
    [[maybe_unused]] const auto look = [&place](const auto& arg) {
        if constexpr (std::is_same_v<std::decay_t<decltype(arg)>, FileLocation>) place = arg.place;
    };
    (look(args), ...);
    return place;
}

/// The file is at fault: one sentence with the place, the value and the remedy. A FileLocation among `args` becomes the
/// place of the Error; run_reader() adds the file where there is none.
template <class... Args>
[[noreturn]] void bad_file(fmt::format_string<Args...> format, Args&&... args) {
    const Place place = location_among(args...);
    throw Error(Fault::bad_file, fmt::format(format, std::forward<Args>(args)...), place);
}

/// An argument is at fault.
template <class... Args>
[[noreturn]] void bad_input(fmt::format_string<Args...> format, Args&&... args) {
    const Place place = location_among(args...);
    throw Error(Fault::bad_input, fmt::format(format, std::forward<Args>(args)...), place);
}

/// The option of this name is at fault. The sentence begins with its name.
template <class... Args>
[[noreturn]] void bad_option(std::string_view name, fmt::format_string<Args...> format, Args&&... args) {
    throw Error(Fault::bad_input, fmt::format("{}: {}", name, fmt::format(format, std::forward<Args>(args)...)),
                {.option = std::string(name)});
}

/// Text of a file as it may stand in a message: short, on one line.
std::string shown(std::string_view text, std::size_t longest = 40);

}  // namespace dunlin::io

template <>
struct fmt::formatter<dunlin::io::FileLocation> : fmt::formatter<std::string_view> {
    auto format(const dunlin::io::FileLocation& location, fmt::format_context& out) const {
        return fmt::formatter<std::string_view>::format(location.text, out);
    }
};

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/fail.hpp"

namespace dunlin::io {

/// A value of an option that is the remedy of an error.
struct OptionRemedy {
    std::string_view option, value;
};

/// Throws an Error of this kind whose sentence ends with the remedy as "(option: value)", and which has the option as
/// its place, so that the command can name the flag.
template <class... Args>
[[noreturn]] void refuse_unless(const OptionRemedy& remedy, Fault fault, fmt::format_string<Args...> format,
                                Args&&... args) {
    ErrorLocation place = location_among(args...);
    place.option = remedy.option;
    throw Error(
        fault,
        fmt::format("{} ({}: {})", fmt::format(format, std::forward<Args>(args)...), remedy.option, remedy.value),
        place);
}

}  // namespace dunlin::io

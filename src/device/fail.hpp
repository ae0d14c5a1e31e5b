// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include <dunlin/error.hpp>

namespace dunlin::device {

/// Throws Error{bad_input} for an option with an invalid value. `name` is the option's name in `fields`, or a member of
/// Run; the sentence begins with it: "theta is -1; it must be at least 0".
[[noreturn]] inline void bad_option(std::string_view name, const std::string& sentence) {
    throw Error(Fault::bad_input, sentence, {.option = std::string(name)});
}

/// Throws Error{bad_input} for a row (vertex, item) of the data, counted from 0, and its column if known.
[[noreturn]] inline void bad_row(Offset row, const std::string& sentence, Offset column = -1) {
    throw Error(Fault::bad_input, sentence, {.row = row, .column = column});
}

}  // namespace dunlin::device

// SPDX-License-Identifier: Apache-2.0
#include "options/check.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

namespace dunlin::options {

void fail_range(std::string_view name, const std::string& value, const std::string& range) {
    throw Error(Fault::bad_input, fmt::format("{} is {}; it must be {}", name, value, range.empty() ? "finite" : range),
                {.option = std::string(name)});
}

void fail_unread(std::string_view name, const std::string& value, const Condition& condition) {
    const std::string is = value == "on" ? "given" : value;
    const std::string sentence =
        condition.option.empty()
            ? fmt::format("{0} is {1}, but it is read only where {2}; leave {0} out", name, is, condition.values)
            : fmt::format(
                  "{0} is {1}, but it is read only with {2} {3}, and {2} is {4}; leave {0} out or choose "
                  "another {2}",
                  name, is, condition.option, condition.values, condition.value);
    throw Error(Fault::bad_input, sentence, {.option = std::string(name)});
}

}  // namespace dunlin::options

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include <dunlin/options.hpp>

namespace dunlin {

/// The limit that type T sets for an option whose value `number` is in `range` but becomes out of range as a T: "at
/// most 3.4028235e+38". Empty: the value stays in range.
template <class T>
std::string limit_of_precision(double number, const Range& range) {
    if constexpr (!std::is_floating_point_v<T>) return "";
    constexpr T most = std::numeric_limits<T>::max();
    if (number > static_cast<double>(most)) return "at most " + text_of(most);
    if (number < -static_cast<double>(most)) return "at least " + text_of(-most);
    const bool is_lost = range.contains(number) && !range.contains(static_cast<double>(static_cast<T>(number)));
    return is_lost ? text_of(range) + " in single precision" : "";
}

}  // namespace dunlin

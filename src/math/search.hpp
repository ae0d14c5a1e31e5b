// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

#include "math/hd.hpp"

namespace dunlin::math {

/// The first of the indices 0, 1, .. that is not below; `count` if there is none. is_below holds for all before it.
/// std::lower_bound has returned wrong results in device code of nvcc 13.
template <class IsBelow>
DUNLIN_HD Offset first_not_below(Offset count, const IsBelow& is_below) {
    Offset low = 0, high = count;
    while (low < high) {
        const Offset middle = (low + high) / 2;
        if (is_below(middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Lower bound: index of the first of `count` ascending values that is not below `value`.
template <class Value>
DUNLIN_HD Offset first_at_least(const Value* values, Offset count, Value value) {
    return first_not_below(count, [&](Offset i) { return values[i] < value; });
}

/// The same of the values of ascending keys without their `bits` lower bits.
DUNLIN_HD inline Offset first_at_least(const std::uint64_t* keys, Offset count, int bits, Offset value) {
    return first_not_below(count, [&](Offset i) { return (keys[i] >> bits) < static_cast<std::uint64_t>(value); });
}

}  // namespace dunlin::math

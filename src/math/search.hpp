// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"

namespace dunlin::math {

/// Lower bound: index of the first of `count` ascending values that is not below `value`; `count` if there is none.
/// std::lower_bound has returned wrong results in device code of nvcc 13.
template <class Value>
DUNLIN_HD Offset first_at_least(const Value* values, Offset count, Value value) {
    Offset low = 0, high = count;
    while (low < high) {
        const Offset middle = (low + high) / 2;
        if (values[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace dunlin::math

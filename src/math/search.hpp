// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"

namespace dunlin::math {

/// The first of `count` places, in ascending order of what is there, that is not below `value`; `count`: none.
/// (std::lower_bound in device code of nvcc 13 has returned others.)
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "math/hd.hpp"

namespace dunlin::io {

/// A number on its way to float32 (narrow.hpp): less the shift of its column, subtracted in double.
struct NarrowedNumber {
    double exact;
    float stored;
};
DUNLIN_HD inline NarrowedNumber narrowed_number(double value, double shift) {
    const double exact = value - shift;
    return {exact, static_cast<float>(exact)};
}

}  // namespace dunlin::io

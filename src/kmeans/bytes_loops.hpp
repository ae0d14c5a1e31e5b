// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

/// The loops over columns of bytes.cpp, compiled for several processors.
namespace dunlin::kmeans {

/// What became of a row.
struct Rounded {
    float length, error;  ///< of the row, and of what rounding lost; both rounded up
    std::int32_t sum;     ///< of its bytes
};

/// The row as scale * bytes; no value is beyond 127 * scale.
Rounded to_bytes(const float* row, Index cols, float scale, std::int8_t* bytes);

void subtract(const float* x, const float* y, Index cols, float* out);
float product(const float* x, const float* y, Index cols);  ///< x.y, summed in any order
float largest(const float* values, Offset count);           ///< magnitude

}  // namespace dunlin::kmeans

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/types.hpp>

/// The loops over columns of bytes.cpp, compiled for several instruction sets.
namespace dunlin::kmeans {

/// Statistics of a row rounded to bytes.
struct Rounded {
    float length, error;  ///< lengths of the row and of its rounding error, both rounded up
    std::int32_t sum;     ///< of its bytes
};

/// Rounds row / scale to bytes; no magnitude exceeds 127 * scale.
Rounded to_bytes(const float* row, Index cols, float scale, std::int8_t* bytes);

void subtract(const float* x, const float* y, Index cols, float* out);
float product(const float* x, const float* y, Index cols);  ///< x.y, in any order of summation
float largest(const float* values, Offset count);           ///< the largest magnitude

}  // namespace dunlin::kmeans

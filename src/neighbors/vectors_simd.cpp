// SPDX-License-Identifier: Apache-2.0
#include "neighbors/vectors.hpp"

#include <cmath>

#include "device/clones.hpp"

namespace dunlin::neighbors {

namespace {

template <class Value>
inline float apart(Norm norm, const Value* row, const float* from, Index dims) {
    float squares = 0, magnitudes = 0;
    for (Index c = 0; c < dims; ++c) {
        const float difference = static_cast<float>(row[c]) - from[c];
        squares += difference * difference;
        magnitudes += std::abs(difference);
    }
    return norm == Norm::l2 ? std::sqrt(squares) : magnitudes;
}

}  // namespace

DUNLIN_CLONES
void add_to(const std::uint8_t* row, Index dims, float* sums) {
    for (Index c = 0; c < dims; ++c) sums[c] += static_cast<float>(row[c]);
}

DUNLIN_CLONES
float inner(const std::uint8_t* row, const float* direction, Index dims) {
    float sum = 0;
    for (Index c = 0; c < dims; ++c) sum += static_cast<float>(row[c]) * direction[c];
    return sum;
}

DUNLIN_CLONES
float length(Norm norm, const std::uint8_t* row, const float* from, Index dims) { return apart(norm, row, from, dims); }

DUNLIN_CLONES
float length(Norm norm, const float* row, const float* from, Index dims) { return apart(norm, row, from, dims); }

}  // namespace dunlin::neighbors

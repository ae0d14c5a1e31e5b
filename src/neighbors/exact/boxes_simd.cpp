// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/clones.hpp"
#include "neighbors/exact/boxes.hpp"

namespace dunlin::neighbors {

namespace {

template <class Value, class Sum>
inline double gap(Norm norm, const Value* a, const Value* b, Index dims) {
    const Value *a_high = a + dims, *b_high = b + dims;
    Sum squares = 0, absolute = 0;
    for (Index c = 0; c < dims; ++c) {
        const Sum below = static_cast<Sum>(a[c]) - static_cast<Sum>(b_high[c]);
        const Sum above = static_cast<Sum>(b[c]) - static_cast<Sum>(a_high[c]);
        const Sum apart = std::max(std::max(below, above), Sum{0});
        squares += apart * apart;
        absolute += apart;
    }
    return static_cast<double>(norm == Norm::l2 ? squares : absolute);
}

template <class Value>
inline void grow(Value* box, const Value* row, Index dims) {
    for (Index c = 0; c < dims; ++c) {
        box[c] = std::min(box[c], row[c]);
        box[dims + c] = std::max(box[dims + c], row[c]);
    }
}

}  // namespace

DUNLIN_CLONES
double box_gap(Norm norm, const std::uint8_t* a, const std::uint8_t* b, Index dims) {
    return gap<std::uint8_t, std::int32_t>(norm, a, b, dims);
}

// The factor covers the rounding of sums of few terms in float32
DUNLIN_CLONES
double box_gap(Norm norm, const float* a, const float* b, Index dims) {
    return gap<float, double>(norm, a, b, dims) * (1 - 1e-6);
}

DUNLIN_CLONES
void enclose(std::uint8_t* box, const std::uint8_t* row, Index dims) { grow(box, row, dims); }
DUNLIN_CLONES
void enclose(float* box, const float* row, Index dims) { grow(box, row, dims); }

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cuda.cuh"
#include "neighbors/codes/subquantizers.hpp"

namespace dunlin::neighbors {

/// Decodes product-quantization codes in kernels (neighbors/codes/product_quantizer.hpp): a row, projected on the axes,
/// is the centroid of its cell plus an entry of each part's codebook.
struct CodedRows {
    const std::uint8_t* codes = nullptr;  ///< items x parts
    const Index* cell = nullptr;          ///< per item
    const float* centroids = nullptr;     ///< cells x cols
    const float* codebooks = nullptr;     ///< part after part: entries x columns of the part
    Index parts = 0, entries = 0, cols = 0;

    /// Part p has columns [begin(p), begin(p + 1)).
    [[nodiscard]] __device__ Index begin(Index part) const { return part_begin(part, cols, parts); }
    [[nodiscard]] __device__ Index part_of(Index c) const {
        return static_cast<Index>(((Offset{c} + 1) * parts - 1) / cols);
    }

    [[nodiscard]] __device__ double value(Index i, Index c) const {
        const Index part = part_of(c), first = begin(part), width = begin(part + 1) - first;
        const float* codebook = codebooks + first * entries;
        const float differs = codebook[codes[Offset{i} * parts + part] * width + c - first];
        return static_cast<double>(centroids[Offset{cell[i]} * cols + c]) + static_cast<double>(differs);
    }
};

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "neighbors/codes/product_quantizer.hpp"

namespace dunlin::neighbors {

/// The codebooks in bytes, which decode codes to residuals (difference from the centroid of the cell). The step fits
/// all but one coordinate in a thousand; larger ones are clamped.
class ByteCodebooks {
public:
    explicit ByteCodebooks(const ProductQuantizer& quantizer);

    /// (byte - 128) * step is a coordinate of the residual.
    [[nodiscard]] double step() const { return step_; }
    /// Bytes per decoded row: the coordinates, then zeros.
    [[nodiscard]] Index stride() const { return stride_; }

    /// Decodes rows of `stride` bytes. out needs room for `slack` bytes more.
    void decode(const std::uint8_t* codes, Index rows, std::uint8_t* out) const;
    static constexpr Index slack = 4;

private:
    Index parts_, entries_, dims_, stride_;
    Index room_;  ///< bytes of an entry, a multiple of `slack`
    double step_;
    std::vector<Index> begins_;
    std::vector<std::uint8_t> bytes_;  ///< parts x entries x room
};

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "neighbors/codes/product_quantizer.hpp"

namespace dunlin::neighbors {

/// What codes stand for in bytes: how far a row is from the centroid of its cell. A step suits all but one coordinate
/// in a thousand; what lies outside is clamped.
class ByteCodebooks {
public:
    explicit ByteCodebooks(const ProductQuantizer& quantizer);

    /// (byte - 128) * step is a coordinate's difference from the centroid's.
    [[nodiscard]] double step() const { return step_; }
    /// Bytes from row to row of what is decoded: coordinates, then 0.
    [[nodiscard]] Index stride() const { return stride_; }

    /// Rows of `stride` bytes; out has room for `slack` more.
    void decode(const std::uint8_t* codes, Index rows, std::uint8_t* out) const;
    static constexpr Index slack = 4;

private:
    Index parts_, entries_, dims_, stride_;
    Index room_;  ///< of an entry: copied as eights
    double step_;
    std::vector<Index> begins_;
    std::vector<std::uint8_t> bytes_;  ///< parts x entries x room
};

}  // namespace dunlin::neighbors

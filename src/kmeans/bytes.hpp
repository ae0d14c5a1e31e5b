// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "distance/tile.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/products.hpp"

/// Lower-bounding filter: scores of rows and centroids quantized to bytes, which some processors multiply four times as
/// fast as floats. It excludes most centroids of a row; the others are scored in float, and ties within its error bound
/// are decided in double.
namespace dunlin::kmeans {

/// Whether the filter pays off.
[[nodiscard]] bool bytes_suit(Index cols, Index clusters);

/// Centered centroids c' in bytes, in the blocks that distance::scan_dots reads: c' = scale * (byte - 128) + rounding
/// error.
class ByteCentroids {
public:
    struct CentroidBlock {
        distance::ColumnBlock<std::uint8_t> panels;
        Index first, count;          ///< centroids
        float scale, length, error;  ///< length, error: the largest |c'| and |rounding error|, rounded up
    };

    void pack(const CenteredCentroids& centered, Index clusters);
    [[nodiscard]] const std::vector<CentroidBlock>& blocks() const { return blocks_; }
    [[nodiscard]] Index dims() const { return dims_; }

private:
    Index dims_ = 0;  ///< columns padded with zeros to a multiple of four
    std::vector<std::uint8_t> panels_;
    std::vector<CentroidBlock> blocks_;
};

/// Labels tiles of rows with the filter in bytes; one per worker.
class ByteTile {
public:
    /// As nearest_by_products (products.hpp). guess: a likely label of each row, or -1; a good guess leaves fewer
    /// centroids to score in float.
    void label(const float* points, Index rows, const CenteredCentroids& centered, const ByteCentroids& bytes,
               const float* centroids, Index clusters, const Index* guess, Index* label);

    /// Whether the filter excluded so few centroids for the last tile that scores in float alone are faster; until
    /// reset().
    [[nodiscard]] bool too_coarse(Index clusters) const { return float_scores_ > Offset{tile_rows} * clusters / 8; }
    void reset() { float_scores_ = 0; }

private:
    struct ScoredCentroid {
        float score;
        Index label;
    };
    /// State of a row: x' = scale_ * bytes + rounding error.
    struct ByteRow {
        float length, error;               ///< |x'| and |rounding error|, rounded up
        float reach;                       ///< products.hpp
        float best;                        ///< best score so far
        std::int32_t sum;                  ///< of its bytes
        std::vector<ScoredCentroid> near;  ///< centroids within reach of the best score when they were scored
    };
    void load(const float* points, Index rows, const CenteredCentroids& centered, Index dims);
    void score_first(const CenteredCentroids& centered, Index clusters, const Index* guess);
    void score_block(const CenteredCentroids& centered, const ByteCentroids::CentroidBlock& block, const Index* guess);
    void score_centroid(std::size_t row, const CenteredCentroids& centered, Index label);
    [[nodiscard]] Index nearest(const ByteRow& row, const float* point, Index cols, const float* centroids) const;

    Index count_ = 0, cols_ = 0;
    float scale_ = 1;
    std::vector<float> values_;       ///< x', tile_rows x cols
    std::vector<std::int8_t> bytes_;  ///< tile_rows x dims
    std::vector<ByteRow> rows_ = std::vector<ByteRow>(tile_rows);
    Offset float_scores_ = 0;  ///< scores computed in float for the last tile
    distance::Hits hits_{};
};

}  // namespace dunlin::kmeans

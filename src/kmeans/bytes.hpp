// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "distance/tile.hpp"
#include "kmeans/products.hpp"
#include "kmeans/nearest.hpp"

/// A coarse look at centroids in bytes, which some processors multiply four times as fast as floats. It rules most of
/// a row's centroids out; floats look at those left, and double decides where floats cannot.
namespace dunlin::kmeans {

/// Whether it pays here.
[[nodiscard]] bool bytes_suit(Index cols, Index clusters);

/// Centroids less the middle, c', in bytes, by blocks as distance::scan_dots wants them: c' is scale * (byte - 128)
/// and what rounding lost.
class ByteCentroids {
public:
    struct CentroidBlock {
        distance::Block<std::uint8_t> panels;
        Index first, count;          ///< centroids
        float scale, length, error;  ///< the largest |c'| and |what rounding lost|, rounded up
    };

    void pack(const CenteredCentroids& centered, Index clusters);
    [[nodiscard]] const std::vector<CentroidBlock>& blocks() const { return blocks_; }
    [[nodiscard]] Index dims() const { return dims_; }

private:
    Index dims_ = 0;  ///< columns, and zeros to a multiple of four
    std::vector<std::uint8_t> panels_;
    std::vector<CentroidBlock> blocks_;
};

/// What a worker labels tiles of rows by bytes with.
class ByteTile {
public:
    /// As nearest_by_products (products.hpp). guess: a likely label of each row, or -1; the better it is, the fewer
    /// centroids floats look at.
    void label(const float* points, Index rows, const CenteredCentroids& centered, const ByteCentroids& bytes,
               const float* centroids, Index clusters, const Index* guess, Index* label);

    /// Whether bytes ruled out so few of the last tile that floats alone are faster; until told to forget it.
    [[nodiscard]] bool too_coarse(Index clusters) const { return float_scores_ > Offset{tile_rows} * clusters / 8; }
    void reset() { float_scores_ = 0; }

private:
    struct ScoredCentroid {
        float score;
        Index label;
    };
    /// What is known of a row: x' is scale_ * bytes and what rounding lost.
    struct ByteRow {
        float length, error;               ///< |x'| and |what rounding lost|, rounded up
        float reach;                       ///< products.hpp
        float best;                        ///< score so far
        std::int32_t sum;                  ///< of its bytes
        std::vector<ScoredCentroid> near;  ///< centroids that were within reach of the best when floats looked at them
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
    Offset float_scores_ = 0;  ///< of floats, at the last tile's centroids
    distance::Hits hits_{};
};

}  // namespace dunlin::kmeans

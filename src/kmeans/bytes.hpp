// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "distance/tile.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/products.hpp"

/// A coarse look at centroids in bytes, which some processors multiply four times as fast as floats. It rules most of
/// a row's centroids out; floats look at those left, and double decides where floats cannot.
namespace dunlin::kmeans {

/// Whether it pays here.
[[nodiscard]] bool bytes_suit(Index cols, Index clusters);

/// Centroids less the middle, c', in bytes, by blocks as distance::scan_dots wants them: c' is scale * (byte - 128)
/// and what rounding lost.
class ByteCentroids {
public:
    struct Block {
        distance::ColumnBlock<std::uint8_t> panels;
        Index first, count;          ///< centroids
        float scale, length, error;  ///< the largest |c'| and |what rounding lost|, rounded up
    };

    void take(const Products& products, Index clusters);
    [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
    [[nodiscard]] Index dims() const { return dims_; }

private:
    Index dims_ = 0;  ///< columns, and zeros to a multiple of four
    std::vector<std::uint8_t> panels_;
    std::vector<Block> blocks_;
};

/// What a worker labels tiles of rows by bytes with.
class ByteTile {
public:
    /// As nearest_by_products (products.hpp). guess: a likely label of each row, or -1; the better it is, the fewer
    /// centroids floats look at.
    void label(const float* points, Index rows, const Products& products, const ByteCentroids& bytes,
               const float* centroids, Index clusters, const Index* guess, Index* label);

    /// Whether bytes ruled out so few of the last tile that floats alone are faster; until told to forget it.
    [[nodiscard]] bool too_coarse(Index clusters) const { return looks_ > Offset{tile_rows} * clusters / 8; }
    void forget() { looks_ = 0; }

private:
    struct Met {
        float score;
        Index label;
    };
    /// What is known of a row: x' is scale_ * bytes and what rounding lost.
    struct Row {
        float length, error;    ///< |x'| and |what rounding lost|, rounded up
        float reach;            ///< products.hpp
        float best;             ///< score so far
        std::int32_t sum;       ///< of its bytes
        std::vector<Met> near;  ///< centroids that were within reach of the best when floats looked at them
    };
    void load(const float* points, Index rows, const Products& products, Index dims);
    void meet_first(const Products& products, Index clusters, const Index* guess);
    void meet_block(const Products& products, const ByteCentroids::Block& block, const Index* guess);
    void meet(std::size_t row, const Products& products, Index label);
    [[nodiscard]] Index nearest(const Row& row, const float* point, Index cols, const float* centroids) const;

    Index count_ = 0, cols_ = 0;
    float scale_ = 1;
    std::vector<float> values_;       ///< x', tile_rows x cols
    std::vector<std::int8_t> bytes_;  ///< tile_rows x dims
    std::vector<Row> rows_ = std::vector<Row>(tile_rows);
    Offset looks_ = 0;  ///< of floats, at the last tile's centroids
    distance::Hits hits_{};
};

}  // namespace dunlin::kmeans

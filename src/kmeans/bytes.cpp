// SPDX-License-Identifier: Apache-2.0
#include "kmeans/bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "distance/tile_variants.hpp"
#include "kmeans/bytes_loops.hpp"
#include "math/at.hpp"

namespace dunlin::kmeans {

namespace {

using distance::block_columns;
using distance::group_columns;
using distance::group_rows;

constexpr Index scored_first = 16;     ///< centroids scored first for a row without a guess
constexpr double most_start = 0x1p30;  ///< with up to 16,384 columns no sum from here overflows 32 bits

/// Products of bytes are four times as fast as those of floats, but a score in float costs as much as 2,000 of them.
constexpr Offset least_work = 16384;

bool has_byte_products() {
#if defined(DUNLIN_TILE_AVX512)
    return distance::avx512::available();
#else
    return false;
#endif
}

/// Scale that maps the largest magnitude to 127; values too small for such a scale in float32 become zero.
float scale_for(float most) { return most > 1e-30F ? most / 127 : 1.0F; }

}  // namespace

bool bytes_suit(Index cols, Index clusters) {
    return cols >= 32 && cols <= 16384 && clusters >= 64 && Offset{cols} * clusters >= least_work &&
           has_byte_products();
}

void ByteCentroids::pack(const CenteredCentroids& centered, Index clusters) {
    const auto cols = static_cast<Index>(centered.center.size());
    const Index padded = (clusters + group_columns - 1) / group_columns * group_columns;
    dims_ = (cols + 3) / 4 * 4;
    panels_.assign(at(Offset{padded} * dims_), 128);
    blocks_.clear();
    std::vector<std::int8_t> bytes(at(dims_));
    for (Index first = 0; first < clusters; first += block_columns) {
        const Index count = std::min(clusters - first, block_columns);
        const float* from = centered.centroids.data() + Offset{first} * cols;
        std::uint8_t* panels = panels_.data() + Offset{first} * dims_;
        CentroidBlock block{{panels, std::min(padded - first, block_columns), dims_}, first, count, 1, 0, 0};
        block.scale = scale_for(largest(from, Offset{count} * cols));
        for (Index k = 0; k < count; ++k) {
            const Rounded rounded = to_bytes(from + Offset{k} * cols, cols, block.scale, bytes.data());
            block.length = std::max(block.length, rounded.length);
            block.error = std::max(block.error, rounded.error);
            std::uint8_t* panel = panels + Offset{k / distance::lanes} * distance::lanes * dims_;
            for (Index c = 0; c < cols; ++c) {
                const Index position = c / 4 * 4 * distance::lanes + k % distance::lanes * 4 + c % 4;
                panel[position] = static_cast<std::uint8_t>(bytes[at(c)] + 128);
            }
        }
        blocks_.push_back(block);
    }
}

void ByteTile::label(const float* points, Index rows, const CenteredCentroids& centered, const ByteCentroids& bytes,
                     const float* centroids, Index clusters, const Index* guess, Index* label) {
    load(points, rows, centered, bytes.dims());
    float_scores_ = 0;
    score_first(centered, clusters, guess);
    for (const ByteCentroids::CentroidBlock& block : bytes.blocks()) score_block(centered, block, guess);
    for (Index r = 0; r < rows; ++r) {
        label[r] = nearest(rows_[at(r)], points + Offset{r} * cols_, cols_, centroids);
    }
}

void ByteTile::load(const float* points, Index rows, const CenteredCentroids& centered, Index dims) {
    count_ = rows;
    cols_ = static_cast<Index>(centered.center.size());
    values_.resize(at(Offset{tile_rows} * cols_));
    bytes_.assign(at(Offset{tile_rows} * dims), 0);
    for (Index r = 0; r < rows; ++r) {
        const Offset begin = Offset{r} * cols_;
        subtract(points + begin, centered.center.data(), cols_, values_.data() + begin);
    }
    scale_ = scale_for(largest(values_.data(), Offset{rows} * cols_));
    for (Index r = 0; r < rows; ++r) {
        ByteRow& row = rows_[at(r)];
        const Rounded rounded =
            to_bytes(values_.data() + Offset{r} * cols_, cols_, scale_, bytes_.data() + Offset{r} * dims);
        row.length = rounded.length;
        row.error = rounded.error;
        row.sum = rounded.sum;
        row.reach = centered.reach(rounded.length);
        row.best = -std::numeric_limits<float>::infinity();
        row.near.clear();
    }
}

void ByteTile::score_first(const CenteredCentroids& centered, Index clusters, const Index* guess) {
    for (std::size_t r = 0; r < at(count_); ++r) {
        const Index first = std::max(guess[r], 0);
        const Index end = guess[r] >= 0 ? first + 1 : std::min(scored_first, clusters);
        for (Index k = first; k < end; ++k) score_centroid(r, centered, k);
    }
}

void ByteTile::score_block(const CenteredCentroids& centered, const ByteCentroids::CentroidBlock& block,
                           const Index* guess) {
    const double in_bytes = 1 / (static_cast<double>(scale_) * static_cast<double>(block.scale));
    std::int32_t starts[block_columns];
    for (Index k = 0; k < block.panels.columns; ++k) {
        const double half = k < block.count ? static_cast<double>(centered.half_squares[at(block.first + k)]) : 1e300;
        starts[k] = static_cast<std::int32_t>(std::min(half * in_bytes, most_start));
    }
    for (Index first = 0; first < count_; first += group_rows) {
        const Index rows = std::min(count_ - first, group_rows);
        std::int32_t least[group_rows];
        std::fill_n(least, group_rows, std::numeric_limits<std::int32_t>::max());
        for (Index i = 0; i < rows; ++i) {
            // The nearest centroid's exact score is at least best - reach; the score in bytes is below the exact one by
            // at most the rounding errors of row and centroid
            const ByteRow& row = rows_[at(first + i)];
            const float lost = row.error * block.length + (row.length + row.error) * block.error;
            const double score = static_cast<double>(row.best - row.reach) - 1.0001 * static_cast<double>(lost);
            const double wanted = std::floor(score * in_bytes) + 128.0 * row.sum - 3;
            least[i] = static_cast<std::int32_t>(std::clamp(wanted, -0x1p31, most_start));
        }
        std::fill_n(hits_.count, group_rows, 0);
        distance::scan_dots(block.panels, starts, bytes_.data() + Offset{first} * block.panels.dims, least, hits_);
        for (Index i = 0; i < rows; ++i) {
            const Index old = guess[first + i];
            for (int h = 0; h < hits_.count[i]; ++h) {
                const Index k = block.first + hits_.columns[i][h];
                const bool scored = old >= 0 ? k == old : k < scored_first;
                if (!scored && k < block.first + block.count) score_centroid(at(first + i), centered, k);
            }
        }
    }
}

void ByteTile::score_centroid(std::size_t r, const CenteredCentroids& centered, Index label) {
    ++float_scores_;
    ByteRow& row = rows_[r];
    const float* y = centered.centroids.data() + Offset{label} * cols_;
    const float score =
        product(values_.data() + static_cast<Offset>(r) * cols_, y, cols_) - centered.half_squares[at(label)];
    if (score < row.best - row.reach) return;
    row.near.push_back({score, label});
    row.best = std::max(row.best, score);
}

Index ByteTile::nearest(const ByteRow& row, const float* point, Index cols, const float* centroids) const {
    const auto within = [&](const ScoredCentroid& scored) { return scored.score >= row.best - row.reach; };
    const auto only = std::find_if(row.near.begin(), row.near.end(), within);
    if (std::find_if(only + 1, row.near.end(), within) == row.near.end()) return only->label;
    double least = std::numeric_limits<double>::infinity();
    Index label = 0;
    for (const ScoredCentroid& scored : row.near) {
        if (!within(scored)) continue;
        const double distance = squared_distance(point, centroids + Offset{scored.label} * cols, cols);
        if (distance < least || (distance == least && scored.label < label)) least = distance, label = scored.label;
    }
    return label;
}

}  // namespace dunlin::kmeans

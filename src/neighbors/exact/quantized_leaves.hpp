// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "distance/tile.hpp"
#include "math/at.hpp"
#include "neighbors/exact/high_dimensional.hpp"
#include "neighbors/partition_tree.hpp"
#include "neighbors/quantized_rows.hpp"
#include "neighbors/strategies.hpp"
#include "neighbors/vectors.hpp"

namespace dunlin::neighbors {

/// A leaf and the distance of its mean from a place.
struct RankedLeaf {
    float distance;
    Index leaf;
    [[nodiscard]] bool operator<(const RankedLeaf& other) const {
        return distance != other.distance ? distance < other.distance : leaf < other.leaf;
    }
};

/// The items in quantized coordinates, in the leaves of a partition tree over their principal directions. A leaf has a
/// mean, a radius about it, and its items as columns for scan_dots and scan_absolute.
template <Norm norm>
class QuantizedLeaves {
public:
    static constexpr Index cell = norm == Norm::l2 ? 4 : 8;  ///< coordinates per block in the layout of the columns

    QuantizedLeaves(device::Cpu& cpu, const ItemTransform& transform, const ValueStatistics& statistics)
        : transform_(transform),
          rows_(quantize_items(cpu, statistics)),
          tree_(cpu, transform.items(), distance::block_columns,
                [this](auto items, auto keys) { spread_along_axis(items, keys); }) {
        lay_out_leaves(cpu);
    }
    QuantizedLeaves(const QuantizedLeaves&) = delete;
    QuantizedLeaves& operator=(const QuantizedLeaves&) = delete;

    [[nodiscard]] const QuantizedRows<std::uint8_t>& rows() const { return rows_; }
    [[nodiscard]] const PartitionTree& tree() const { return tree_; }
    /// Whether the coordinates are projections, not columns.
    [[nodiscard]] bool on_axes() const { return axes_.has_value(); }

    [[nodiscard]] const float* mean(Index leaf) const { return means_.data() + Offset{leaf} * rows_.dims; }
    [[nodiscard]] float radius(Index leaf) const { return radii_[at(leaf)]; }
    [[nodiscard]] float largest_radius() const { return *std::max_element(radii_.begin(), radii_.end()); }
    /// The largest error of the leaf's items.
    [[nodiscard]] float error(Index leaf) const { return errors_[at(leaf)]; }

    /// Columns of the leaf, padded to whole groups.
    [[nodiscard]] distance::ColumnBlock<std::uint8_t> columns(Index leaf) const {
        const auto count = static_cast<int>(tree_.items(leaf).size());
        return {panels_.data() + Offset{leaf} * leaf_columns_ * rows_.dims,
                (count + distance::group_columns - 1) / distance::group_columns * distance::group_columns, rows_.dims};
    }
    /// Half the squared norms of the columns.
    [[nodiscard]] const std::int32_t* starts(Index leaf) const { return starts_.data() + Offset{leaf} * leaf_columns_; }

    /// Mean of every step-th of these rows.
    void mean_of(std::span<const Index> items, std::size_t step, float* mean) const {
        std::fill_n(mean, rows_.dims, 0.0F);
        float count = 0;
        for (std::size_t at = 0; at < items.size(); at += step, ++count) add_to(rows_.row(items[at]), rows_.dims, mean);
        for (Index c = 0; c < rows_.dims; ++c) mean[c] /= count;
    }

    [[nodiscard]] float radius_of(std::span<const Index> items, const float* mean) const {
        float radius = 0;
        for (const Index item : items) radius = std::max(radius, length(norm, rows_.row(item), mean, rows_.dims));
        return radius;
    }

    /// Sorts the leaves by the distance of their means from this one.
    void rank(const float* mean, std::vector<RankedLeaf>& ranked) const {
        ranked.resize(at(tree_.count()));
        for (Index leaf = 0; leaf < tree_.count(); ++leaf) {
            ranked[at(leaf)] = {length(norm, means_.data() + Offset{leaf} * rows_.dims, mean, rows_.dims), leaf};
        }
        std::sort(ranked.begin(), ranked.end());
    }

    /// The rank of each leaf by distance from the leaf `own`, as for a block of its queries.
    [[nodiscard]] std::vector<Index> ranks_from(Index own) const {
        std::vector<RankedLeaf> ranked;
        rank(mean(own), ranked);
        std::vector<Index> rank_of(ranked.size());
        for (std::size_t r = 0; r < ranked.size(); ++r) rank_of[at(ranked[r].leaf)] = static_cast<Index>(r);
        return rank_of;
    }

    /// Buffers of nearest(); one per thread.
    struct LocatingWorkspace {
        ByteGrid::Batch batch;
        std::vector<float> point;
    };

    /// The leaf with the mean nearest to a query that is no item. Of a query alone: a matrix product of several rows
    /// may round differently.
    RankedLeaf nearest(Index query, LocatingWorkspace& w) const {
        grid_->locate({&query, 1}, w.batch);
        w.point.resize(at(rows_.dims), static_cast<float>(ByteGrid::zero));
        for (std::size_t c = 0; c < w.batch.coordinates.size(); ++c)
            w.point[c] = static_cast<float>(grid_->in_steps(w.batch.coordinates[c]));
        RankedLeaf nearest{std::numeric_limits<float>::infinity(), 0};
        for (Index leaf = 0; leaf < tree_.count(); ++leaf) {
            const float away = length(norm, mean(leaf), w.point.data(), rows_.dims);
            if (away < nearest.distance) nearest = {away, leaf};
        }
        return nearest;
    }

private:
    QuantizedRows<std::uint8_t> quantize_items(device::Cpu& cpu, const ValueStatistics& statistics) {
        const bool projected = transform_.cols() > projected_beyond;
        const bool as_they_are =
            norm == Norm::l1 || (statistics.bytes() && !transform_.space().unit_rows() && !projected);
        if (!as_they_are) {
            const auto sampled = static_cast<Index>(transform_.sample().size());
            axes_.emplace(transform_.sample_rows(sampled).view(), projected ? axes_kept : transform_.cols());
        }
        grid_.emplace(transform_, statistics, axes_ ? &*axes_ : nullptr);
        return quantize_to_bytes(cpu, *grid_, all_items(transform_.groups()), cell);
    }

    /// Keys: projections on the first principal direction of a sample of the node's items, by power iteration.
    void spread_along_axis(std::span<const Index> items, std::span<float> keys) const {
        constexpr std::size_t looked_at = 256;
        constexpr int iterations = 6;
        const auto dims = static_cast<std::size_t>(rows_.dims);
        const std::size_t step = std::max<std::size_t>(1, items.size() / looked_at);
        std::vector<float> mean(dims), direction(dims), next(dims);
        mean_of(items, step, mean.data());
        for (std::size_t c = 0; c < dims; ++c) direction[c] = (c * 7 % 3 == 0) ? 1.0F : -0.5F;
        for (int i = 0; i < iterations; ++i) {
            std::fill(next.begin(), next.end(), 0.0F);
            const float offset = std::inner_product(mean.begin(), mean.end(), direction.begin(), 0.0F);
            for (std::size_t at = 0; at < items.size(); at += step) {
                const std::uint8_t* row = rows_.row(items[at]);
                const float along = inner(row, direction.data(), rows_.dims) - offset;
                for (std::size_t c = 0; c < dims; ++c) next[c] += along * (static_cast<float>(row[c]) - mean[c]);
            }
            const float size = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 1e-30F));
            for (std::size_t c = 0; c < dims; ++c) direction[c] = next[c] / size;
        }
        for (std::size_t i = 0; i < items.size(); ++i)
            keys[i] = inner(rows_.row(items[i]), direction.data(), rows_.dims);
    }

    void lay_out_leaves(device::Cpu& cpu) {
        const Index padded =
            (tree_.most_items() + distance::group_columns - 1) / distance::group_columns * distance::group_columns;
        const auto count = static_cast<std::size_t>(tree_.count()), dims = static_cast<std::size_t>(rows_.dims);
        leaf_columns_ = padded;
        panels_.resize(count * static_cast<std::size_t>(padded) * dims);
        starts_.resize(count * static_cast<std::size_t>(padded));
        means_.resize(count * dims);
        radii_.resize(count);
        errors_.resize(count);
        cpu.each(
            tree_.count(),
            [&](Offset leaf) {
                const auto at = static_cast<std::size_t>(leaf);
                const auto items = tree_.items(static_cast<Index>(leaf));
                lay_out<std::uint8_t>(rows_, items, cell, panels_.data() + leaf * padded * rows_.dims);
                mean_of(items, 1, means_.data() + at * dims);
                radii_[at] = radius_of(items, means_.data() + at * dims);
                for (std::size_t i = 0; i < items.size(); ++i) {
                    starts_[at * static_cast<std::size_t>(padded) + i] =
                        distance::sums_of(rows_.row(items[i]), rows_.dims).squares / 2;
                    errors_[at] = std::max(errors_[at], rows_.errors[static_cast<std::size_t>(items[i])]);
                }
            },
            1);
    }

    const ItemTransform& transform_;
    std::optional<PrincipalAxes> axes_;
    std::optional<ByteGrid> grid_;
    QuantizedRows<std::uint8_t> rows_;
    PartitionTree tree_;
    Index leaf_columns_ = 0;
    std::vector<std::uint8_t> panels_;  ///< per leaf: leaf_columns_ columns
    std::vector<std::int32_t> starts_;  ///< per column: half its squared norm
    std::vector<float> means_, radii_;  ///< per leaf
    std::vector<float> errors_;         ///< per leaf: the largest error of its items
};

}  // namespace dunlin::neighbors

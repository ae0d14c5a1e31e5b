// SPDX-License-Identifier: Apache-2.0
#include "neighbors/transform.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "distance/keys.hpp"

namespace dunlin::neighbors {

namespace {

constexpr Index sample_items = 2048;

// Clamping never increases a distance, so lower bounds stay valid; it prevents overflow of float32.
constexpr double largest = 1e15;

void lower(std::atomic<Index>& least, Index value) {
    Index seen = least;
    while (value < seen && !least.compare_exchange_weak(seen, value)) {
    }
}

}  // namespace

ValueStatistics collect_statistics(device::Cpu& cpu, MatrixView<const float> rows, RowKind kind) {
    constexpr Offset grain = 256;
    std::atomic<Index> unusable = rows.rows;
    std::vector<distance::RowStatistics> blocks(static_cast<std::size_t>((rows.rows + grain - 1) / grain));
    cpu.blocks(rows.rows, grain, [&](Offset begin, Offset end, int) {
        distance::RowStatistics& block = blocks[static_cast<std::size_t>(begin / grain)];
        for (Offset r = begin; r < end; ++r) {
            const auto row = rows.row(static_cast<Index>(r));
            if (!distance::all_finite(row.data(), rows.cols)) lower(unusable, static_cast<Index>(r));
            distance::count_row(row.data(), rows.cols, block);
        }
    });
    if (unusable < rows.rows) fail_for_not_finite(unusable, kind);
    distance::RowStatistics all;
    for (const distance::RowStatistics& block : blocks) {
        all.least = std::min(all.least, block.least);
        all.most = std::max(all.most, block.most);
        all.whole = all.whole && block.whole;
    }
    return {all.least, all.most, all.whole};
}

ItemTransform::ItemTransform(const distance::Space& space, const DistinctRows& items) : space_(space), items_(items) {
    const Index taken = std::min(items.size(), sample_items);
    for (Index s = 0; s < taken; ++s) sample_.push_back(static_cast<Index>(Offset{s} * items.size() / taken));
    find_center();
}

void ItemTransform::find_center() {
    const auto cols = static_cast<std::size_t>(this->cols());
    std::vector<double> row(cols);
    center_.assign(cols, 0.0);
    for (const Index item : sample_) {
        space_.normalized(row_of(item), row.data());
        for (std::size_t c = 0; c < cols; ++c) center_[c] += row[c] / static_cast<double>(sample_.size());
    }

    // A power of two as scale causes no rounding
    double extent = 0;
    for (const Index item : sample_) {
        space_.normalized(row_of(item), row.data());
        for (std::size_t c = 0; c < cols; ++c) extent = std::max(extent, std::abs(row[c] - center_[c]));
    }
    scale_ = extent > 0 ? std::exp2(-std::ilogb(extent)) : 1.0;
    double farthest = 0;
    for (const double value : center_) farthest = std::max(farthest, std::abs(value));
    noise_ = static_cast<double>(cols) * (1e-15 * farthest * scale_ + 1e-37);
}

void ItemTransform::row(Index group, float* out) const {
    const Index r = row_of(group);
    distance::move_to_frame(space_.row(r).data(), {space_.mean(r), space_.scale(r)}, center_.data(), scale_, largest,
                            cols(), out);
}

Matrix ItemTransform::sample_rows(Index most) const {
    const Index taken = std::min(items(), most);
    std::vector<float> rows(static_cast<std::size_t>(taken) * static_cast<std::size_t>(cols()));
    for (Index s = 0; s < taken; ++s) {
        row(static_cast<Index>(Offset{s} * items() / taken), rows.data() + Offset{s} * cols());
    }
    return {taken, cols(), std::move(rows)};
}

}  // namespace dunlin::neighbors

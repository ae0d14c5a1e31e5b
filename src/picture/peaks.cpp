// SPDX-License-Identifier: Apache-2.0
#include "picture/peaks.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>

#include <dunlin/labels.hpp>

#include "math/at.hpp"
#include "picture/label_grid.hpp"

namespace dunlin::picture {

namespace {

constexpr std::size_t max_labels = 1000;

/// Rows of the points of every label.
struct ByLabel {
    std::vector<Offset> offsets;
    std::vector<Index> rows;
};

ByLabel sorted_by_label(const Labels& labels) {
    ByLabel sorted{std::vector<Offset>(labels.names.size() + 1), {}};
    for (const Index label : labels.of) {
        if (label != no_label) ++sorted.offsets[at(label) + 1];
    }
    std::partial_sum(sorted.offsets.begin(), sorted.offsets.end(), sorted.offsets.begin());
    std::vector<Offset> next(sorted.offsets.begin(), sorted.offsets.end() - 1);
    sorted.rows.resize(at(sorted.offsets.back()));
    for (std::size_t row = 0; row < labels.of.size(); ++row) {
        if (labels.of[row] != no_label) sorted.rows[at(next[at(labels.of[row])]++)] = static_cast<Index>(row);
    }
    return sorted;
}

/// The peaks of one label.
class LabelPeaks {
public:
    LabelPeaks(const LatticePoints& points, std::span<const float> values, std::span<const Index> rows)
        : points_(points), values_(values), rows_(rows), dim_(points.dim) {
        const int bits = LabelGrid::bits_of(std::ssize(rows), dim_);
        side_ = 1 << bits;
        shift_ = points.code_bits + points.low_bits - bits;
    }

    std::vector<LabelPeak> find(Index label) const {
        LabelGrid grid(side_, dim_);
        for (const Index row : rows_) grid.add(cell_of(row));
        std::vector<LabelPeak> peaks;
        for (const density::Prominence& peak : grid.peaks())
            peaks.push_back(peak_at(label, grid.cell_of(peak.node), peak.value));
        return peaks;
    }

private:
    [[nodiscard]] LabelGrid::Cell cell_of(Index row) const {
        LabelGrid::Cell cell{};
        for (int axis = 0; axis < dim_; ++axis)
            cell[at(axis)] = static_cast<Index>(points_.cell(values_[at(Offset{row} * dim_ + axis)], axis) >> shift_);
        return cell;
    }

    /// Mean and box of the points within two cells, as far as the field is smoothed; there are some, for the field is
    /// above 0.
    [[nodiscard]] LabelPeak peak_at(Index label, const LabelGrid::Cell& peak, double prominence) const {
        std::array<double, 3> sum{}, low{}, high{};
        low.fill(std::numeric_limits<double>::infinity()), high.fill(-std::numeric_limits<double>::infinity());
        double count = 0, span = 0;
        for (const Index row : rows_) {
            const LabelGrid::Cell cell = cell_of(row);
            bool near = true;
            for (int axis = 0; axis < dim_; ++axis) near = near && std::abs(cell[at(axis)] - peak[at(axis)]) <= 2;
            if (!near) continue;
            count += 1;
            for (int axis = 0; axis < dim_; ++axis) {
                const auto value = static_cast<double>(values_[at(Offset{row} * dim_ + axis)]);
                sum[at(axis)] += value;
                low[at(axis)] = std::min(low[at(axis)], value), high[at(axis)] = std::max(high[at(axis)], value);
            }
        }
        for (double& coordinate : sum) coordinate /= count;
        for (int axis = 0; axis < dim_; ++axis) span = std::max(span, high[at(axis)] - low[at(axis)]);
        return {label, sum, prominence, span};
    }

    const LatticePoints& points_;
    std::span<const float> values_;
    std::span<const Index> rows_;
    int dim_, side_ = 0, shift_ = 0;
};

}  // namespace

std::vector<LabelPeak> peaks_of(device::Cpu& cpu, const LatticePoints& points, std::span<const float> values,
                                const Labels& labels) {
    const bool all_alike = labels.names.size() == 1 && unlabeled(labels) == 0;
    if (labels.names.empty() || all_alike) return {};
    const ByLabel sorted = sorted_by_label(labels);
    std::vector<Index> largest(labels.names.size());
    std::iota(largest.begin(), largest.end(), Index{0});
    const auto count = [&](Index label) { return sorted.offsets[at(label) + 1] - sorted.offsets[at(label)]; };
    std::stable_sort(largest.begin(), largest.end(), [&](Index a, Index b) { return count(a) > count(b); });
    largest.resize(std::min(largest.size(), max_labels));

    std::vector<std::vector<LabelPeak>> of_label(largest.size());
    cpu.blocks(std::ssize(largest), 1, [&](Offset which, Offset, int) {
        const Index label = largest[at(which)];
        of_label[at(which)] =
            LabelPeaks(points, values, {sorted.rows.data() + sorted.offsets[at(label)], at(count(label))}).find(label);
    });
    std::vector<LabelPeak> peaks;
    for (const auto& some : of_label) peaks.insert(peaks.end(), some.begin(), some.end());
    std::stable_sort(peaks.begin(), peaks.end(),
                     [](const LabelPeak& a, const LabelPeak& b) { return a.prominence > b.prominence; });
    return peaks;
}

}  // namespace dunlin::picture

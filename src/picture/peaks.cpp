// SPDX-License-Identifier: Apache-2.0
#include "picture/peaks.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>

#include <dunlin/labels.hpp>

#include "density/prominence.hpp"
#include "math/at.hpp"

namespace dunlin::picture {

namespace {

constexpr std::size_t max_labels = 1000, max_peaks = 3;
constexpr Offset few = 200;          // points of a label that has one name only
constexpr double least_share = 0.5;  // of the prominence of the highest peak

Index size_of(int side, int dim) { return dim == 2 ? side * side : side * side * side; }

/// Counts, smoothed by two passes of a box of three cells along every axis.
class Grid {
public:
    Grid(int side, int dim) : side_(side), dim_(dim), heights_(at(size_of(side, dim))), line_(at(side)) {}

    [[nodiscard]] const std::vector<float>& heights() const { return heights_; }
    void clear() { std::fill(heights_.begin(), heights_.end(), 0.0F); }
    void add(Index cell) { heights_[at(cell)] += 1; }

    void smooth() {
        for (int pass = 0; pass < 2; ++pass) {
            Index stride = 1;
            for (int axis = 0; axis < dim_; ++axis, stride *= side_) smooth_along(stride);
        }
    }

private:
    void smooth_along(Index stride) {
        const auto cells = static_cast<Index>(heights_.size());
        for (Index first = 0; first < cells; ++first) {
            if (first / stride % side_ != 0) continue;
            for (int i = 0; i < side_; ++i) line_[at(i)] = heights_[at(first + i * stride)];
            for (int i = 0; i < side_; ++i) {
                const float before = i > 0 ? line_[at(i - 1)] : 0, after = i + 1 < side_ ? line_[at(i + 1)] : 0;
                heights_[at(first + i * stride)] = (before + line_[at(i)] + after) / 3;
            }
        }
    }

    int side_, dim_;
    std::vector<float> heights_, line_;
};

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
        // Fewer points need larger cells, for the field to be smooth
        const int bits = (std::ssize(rows) < 1000 ? 5 : std::ssize(rows) < 20000 ? 6 : 7) - (dim_ == 2 ? 0 : 2);
        side_ = 1 << bits;
        shift_ = points.code_bits + points.low_bits - bits;
    }

    std::vector<LabelPeak> find(Index label) const {
        Grid grid(side_, dim_);
        for (const Index row : rows_) {
            const Cell cell = cell_of(row);
            grid.add((cell[2] * side_ + cell[1]) * side_ + cell[0]);
        }
        grid.smooth();
        std::vector<density::Prominence> maxima =
            density::prominent_maxima(grid.heights(), {side_, side_, dim_ == 2 ? 1 : side_},
                                      density::axis_neighbors(dim_), density::falling_order(grid.heights()));
        maxima.resize(std::min(maxima.size(), std::ssize(rows_) < few ? 1 : max_peaks));
        std::vector<LabelPeak> peaks;
        for (const density::Prominence& maximum : maxima) {
            if (maximum.value < least_share * maxima[0].value) break;
            peaks.push_back({label, middle_of_points_near(maximum.node), maximum.value});
        }
        return peaks;
    }

private:
    using Cell = std::array<Index, 3>;

    [[nodiscard]] Cell cell_of(Index row) const {
        Cell cell{};
        for (int axis = 0; axis < dim_; ++axis)
            cell[at(axis)] = static_cast<Index>(points_.cell(values_[at(Offset{row} * dim_ + axis)], axis) >> shift_);
        return cell;
    }

    /// Mean of the points within two cells, as far as the field is smoothed; there are some, for the field is above 0.
    [[nodiscard]] std::array<double, 3> middle_of_points_near(Index number) const {
        const Cell peak = {number % side_, number / side_ % side_, number / side_ / side_};
        std::array<double, 3> sum{};
        double count = 0;
        for (const Index row : rows_) {
            const Cell cell = cell_of(row);
            bool near = true;
            for (int axis = 0; axis < dim_; ++axis) near = near && std::abs(cell[at(axis)] - peak[at(axis)]) <= 2;
            if (!near) continue;
            count += 1;
            for (int axis = 0; axis < dim_; ++axis)
                sum[at(axis)] += static_cast<double>(values_[at(Offset{row} * dim_ + axis)]);
        }
        for (double& coordinate : sum) coordinate /= count;
        return sum;
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

// SPDX-License-Identifier: Apache-2.0
#include "picture/peaks.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>

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

/// Components of the cells above a falling level.
class Merging {
public:
    Merging(const std::vector<float>& heights, int side, int dim)
        : heights_(heights), side_(side), dim_(dim), parent_(heights.size(), -1) {}

    std::vector<Prominence> run() {
        std::vector<Index> order;
        for (Index cell = 0; cell < std::ssize(heights_); ++cell) {
            if (heights_[at(cell)] > 0) order.push_back(cell);
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](Index a, Index b) { return heights_[at(a)] > heights_[at(b)]; });
        for (const Index cell : order) add(cell);
        for (const Index cell : order) {
            if (parent_[at(cell)] == cell) found_.push_back({cell, static_cast<double>(heights_[at(cell)])});
        }
        std::stable_sort(found_.begin(), found_.end(),
                         [](const Prominence& a, const Prominence& b) { return a.value > b.value; });
        return found_;
    }

private:
    /// A component is represented by its maximum, which is its first cell.
    Index root(Index cell) {
        while (parent_[at(cell)] != cell) {
            parent_[at(cell)] = parent_[at(parent_[at(cell)])];
            cell = parent_[at(cell)];
        }
        return cell;
    }

    void add(Index cell) {
        parent_[at(cell)] = cell;
        Index stride = 1;
        for (int axis = 0; axis < dim_; ++axis, stride *= side_) {
            const Index place = cell / stride % side_;
            if (place > 0) meet(cell, cell - stride);
            if (place + 1 < side_) meet(cell, cell + stride);
        }
    }

    /// Two components meet at the level of `cell`; the lower maximum ends there.
    void meet(Index cell, Index other) {
        if (parent_[at(other)] < 0) return;
        Index high = root(cell), low = root(other);
        if (high == low) return;
        if (heights_[at(low)] > heights_[at(high)] || (heights_[at(low)] == heights_[at(high)] && low < high))
            std::swap(high, low);
        const double above = static_cast<double>(heights_[at(low)]) - static_cast<double>(heights_[at(cell)]);
        if (above > 0) found_.push_back({low, above});
        parent_[at(low)] = high;
    }

    const std::vector<float>& heights_;
    int side_, dim_;
    std::vector<Index> parent_;
    std::vector<Prominence> found_;
};

/// Rows of the points of every label.
struct ByLabel {
    std::vector<Offset> offsets;
    std::vector<Index> rows;
};

ByLabel sorted_by_label(const Labels& labels) {
    ByLabel sorted{std::vector<Offset>(labels.names.size() + 1), std::vector<Index>(labels.of.size())};
    for (const Index label : labels.of) ++sorted.offsets[at(label) + 1];
    std::partial_sum(sorted.offsets.begin(), sorted.offsets.end(), sorted.offsets.begin());
    std::vector<Offset> next(sorted.offsets.begin(), sorted.offsets.end() - 1);
    for (std::size_t row = 0; row < labels.of.size(); ++row)
        sorted.rows[at(next[at(labels.of[row])]++)] = static_cast<Index>(row);
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

    std::vector<Peak> find(Index label) const {
        Grid grid(side_, dim_);
        for (const Index row : rows_) {
            const Cell cell = cell_of(row);
            grid.add((cell[2] * side_ + cell[1]) * side_ + cell[0]);
        }
        grid.smooth();
        std::vector<Prominence> maxima = prominent_maxima(grid.heights(), side_, dim_);
        maxima.resize(std::min(maxima.size(), std::ssize(rows_) < few ? 1 : max_peaks));
        std::vector<Peak> peaks;
        for (const Prominence& maximum : maxima) {
            if (maximum.value < least_share * maxima[0].value) break;
            peaks.push_back({label, middle_of_points_near(maximum.cell), maximum.value});
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

std::vector<Prominence> prominent_maxima(const std::vector<float>& heights, int side, int dim) {
    return Merging(heights, side, dim).run();
}

std::vector<Peak> peaks_of(device::Cpu& cpu, const LatticePoints& points, std::span<const float> values,
                           const Labels& labels) {
    if (labels.names.size() < 2) return {};
    const ByLabel sorted = sorted_by_label(labels);
    std::vector<Index> largest(labels.names.size());
    std::iota(largest.begin(), largest.end(), Index{0});
    const auto count = [&](Index label) { return sorted.offsets[at(label) + 1] - sorted.offsets[at(label)]; };
    std::stable_sort(largest.begin(), largest.end(), [&](Index a, Index b) { return count(a) > count(b); });
    largest.resize(std::min(largest.size(), max_labels));

    std::vector<std::vector<Peak>> of_label(largest.size());
    cpu.blocks(std::ssize(largest), 1, [&](Offset which, Offset, int) {
        const Index label = largest[at(which)];
        of_label[at(which)] =
            LabelPeaks(points, values, {sorted.rows.data() + sorted.offsets[at(label)], at(count(label))}).find(label);
    });
    std::vector<Peak> peaks;
    for (const auto& some : of_label) peaks.insert(peaks.end(), some.begin(), some.end());
    std::stable_sort(peaks.begin(), peaks.end(),
                     [](const Peak& a, const Peak& b) { return a.prominence > b.prominence; });
    return peaks;
}

}  // namespace dunlin::picture

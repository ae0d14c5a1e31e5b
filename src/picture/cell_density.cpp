// SPDX-License-Identifier: Apache-2.0
#include "picture/cell_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "device/cancel.hpp"
#include "math/at.hpp"

namespace dunlin::picture {

namespace {

/// Sums in the cells of a square grid.
class CellCounts {
public:
    CellCounts(const FlatMap& flat, int cells)
        : cells_(cells), left_(static_cast<double>(flat.left)), bottom_(static_cast<double>(flat.bottom)) {
        length_ = std::max(static_cast<double>(flat.right) - left_, static_cast<double>(flat.top) - bottom_);
        counts_.resize(at(Offset{cells} * cells));
    }

    [[nodiscard]] double length() const { return length_; }
    [[nodiscard]] int cells() const { return cells_; }
    [[nodiscard]] double density(double count) const { return count * cells_ * cells_ / (length_ * length_); }

    double& count_at(double x, double y) {
        const auto place = [&](double offset) {
            return std::clamp(static_cast<int>(offset / length_ * cells_), 0, cells_ - 1);
        };
        return counts_[at(Offset{place(y - bottom_)} * cells_ + place(x - left_))];
    }
    [[nodiscard]] double count_in(int row, int column) const { return counts_[at(Offset{row} * cells_ + column)]; }

private:
    int cells_;
    double left_, bottom_, length_ = 0;
    std::vector<double> counts_;
};

double quantile(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

void count_points(const FlatMap& flat, CellCounts& counts) {
    for (std::size_t i = 0; i < flat.x.size(); ++i) {
        if (i % 65536 == 0) device::cancellation_point();
        counts.count_at(static_cast<double>(flat.x[i]), static_cast<double>(flat.y[i])) += 1;
    }
}

/// Cells of this many pixels on the map.
int cells_of(float pixels, double side) {
    return std::clamp(static_cast<int>(std::round(static_cast<double>(pixels) / side)), 1, 1024);
}

}  // namespace

CellDensity density_of_points(const FlatMap& flat, float pixels, float diameter) {
    const double disc = static_cast<double>(diameter) * std::sqrt(std::numbers::pi / 4);
    // Two passes of a box filter (shade.cpp) have the variance of one box of sqrt(2) times its width
    const double smoothed = std::numbers::sqrt2 * (2 * std::floor(2 + 2 * static_cast<double>(diameter)) + 1);
    CellCounts fine(flat, cells_of(pixels, disc)), coarse(flat, cells_of(pixels, smoothed));
    if (!(fine.length() > 0)) return {};
    count_points(flat, fine);
    count_points(flat, coarse);
    std::vector<double> here, around;
    for (int row = 0; row < fine.cells(); ++row) {
        for (int column = 0; column < fine.cells(); ++column) {
            const double count = fine.count_in(row, column);
            if (count == 0) continue;
            here.push_back(fine.density(count));
            const auto same = [&](int place) {
                return static_cast<int>((place + 0.5) / fine.cells() * coarse.cells());
            };
            around.push_back(coarse.density(coarse.count_in(same(row), same(column))));
        }
    }
    const double dense = quantile(here, 0.98), most = quantile(around, 0.98);
    return {dense, most, quantile(around, 0.5)};
}

double dense_edges(const FlatMap& flat, std::span<const Ends> ends, std::span<const Index> rows) {
    CellCounts counts(flat, 160);
    if (!(counts.length() > 0)) return 0;
    for (std::size_t e = 0; e < ends.size(); ++e) {
        if (e % 65536 == 0) device::cancellation_point();
        const auto a = at(rows[ends[e].low]), b = at(rows[ends[e].high]);
        const double x = static_cast<double>(flat.x[a]), y = static_cast<double>(flat.y[a]);
        const double dx = static_cast<double>(flat.x[b]) - x, dy = static_cast<double>(flat.y[b]) - y;
        const double length = std::hypot(dx, dy);
        const int steps = std::clamp(static_cast<int>(std::ceil(length / counts.length() * counts.cells())), 1, 16);
        for (int s = 0; s < steps; ++s)
            counts.count_at(x + dx * (s + 0.5) / steps, y + dy * (s + 0.5) / steps) += length / steps;
    }
    std::vector<double> occupied;
    for (int row = 0; row < counts.cells(); ++row) {
        for (int column = 0; column < counts.cells(); ++column) {
            const double sum = counts.count_in(row, column);
            if (sum > 0) occupied.push_back(counts.density(sum));
        }
    }
    return quantile(occupied, 0.98);
}

}  // namespace dunlin::picture

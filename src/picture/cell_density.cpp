// SPDX-License-Identifier: Apache-2.0
#include "picture/cell_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "math/at.hpp"
#include "progress/cancel.hpp"

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
    [[nodiscard]] const std::vector<double>& counts() const { return counts_; }

    /// Two passes of a box filter of width 2 reach + 1 along rows and columns, as in shade.cpp.
    void smooth(int reach) {
        std::vector<double> line(at(cells_));
        for (int pass = 0; pass < 4; ++pass) {
            progress::cancellation_point();
            const Offset along = pass % 2 == 0 ? 1 : cells_, across = pass % 2 == 0 ? cells_ : 1;
            for (int first = 0; first < cells_; ++first) {
                double* values = counts_.data() + first * across;
                for (int i = 0; i < cells_; ++i) line[at(i)] = values[i * along];
                double sum = 0;
                for (int i = -reach; i < cells_; ++i) {
                    if (i + reach < cells_) sum += line[at(i + reach)];
                    if (i - reach > 0) sum -= line[at(i - reach - 1)];
                    if (i >= 0) values[i * along] = sum / (2 * reach + 1);
                }
            }
        }
    }

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

}  // namespace

CellDensity density_of_points(const FlatMap& flat, float pixels, float diameter) {
    const auto side = static_cast<double>(pixels),
               disc = static_cast<double>(diameter) * std::sqrt(std::numbers::pi / 4);
    CellCounts counts(flat, std::clamp(static_cast<int>(std::round(side / disc)), 1, 1024));
    if (!(counts.length() > 0)) return {};
    for (std::size_t i = 0; i < flat.x.size(); ++i) {
        if (i % 65536 == 0) progress::cancellation_point();
        counts.count_at(static_cast<double>(flat.x[i]), static_cast<double>(flat.y[i])) += 1;
    }
    CellCounts smoothed = counts;
    const double box = 2 * std::floor(2 + 2 * static_cast<double>(diameter)) + 1;  // pixels, as in shade.cpp
    smoothed.smooth(static_cast<int>(std::round((box * counts.cells() / side - 1) / 2)));
    std::vector<double> here, around;
    for (std::size_t cell = 0; cell < counts.counts().size(); ++cell) {
        if (counts.counts()[cell] == 0) continue;
        here.push_back(counts.density(counts.counts()[cell]));
        around.push_back(counts.density(smoothed.counts()[cell]));
    }
    const double dense = quantile(here, 0.98), most = quantile(around, 0.98);
    return {dense, most, quantile(around, 0.5)};
}

double dense_edges(const FlatMap& flat, std::span<const Ends> ends, std::span<const Index> rows) {
    CellCounts counts(flat, 160);
    if (!(counts.length() > 0)) return 0;
    for (std::size_t e = 0; e < ends.size(); ++e) {
        if (e % 65536 == 0) progress::cancellation_point();
        const auto a = at(rows[ends[e].low]), b = at(rows[ends[e].high]);
        const double x = static_cast<double>(flat.x[a]), y = static_cast<double>(flat.y[a]);
        const double dx = static_cast<double>(flat.x[b]) - x, dy = static_cast<double>(flat.y[b]) - y;
        const double length = std::hypot(dx, dy);
        const int steps = std::clamp(static_cast<int>(std::ceil(length / counts.length() * counts.cells())), 1, 16);
        for (int s = 0; s < steps; ++s)
            counts.count_at(x + dx * (s + 0.5) / steps, y + dy * (s + 0.5) / steps) += length / steps;
    }
    std::vector<double> occupied;
    for (const double sum : counts.counts()) {
        if (sum > 0) occupied.push_back(counts.density(sum));
    }
    return quantile(occupied, 0.98);
}

}  // namespace dunlin::picture

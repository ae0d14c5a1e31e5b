// SPDX-License-Identifier: Apache-2.0
#include "picture/label_grid.hpp"

#include <algorithm>
#include <numeric>

#include "math/at.hpp"

namespace dunlin::picture {

namespace {

constexpr std::size_t max_peaks = 3;
constexpr double few = 50;                // points of a label that has one name only
constexpr double least_prominence = 0.5;  // of that of the highest peak
constexpr double apart = 0.75;            // of its height is the prominence of a piece that a valley surrounds
constexpr double least_share = 0.05, least_points = 10;  // of a further piece

Index size_of(int side, int dim) { return dim == 2 ? side * side : side * side * side; }

/// A pass of a box of three cells along an axis.
void smooth_along(std::vector<float>& heights, int side, Index stride) {
    std::vector<float> line(at(side));
    const auto cells = static_cast<Index>(heights.size());
    for (Index first = 0; first < cells; ++first) {
        if (first / stride % side != 0) continue;
        for (int i = 0; i < side; ++i) line[at(i)] = heights[at(first + i * stride)];
        for (int i = 0; i < side; ++i) {
            const float before = i > 0 ? line[at(i - 1)] : 0, after = i + 1 < side ? line[at(i + 1)] : 0;
            heights[at(first + i * stride)] = (before + line[at(i)] + after) / 3;
        }
    }
}

}  // namespace

LabelGrid::LabelGrid(int side, int dim) : side_(side), dim_(dim), counts_(at(size_of(side, dim))) {}

void LabelGrid::add(const Cell& cell, float points) { counts_[node_of(cell)] += points; }

std::vector<density::Prominence> LabelGrid::peaks() const {
    std::vector<float> heights = counts_;
    for (int pass = 0; pass < 2; ++pass) {
        Index stride = 1;
        for (int axis = 0; axis < dim_; ++axis, stride *= side_) smooth_along(heights, side_, stride);
    }
    std::vector<density::Prominence> maxima = density::prominent_maxima(
        heights, {side_, side_, dim_ == 2 ? 1 : side_}, density::axis_neighbors(dim_), density::falling_order(heights));
    const double all = std::accumulate(counts_.begin(), counts_.end(), 0.0);
    maxima.resize(std::min(maxima.size(), all < few ? std::size_t{1} : max_peaks));
    const auto stands_out = [&](const density::Prominence& maximum) {
        const bool is_apart = maximum.value >= apart * static_cast<double>(heights[at(maximum.node)]);
        return is_apart || maximum.value >= least_prominence * maxima[0].value;
    };
    while (maxima.size() > 1 && !stands_out(maxima.back())) maxima.pop_back();
    const std::vector<double> near = points_nearest_to(maxima);
    std::vector<density::Prominence> main;
    for (std::size_t m = 0; m < maxima.size(); ++m) {
        if (m == 0 || near[m] >= std::max(least_points, least_share * all)) main.push_back(maxima[m]);
    }
    return main;
}

std::vector<double> LabelGrid::points_nearest_to(const std::vector<density::Prominence>& maxima) const {
    std::vector<double> points(maxima.size());
    if (maxima.size() < 2) return points;
    for (std::size_t node = 0; node < counts_.size(); ++node) {
        if (counts_[node] == 0) continue;
        const Cell cell = cell_of(static_cast<Index>(node));
        const auto distance = [&](const density::Prominence& maximum) {
            const Cell peak = cell_of(maximum.node);
            Index sum = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) sum += (cell[axis] - peak[axis]) * (cell[axis] - peak[axis]);
            return sum;
        };
        const auto nearest = std::min_element(maxima.begin(), maxima.end(),
                                              [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
        points[at(nearest - maxima.begin())] += static_cast<double>(counts_[node]);
    }
    return points;
}

}  // namespace dunlin::picture

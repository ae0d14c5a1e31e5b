// SPDX-License-Identifier: Apache-2.0
#include "picture/contours.hpp"

#include <cmath>

#include "device/cancel.hpp"

namespace dunlin::picture {

namespace {

PixelPoint between(const Corner& a, const Corner& b, double level) {
    const auto share = static_cast<float>((level - a.value) / (b.value - a.value));
    return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

/// Largest number of rows and columns that contours look at; of more cells, every second, third, ...
constexpr Index max_side = 1024;

}  // namespace

int level_in_triangle(const Corner (&corners)[3], double level, PixelPoint (&ends)[2]) {
    int found = 0;
    for (int side = 0; side < 3; ++side) {
        const Corner &a = corners[side], &b = corners[(side + 1) % 3];
        if (!std::isfinite(a.value) || !std::isfinite(b.value)) return 0;
        if ((a.value >= level) != (b.value >= level)) ends[found++] = between(a, b, level);
    }
    return found;
}

void add_contours(const Heatmap& heatmap, const ColorScale& scale, const PlotFrame& frame, Page& page) {
    const MatrixView<const double> values = heatmap.values;
    const Index stride = std::max(values.rows, values.cols) / max_side + 1;
    const auto corner = [&](Index row, Index col) -> Corner {
        return {frame.box.left + frame.box.width * (static_cast<float>(col) + 0.5F) / static_cast<float>(values.cols),
                frame.box.top + frame.box.height * (static_cast<float>(row) + 0.5F) / static_cast<float>(values.rows),
                values(row, col)};
    };
    const auto add = [&](const Corner(&triangle)[3], double level) {
        PixelPoint ends[2];
        if (level_in_triangle(triangle, level, ends) == 2) page.strokes.push_back({{ends[0], ends[1]}, white, 1});
    };
    for (const Tick& tick : ticks_of(scale.low, scale.high, 5)) {
        for (Index row = 0; row + stride < values.rows; row += stride) {
            device::cancellation_point();
            for (Index col = 0; col + stride < values.cols; col += stride) {
                const Corner a = corner(row, col), b = corner(row, col + stride);
                const Corner c = corner(row + stride, col), d = corner(row + stride, col + stride);
                add({a, b, d}, tick.value);
                add({a, c, d}, tick.value);
            }
        }
    }
}

}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#include "picture/contours.hpp"

#include <algorithm>

#include "density/level_lines.hpp"

namespace dunlin::picture {

namespace {

/// Largest number of rows and columns that contours look at; of more cells, every second, third, ...
constexpr Index max_side = 1024;

}  // namespace

void add_contours(const Heatmap& heatmap, const ColorScale& scale, const PlotFrame& frame, Page& page) {
    const MatrixView<const double> values = heatmap.values;
    const Index stride = std::max(values.rows, values.cols) / max_side + 1;
    const auto seen = [stride](Index cells) { return (cells + stride - 1) / stride; };
    const auto value = [&](Index col, Index row) { return values(row * stride, col * stride); };
    const auto pixel = [&](const std::array<double, 2>& node) {
        const auto place = [&](double at, Index cells) { return static_cast<float>((at * stride + 0.5) / cells); };
        return PixelPoint{frame.box.left + frame.box.width * place(node[0], values.cols),
                          frame.box.top + frame.box.height * place(node[1], values.rows)};
    };
    for (const Tick& tick : ticks_of(scale.low, scale.high, 5)) {
        for (const density::LevelLine& line :
             density::level_lines(seen(values.cols), seen(values.rows), value, tick.value, density::LineEnds::open)) {
            Stroke stroke{{}, white, 1};
            for (const auto& node : line.points) stroke.points.push_back(pixel(node));
            if (line.closed) stroke.points.push_back(stroke.points.front());
            page.strokes.push_back(std::move(stroke));
        }
    }
}

}  // namespace dunlin::picture

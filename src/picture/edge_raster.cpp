// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "picture/line_coverage.hpp"
#include "picture/raster.hpp"
#include "picture/shade.hpp"
#include "progress/cancel.hpp"

namespace dunlin::picture {

namespace {

constexpr std::size_t gray = 0, first_group = 1;  ///< indices into the colors of edges

Color between(const Groups& groups) { return groups.look.shown(edge_gray); }

Color within(const Groups& groups, const Group& group) { return blend(group.color, between(groups), 0.25F); }

/// Gray, the color of each group, and that of the paper, which is mixed into far edges.
std::vector<Color> edge_colors(const Groups& groups) {
    std::vector<Color> colors{between(groups)};
    if (!groups.scale) {
        for (const Group& group : groups.list) colors.push_back(within(groups, group));
    }
    colors.push_back(groups.look.paper);
    return colors;
}

std::size_t color_of(const Groups& groups, Index from, Index to) {
    const bool together = groups.labeled() && !groups.scale && groups.group(from) == groups.group(to);
    return together ? first_group + groups.group(from) : gray;
}

/// Coverage of the pixels of some rows by edges, one layer per color.
class Layers {
public:
    Layers(const std::vector<Color>& colors, int columns, PixelRange rows, float width)
        : colors_(colors), columns_(columns), rows_(rows), width_(width), layers_(colors.size()) {}

    void draw(std::size_t color, PixelPoint a, PixelPoint b, float weight) {
        if (!layers_[color]) layers_[color].emplace(columns_, rows_, width_);
        layers_[color]->draw(a, b, weight);
    }

    /// Sets the mean colors and counts of the buffer.
    void write(AccumulationBuffer& buffer) const {
        for (int y = rows_.first; y < rows_.last; ++y) {
            for (int x = 0; x < columns_; ++x) {
                const std::size_t pixel =
                    static_cast<std::size_t>(y) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(x);
                set(x, y, buffer.color[pixel], buffer.count[pixel]);
            }
        }
    }

private:
    void set(int x, int y, Color& mean, float& count) const {
        float r = 0, g = 0, b = 0;
        for (std::size_t c = 0; c < layers_.size(); ++c) {
            const float cover = layers_[c] ? layers_[c]->at(x, y) : 0;
            count += cover;
            r += cover * static_cast<float>(colors_[c].r);
            g += cover * static_cast<float>(colors_[c].g);
            b += cover * static_cast<float>(colors_[c].b);
        }
        if (count <= 0) return;
        const auto part = [&](float sum) { return static_cast<std::uint8_t>(std::min(sum / count + 0.5F, 255.0F)); };
        mean = {part(r), part(g), part(b)};
    }

    const std::vector<Color>& colors_;
    int columns_;
    PixelRange rows_;
    float width_;
    std::vector<std::optional<LineCoverage>> layers_;
};

/// Rows of pixels per task: up to 64, with layers of up to 64 MB.
int rows_at_a_time(int columns, std::size_t layers) {
    const double row = 2.0 * sizeof(float) * columns * static_cast<double>(layers);
    return static_cast<int>(std::clamp(64e6 / row, 8.0, 64.0));
}

}  // namespace

Color edge_color(const Groups& groups, Index from, Index to) {
    return color_of(groups, from, to) == gray ? between(groups) : within(groups, groups.list[groups.group(from)]);
}

void draw_edges(device::Cpu& cpu, const FlatMap& flat, const Graph& graph, const Groups& groups,
                const Viewport& viewport, const EdgeStyle& style, Image& image) {
    std::vector<PixelPoint> spots(flat.x.size());
    cpu.each(static_cast<Offset>(spots.size()), [&](Offset i) {
        const auto at = static_cast<std::size_t>(i);
        spots[at] = {viewport.x(flat.x[at]), viewport.y(flat.y[at])};
    });
    const std::vector<Color> colors = edge_colors(groups);
    const auto draw = [&](Layers& layers, Index v, Index u) {
        const auto from = static_cast<std::size_t>(v), to = static_cast<std::size_t>(u);
        const std::size_t color = color_of(groups, v, u);
        if (flat.nearness.empty()) return layers.draw(color, spots[from], spots[to], 1);
        // The weight, and its parts in the edge's color and in that of the paper (weight_of, depth_tinted)
        const float near = 0.5F + (flat.nearness[from] + flat.nearness[to]) / 4;
        layers.draw(color, spots[from], spots[to], near * near);
        layers.draw(colors.size() - 1, spots[from], spots[to], near * (1 - near));
    };
    AccumulationBuffer buffer(image.width, image.height);
    const int high = rows_at_a_time(image.width, colors.size());
    cpu.blocks(image.height, high, [&](Offset begin, Offset end, int) {
        const PixelRange rows{static_cast<int>(begin), static_cast<int>(end)};
        const float above = static_cast<float>(rows.first) - style.width - 1,
                    below = static_cast<float>(rows.last) + style.width + 1;
        Layers layers(colors, image.width, rows, style.width);
        for (Index v = 0; v < graph.size(); ++v) {
            progress::cancellation_point();
            const float here = spots[static_cast<std::size_t>(v)].y;
            for (Offset e = graph.offsets[static_cast<std::size_t>(v)];
                 e < graph.offsets[static_cast<std::size_t>(v) + 1]; ++e) {
                const Index u = graph.targets[static_cast<std::size_t>(e)];
                if (u < v) continue;
                const float there = spots[static_cast<std::size_t>(u)].y;
                if (std::max(here, there) >= above && std::min(here, there) <= below) draw(layers, v, u);
            }
        }
        layers.write(buffer);
    });
    shade(cpu, buffer, {1, style.alpha, style.given_alpha}, groups.look, true, image);
}

}  // namespace dunlin::picture

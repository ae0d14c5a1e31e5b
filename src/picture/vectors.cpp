// SPDX-License-Identifier: Apache-2.0
#include "picture/vectors.hpp"

#include <algorithm>
#include <numeric>

#include "math/rng.hpp"
#include "picture/paper.hpp"
#include "picture/raster.hpp"
#include "picture/shade.hpp"

namespace dunlin::picture {

namespace {

/// A mark of little contrast is hardly seen without a rim, and a small one would be nothing but its rim.
Rim rim_if_pale(Color color, Color paper, float diameter, float width) {
    if (contrast(color, paper) >= mark_contrast || diameter <= 4 * width) return {};
    return {width, legible(color, paper)};
}

}  // namespace

Disc disc_of(const Drawing& drawing, Index point) {
    const auto i = static_cast<std::size_t>(point);
    const std::size_t group = drawing.groups.group(point);
    const float nearness = drawing.flat.nearness.empty() ? 1.0F : drawing.flat.nearness[i];
    Disc disc{{drawing.viewport.x(drawing.flat.x[i]), drawing.viewport.y(drawing.flat.y[i])},
              depth_tinted(drawing.groups.list[group].color, nearness, drawing.groups.look.paper),
              drawing.style.diameter,
              drawing.style.alpha};
    if (drawing.groups.below == group) return disc;
    if (drawing.groups.below) {
        const Style style = placed_style(drawing.style);
        disc.rim = {rim_width(style), rim_of(disc.color, drawing.groups.look)};
        disc.diameter = style.diameter + 2 * disc.rim.width;
        disc.alpha = 1;
    } else if (drawing.has_rims()) {
        disc.rim = rim_if_pale(disc.color, drawing.groups.look.paper, disc.diameter, drawing.page.rim);
    }
    return disc;
}

Disc disc_of(const Swatch& swatch, const Page& page) {
    return {{swatch.x, swatch.y},
            swatch.color,
            2 * swatch.radius,
            1,
            rim_if_pale(swatch.color, page.look.paper, 2 * swatch.radius, page.rim)};
}

std::vector<Index> drawing_order(const Drawing& drawing) {
    std::vector<Index> order(static_cast<std::size_t>(drawing.points()));
    std::iota(order.begin(), order.end(), Index{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[math::random_below(i, 1, i)]);
    if (drawing.groups.below) {
        std::ranges::stable_partition(order,
                                      [&](Index point) { return drawing.groups.group(point) == drawing.groups.below; });
    }
    return order;
}

VectorParts vectors_of(const Drawing& drawing) {
    constexpr Index max_points = 50000;
    constexpr Offset max_edges = 50000;
    const bool points = drawing.points() <= max_points;
    return {points, points && drawing.edges() <= max_edges};
}

std::optional<PlacedImage> image_of(device::Cpu& cpu, const Drawing& drawing) {
    const VectorParts vectors = vectors_of(drawing);
    if (vectors.points && (vectors.edges || drawing.edges() == 0)) return std::nullopt;
    const PixelRect& plot = drawing.page.plot;
    const int scale = paper_of(drawing.options).is_printed ? 1 : 2;
    Image image(static_cast<int>(plot.width) * scale, static_cast<int>(plot.height) * scale, drawing.page.look.paper);
    Style style = drawing.style;
    style.diameter *= static_cast<float>(scale);
    EdgeStyle edge_style = drawing.edge_style;
    edge_style.width *= static_cast<float>(scale);
    const PixelRect whole{0, 0, static_cast<float>(image.width), static_cast<float>(image.height)};
    const Viewport viewport = viewport_of(drawing.flat, whole, style.diameter);
    if (drawing.edges() > 0) draw_edges(cpu, drawing.flat, drawing.graph, drawing.groups, viewport, edge_style, image);
    if (!vectors.points) draw_points(cpu, drawing.flat, drawing.groups, viewport, style, image);
    const PixelRect box{plot.left, plot.top, whole.width / static_cast<float>(scale),
                        whole.height / static_cast<float>(scale)};
    return PlacedImage{std::move(image), box};
}

}  // namespace dunlin::picture

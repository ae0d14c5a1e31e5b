// SPDX-License-Identifier: Apache-2.0
#include "picture/raster.hpp"

#include <algorithm>
#include <cmath>

#include "picture/disc_sprites.hpp"
#include "picture/scanline_band.hpp"
#include "picture/shade.hpp"

namespace dunlin::picture {

namespace {

/// For every band of rows, the points that touch it in ascending order.
struct BandLists {
    std::vector<Offset> offsets;
    std::vector<Index> points;
};

struct BandSpan {
    int first, last;  ///< empty if last < first
};

BandSpan bands_of(float y, int reach, int bands) {
    const auto band = [](float row) { return static_cast<int>(std::floor(row / band_height)); };
    return {std::max(band(y - static_cast<float>(reach)), 0), std::min(band(y + static_cast<float>(reach)), bands - 1)};
}

BandLists sort_into_bands(const FlatMap& flat, const Viewport& viewport, int reach, int bands) {
    BandLists sorted{std::vector<Offset>(static_cast<std::size_t>(bands) + 1), {}};
    const auto n = static_cast<Index>(flat.y.size());
    const auto for_all = [&](const auto& visit) {
        for (Index i = 0; i < n; ++i) {
            const BandSpan span = bands_of(viewport.y(flat.y[static_cast<std::size_t>(i)]), reach, bands);
            for (int band = span.first; band <= span.last; ++band) visit(i, static_cast<std::size_t>(band));
        }
    };
    for_all([&](Index, std::size_t band) { ++sorted.offsets[band + 1]; });
    for (std::size_t band = 0; band < static_cast<std::size_t>(bands); ++band)
        sorted.offsets[band + 1] += sorted.offsets[band];
    sorted.points.resize(static_cast<std::size_t>(sorted.offsets.back()));
    std::vector<Offset> next(sorted.offsets.begin(), sorted.offsets.end() - 1);
    for_all([&](Index i, std::size_t band) { sorted.points[static_cast<std::size_t>(next[band]++)] = i; });
    return sorted;
}

void sprite(ScanlineBand& band, const DiscSprites::DiscSprite& disc, Color color, std::uint32_t weight) {
    const int first = std::max(disc.top, band.top()), last = std::min(disc.top + disc.size, band.bottom());
    const int begin = std::max(disc.left, 0), end = std::min(disc.left + disc.size, band.width());
    for (int y = first; y < last; ++y) {
        const std::uint8_t* cover = disc.cover + static_cast<std::ptrdiff_t>(y - disc.top) * disc.size - disc.left;
        for (int x = begin; x < end; ++x) band.add(x, y, color, std::uint64_t{cover[x]} * weight);
    }
}

}  // namespace

namespace {

/// Draws the points for which is_drawn(group) holds.
template <class IsDrawn>
void draw_some(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const Viewport& viewport,
               const Style& style, Image& image, const IsDrawn& is_drawn) {
    const DiscSprites sprites(style.diameter);
    const int bands = (image.height + band_height - 1) / band_height;
    const BandLists sorted = sort_into_bands(flat, viewport, sprites.size(), bands);

    AccumulationBuffer buffer(image.width, image.height);
    cpu.blocks(bands, 1, [&](Offset band, Offset, int) {
        const int top = static_cast<int>(band) * band_height;
        ScanlineBand sums(image.width, top, std::min(image.height, top + band_height));
        for (Offset at = sorted.offsets[static_cast<std::size_t>(band)];
             at < sorted.offsets[static_cast<std::size_t>(band) + 1]; ++at) {
            const auto i = static_cast<std::size_t>(sorted.points[static_cast<std::size_t>(at)]);
            if (!is_drawn(groups.group(static_cast<Offset>(i)))) continue;
            const float nearness = flat.nearness.empty() ? 1.0F : flat.nearness[i];
            const Color color = groups.list[groups.group(static_cast<Offset>(i))].color;
            sprite(sums, sprites.at(viewport.x(flat.x[i]), viewport.y(flat.y[i])),
                   depth_tinted(color, nearness, groups.look.paper), weight_of(nearness));
        }
        sums.write(buffer);
    });
    shade(cpu, buffer, style, groups.look, groups.labeled(), image);
}

}  // namespace

Style placed_style(const Style& style) { return {placed_size * style.diameter, std::max(style.alpha, 0.9F), true}; }

Color rim_of(Color color, const Look& look) { return blend(color, look.ink, 0.6F); }

void draw_points(device::Cpu& cpu, const FlatMap& flat, const Groups& groups, const Viewport& viewport,
                 const Style& style, Image& image) {
    if (!groups.below) return draw_some(cpu, flat, groups, viewport, style, image, [](std::size_t) { return true; });
    const std::size_t below = *groups.below;
    draw_some(cpu, flat, groups, viewport, style, image, [&](std::size_t group) { return group == below; });
    const auto is_new = [&](std::size_t group) { return group != below; };
    const Style placed = placed_style(style);
    Groups rims = groups;
    for (Group& group : rims.list) group.color = rim_of(group.color, groups.look);
    draw_some(cpu, flat, rims, viewport, {placed.diameter + 2 * rim_width(placed), 1, true}, image, is_new);
    draw_some(cpu, flat, groups, viewport, {placed.diameter, 1, true}, image, is_new);
}

}  // namespace dunlin::picture

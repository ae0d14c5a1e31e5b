// SPDX-License-Identifier: Apache-2.0
#include "picture/raster.hpp"

#include <algorithm>
#include <cmath>

#include "picture/band.hpp"
#include "picture/shade.hpp"
#include "picture/stamps.hpp"

namespace dunlin::picture {

namespace {

/// Which points touch which band of rows, in ascending id: all of a pixel's points are added in the same order.
struct Bands {
    std::vector<Offset> offsets;
    std::vector<Index> points;
};

struct Span {
    int first, last;  ///< empty when last < first
};

Span bands_of(float y, int reach, int bands) {
    const auto band = [](float row) { return static_cast<int>(std::floor(row / band_height)); };
    return {std::max(band(y - static_cast<float>(reach)), 0), std::min(band(y + static_cast<float>(reach)), bands - 1)};
}

Bands sort_into_bands(const Flat& flat, const Frame& frame, int reach, int bands) {
    Bands sorted{std::vector<Offset>(static_cast<std::size_t>(bands) + 1), {}};
    const auto n = static_cast<Index>(flat.y.size());
    const auto for_all = [&](const auto& visit) {
        for (Index i = 0; i < n; ++i) {
            const Span span = bands_of(frame.y(flat.y[static_cast<std::size_t>(i)]), reach, bands);
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

void stamp(Band& band, const Stamps::Stamp& disc, Color color, std::uint32_t weight) {
    const int first = std::max(disc.top, band.top()), last = std::min(disc.top + disc.size, band.bottom());
    const int begin = std::max(disc.left, 0), end = std::min(disc.left + disc.size, band.width());
    for (int y = first; y < last; ++y) {
        const std::uint8_t* cover = disc.cover + static_cast<std::ptrdiff_t>(y - disc.top) * disc.size - disc.left;
        for (int x = begin; x < end; ++x) band.add(x, y, color, std::uint64_t{cover[x]} * weight);
    }
}

}  // namespace

void lay_points(device::Cpu& cpu, const Flat& flat, const Groups& groups, const Frame& frame, const Style& style,
                Image& image) {
    const Stamps stamps(style.diameter);
    const int bands = (image.height + band_height - 1) / band_height;
    const Bands sorted = sort_into_bands(flat, frame, stamps.size(), bands);

    Heap heap(image.width, image.height);
    cpu.blocks(bands, 1, [&](Offset band, Offset, int) {
        const int top = static_cast<int>(band) * band_height;
        Band sums(image.width, top, std::min(image.height, top + band_height));
        for (Offset at = sorted.offsets[static_cast<std::size_t>(band)];
             at < sorted.offsets[static_cast<std::size_t>(band) + 1]; ++at) {
            const auto i = static_cast<std::size_t>(sorted.points[static_cast<std::size_t>(at)]);
            const float nearness = flat.nearness.empty() ? 1.0F : flat.nearness[i];
            const Color color = groups.list[groups.group(static_cast<Offset>(i))].color;
            stamp(sums, stamps.at(frame.x(flat.x[i]), frame.y(flat.y[i])), depth_tinted(color, nearness),
                  weight_of(nearness));
        }
        sums.write(heap);
    });
    shade(cpu, heap, style, groups.labeled(), image);
}

}  // namespace dunlin::picture

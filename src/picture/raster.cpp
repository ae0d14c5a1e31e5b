#include "picture/raster.hpp"

#include <algorithm>
#include <cmath>

#include "picture/shade.hpp"
#include "picture/stamps.hpp"

namespace dunlin::picture {

namespace {

constexpr int band_height = 64;  // rows of pixels that a thread fills at a time, in its cache

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

/// Sums over the discs at a pixel, in whole numbers: 10 million at one pixel stay exact.
struct Sum {
    std::uint64_t r = 0, g = 0, b = 0, weight = 0;
};

class Band {
public:
    Band(int width, int top, int bottom)
        : width_(width),
          top_(top),
          bottom_(bottom),
          sums_(static_cast<std::size_t>(width) * static_cast<std::size_t>(bottom - top)) {}

    void add(const Stamps::Stamp& stamp, Color color, std::uint32_t weight) {
        const int first = std::max(stamp.top, top_), last = std::min(stamp.top + stamp.size, bottom_);
        const int begin = std::max(stamp.left, 0), end = std::min(stamp.left + stamp.size, width_);
        for (int y = first; y < last; ++y) {
            const std::uint8_t* cover =
                stamp.cover + static_cast<std::ptrdiff_t>(y - stamp.top) * stamp.size - stamp.left;
            Sum* row = sums_.data() + static_cast<std::ptrdiff_t>(y - top_) * width_;
            for (int x = begin; x < end; ++x) {
                const std::uint64_t share = std::uint64_t{cover[x]} * weight;
                row[x].r += share * color.r;
                row[x].g += share * color.g;
                row[x].b += share * color.b;
                row[x].weight += share;
            }
        }
    }

    void write(Heap& heap) const {
        const std::size_t from = static_cast<std::size_t>(top_) * static_cast<std::size_t>(width_);
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            const Sum& sum = sums_[i];
            if (sum.weight == 0) continue;
            const auto mean = [&](std::uint64_t part) {
                return static_cast<std::uint8_t>((part + sum.weight / 2) / sum.weight);
            };
            heap.color[from + i] = {mean(sum.r), mean(sum.g), mean(sum.b)};
            heap.count[from + i] = static_cast<float>(static_cast<double>(sum.weight) / Stamps::whole / full_weight);
        }
    }

    /// A far point of a 3-D map weighs less than a near one.
    static constexpr std::uint32_t full_weight = 16;

private:
    int width_, top_, bottom_;
    std::vector<Sum> sums_;
};

}  // namespace

Image rasterise(device::Cpu& cpu, const Flat& flat, const Groups& groups, const Frame& frame, const Style& style,
                int width, int height) {
    const Stamps stamps(style.diameter);
    const int bands = (height + band_height - 1) / band_height;
    const Bands sorted = sort_into_bands(flat, frame, stamps.size(), bands);

    Heap heap(width, height);
    cpu.blocks(bands, 1, [&](Offset band, Offset, int) {
        const int top = static_cast<int>(band) * band_height;
        Band sums(width, top, std::min(height, top + band_height));
        for (Offset at = sorted.offsets[static_cast<std::size_t>(band)];
             at < sorted.offsets[static_cast<std::size_t>(band) + 1]; ++at) {
            const auto i = static_cast<std::size_t>(sorted.points[static_cast<std::size_t>(at)]);
            const float nearness = flat.nearness.empty() ? 1.0F : flat.nearness[i];
            const Color color = groups.list[groups.group(static_cast<Offset>(i))].color;
            sums.add(stamps.at(frame.x(flat.x[i]), frame.y(flat.y[i])), depth_tinted(color, nearness),
                     8 + static_cast<std::uint32_t>(8 * nearness + 0.5F));
        }
        sums.write(heap);
    });
    return shaded(cpu, heap, style, groups.labelled());
}

}  // namespace dunlin::picture

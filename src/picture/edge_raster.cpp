#include <algorithm>
#include <cmath>

#include "picture/band.hpp"
#include "picture/raster.hpp"
#include "picture/shade.hpp"

namespace dunlin::picture {

namespace {

struct Spot {
    float x, y;
};

/// A straight stroke from a to b, drawn on some rows of pixels. It is walked along the axis that it follows more
/// closely, and covers a few pixels across at each step, as much of each as lies within its width.
class Stroke {
public:
    Stroke(Spot a, Spot b, float width) : steep_(std::abs(b.y - a.y) > std::abs(b.x - a.x)), width_(width) {
        if (steep_) std::swap(a.x, a.y), std::swap(b.x, b.y);
        if (a.x > b.x) std::swap(a, b);
        a_ = a;
        end_ = b.x;
        slope_ = b.x > a.x ? (b.y - a.y) / (b.x - a.x) : 0;
        cosine_ = 1 / std::sqrt(1 + slope_ * slope_);
    }

    /// Calls cover(x, y, 0 to 1) for the pixels within [0, width) x [top, bottom).
    template <class Cover>
    void walk(int width, int top, int bottom, const Cover& cover) const {
        const float reach = (width_ + 1) / 2 / cosine_;
        const Range along = steep_ ? Range{top, bottom} : Range{0, width};
        const Range across = steep_ ? Range{0, width} : Range{top, bottom};
        // Steps at which the line is within the rows at all
        float from = a_.x, to = end_;
        if (slope_ != 0) {
            const float enter = a_.x + (static_cast<float>(across.first) - reach - a_.y) / slope_;
            const float leave = a_.x + (static_cast<float>(across.last) + reach - a_.y) / slope_;
            from = std::max(from, std::min(enter, leave));
            to = std::min(to, std::max(enter, leave));
        }
        if (from > to) return;
        const int first = pixel(from, along), last = std::min(pixel(to, along), along.last - 1);
        for (int step = std::max(first, along.first); step <= last; ++step) {
            const float middle = a_.y + slope_ * (static_cast<float>(step) + 0.5F - a_.x);
            const int low = std::max(pixel(middle - reach, across), across.first);
            const int high = std::min(pixel(middle + reach, across), across.last - 1);
            for (int side = low; side <= high; ++side) {
                const float away = std::abs(static_cast<float>(side) + 0.5F - middle) * cosine_;
                const float share = std::clamp((width_ + 1) / 2 - away, 0.0F, std::min(width_, 1.0F));
                if (share > 0) steep_ ? cover(side, step, share) : cover(step, side, share);
            }
        }
    }

private:
    struct Range {
        int first, last;
    };
    /// The pixel that holds a place, or one just outside of the range.
    static int pixel(float place, Range range) {
        return static_cast<int>(
            std::floor(std::clamp(place, static_cast<float>(range.first) - 1, static_cast<float>(range.last) + 1)));
    }

    bool steep_;
    float width_;
    Spot a_{};
    float end_ = 0, slope_ = 0, cosine_ = 1;
};

}  // namespace

Color edge_color(const Groups& groups, Index from, Index to) {
    if (!groups.labelled() || groups.group(from) != groups.group(to)) return edge_grey;
    return blend(groups.list[groups.group(from)].color, edge_grey, 0.25F);
}

void lay_edges(device::Cpu& cpu, const Flat& flat, const Graph& graph, const Groups& groups, const Frame& frame,
               const EdgeStyle& style, Image& image) {
    std::vector<Spot> spots(flat.x.size());
    cpu.each(static_cast<Offset>(spots.size()), [&](Offset i) {
        const auto at = static_cast<std::size_t>(i);
        spots[at] = {frame.x(flat.x[at]), frame.y(flat.y[at])};
    });
    const auto nearness = [&](std::size_t a, std::size_t b) {
        return flat.nearness.empty() ? 1.0F : (flat.nearness[a] + flat.nearness[b]) / 2;
    };
    Heap heap(image.width, image.height);
    const int bands = (image.height + band_height - 1) / band_height;
    cpu.blocks(bands, 1, [&](Offset band, Offset, int) {
        const int top = static_cast<int>(band) * band_height, bottom = std::min(image.height, top + band_height);
        const float above = static_cast<float>(top) - style.width - 1,
                    below = static_cast<float>(bottom) + style.width + 1;
        Band sums(image.width, top, bottom);
        for (Index v = 0; v < graph.size(); ++v) {
            const auto from = static_cast<std::size_t>(v);
            for (Offset e = graph.offsets[from]; e < graph.offsets[from + 1]; ++e) {
                const Index u = graph.targets[static_cast<std::size_t>(e)];
                const auto to = static_cast<std::size_t>(u);
                if (u < v || std::max(spots[from].y, spots[to].y) < above ||
                    std::min(spots[from].y, spots[to].y) > below)
                    continue;
                const float near = nearness(from, to);
                const Color color = depth_tinted(edge_color(groups, v, u), near);
                const float weight = static_cast<float>(Band::whole * weight_of(near));
                Stroke(spots[from], spots[to], style.width)
                    .walk(image.width, top, bottom, [&](int x, int y, float share) {
                        sums.add(x, y, color, static_cast<std::uint64_t>(share * weight + 0.5F));
                    });
            }
        }
        sums.write(heap);
    });
    shade(cpu, heap, {1, style.alpha, style.given_alpha}, true, image);
}

}  // namespace dunlin::picture

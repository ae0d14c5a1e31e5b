#pragma once

#include <vector>

#include "picture/raster.hpp"

namespace dunlin::picture {

/// What lies at every pixel: how many discs, and their mean colour.
struct Heap {
    Heap(int w, int h)
        : width(w), height(h), color(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)), count(color.size()) {}
    int width, height;
    std::vector<Color> color;
    std::vector<float> count;
};

/// Far points of a 3-D map are paler. nearness: 0 far, 1 near.
Color depth_tinted(Color color, float nearness);

/// How dark `count` discs are at a pixel: the share of their colour over white.
class Shade {
public:
    Shade(const Heap& heap, const Style& style);
    [[nodiscard]] float opacity(float count) const;
    /// 0 for a single disc, 1 where the map is densest.
    [[nodiscard]] float density(float count) const;

private:
    float alpha_, power_ = 1, dense_ = 1;
};

/// The picture of a heap. Without labels the colour itself follows the density.
Image shaded(device::Cpu& cpu, const Heap& heap, const Style& style, bool labelled);

}  // namespace dunlin::picture

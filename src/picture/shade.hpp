// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "picture/raster.hpp"

namespace dunlin::picture {

/// What lies at every pixel: how many discs, and their mean color.
struct AccumulationBuffer {
    AccumulationBuffer(int w, int h)
        : width(w), height(h), color(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)), count(color.size()) {}
    int width, height;
    std::vector<Color> color;
    std::vector<float> count;
};

/// Far points of a map in space are paler. nearness: 0 far, 1 near.
Color depth_tinted(Color color, float nearness);

/// The share of a color over white that `count` discs leave at a pixel. Opacities of c discs multiply to
/// 1 - (1 - alpha)^c; where many lie that would be the full color everywhere, so c is replaced by a power of it that
/// leaves 0.97 to the dense places, those with `dense` discs.
class Opacity {
public:
    Opacity(const Style& style, float dense);
    [[nodiscard]] float operator()(float count) const;

private:
    float alpha_, power_ = 1;
};

/// Lays a heap on what is there. Dense places are darker; without labels their color changes, too.
void shade(device::Cpu& cpu, const AccumulationBuffer& buffer, const Style& style, bool labeled, Image& image);

}  // namespace dunlin::picture

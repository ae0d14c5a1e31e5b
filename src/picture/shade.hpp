// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "picture/raster.hpp"

namespace dunlin::picture {

/// Per pixel, the number of discs and their mean color.
struct AccumulationBuffer {
    AccumulationBuffer(int w, int h)
        : width(w), height(h), color(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)), count(color.size()) {}
    int width, height;
    std::vector<Color> color;
    std::vector<float> count;
};

/// Paler tone for far points. nearness: 0 far, 1 near.
Color depth_tinted(Color color, float nearness, Color paper);

/// Opacity of a pixel with `count` discs. c discs of opacity alpha give 1 - (1 - alpha)^c, which saturates in dense
/// maps; therefore c is replaced by a power of c such that `dense` discs give 0.97.
class Opacity {
public:
    Opacity(const Style& style, float dense);
    [[nodiscard]] float operator()(float count) const;

private:
    float alpha_, power_ = 1;
};

/// Composites the buffer over the image. Dense regions stand out more; without labels they also change color.
void shade(device::Cpu& cpu, const AccumulationBuffer& buffer, const Style& style, const Look& look, bool labeled,
           Image& image);

}  // namespace dunlin::picture

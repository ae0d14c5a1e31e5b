#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu.hpp"
#include "picture/scene.hpp"

namespace dunlin::picture {

/// Opaque pixels, row after row from the top.
struct Image {
    int width = 0, height = 0;
    std::vector<Color> pixels;
};

/// Draws the points on white. A pixel has the mean colour of the discs that cover it, so that no order of drawing
/// matters, and an opacity that grows with their number.
Image rasterise(device::Cpu& cpu, const Flat& flat, const Groups& groups, const Frame& frame, const Style& style,
                int width, int height);

}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "colors/contrast.hpp"

namespace dunlin::picture {

/// The paper of a picture and what is on it besides the points. Pages have the same (view/look.js, view/style.css).
struct Look {
    bool is_dark = false;
    Color paper = white, text = text_color, faint = faint_color;
    Color ink = {};  ///< of lines over points; dense regions tend to it
    Color below = below_color;
    std::array<Color, 3> density = density_ramp;

    /// A color of points or edges: on dark paper lighter, by less the lighter it is, so that scales keep their order.
    [[nodiscard]] Color shown(Color color) const {
        if (!is_dark) return color;
        const float light = (0.2126F * static_cast<float>(color.r) + 0.7152F * static_cast<float>(color.g) +
                             0.0722F * static_cast<float>(color.b)) /
                            255;
        return blend(color, white, 0.4F * (1 - light));
    }
    /// A color of a landscape: on dark paper half as light.
    [[nodiscard]] Color ground(Color color) const { return is_dark ? blend(color, Color{}, 0.5F) : color; }
};

constexpr Look dark_look{.is_dark = true,
                         .paper = hex(0x14171c),
                         .text = hex(0xe8eaed),
                         .faint = hex(0x9aa0a8),
                         .ink = white,
                         .below = hex(0x363c45),
                         .density = {hex(0x2f5f8f), hex(0x6aa5d8), hex(0xd8ecff)}};

constexpr Look look_of(bool is_dark) { return is_dark ? dark_look : Look{}; }

}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "colors/color.hpp"

namespace dunlin::picture {

/// Relative luminance of a color as defined by WCAG 2: 0 black, 1 white.
inline double luminance(Color color) {
    const auto linear = [](std::uint8_t value) {
        const double share = value / 255.0;
        return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
}

/// Contrast ratio of two colors, 1 to 21.
inline double contrast(Color a, Color b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

constexpr double text_contrast = 4.5;  ///< the least of text that is read
constexpr double mark_contrast = 3;    ///< the least of marks; a paler mark has a rim

/// The color as it is, or darkened, on dark paper lightened, until text in it is legible.
inline Color legible(Color color, Color paper = white) {
    constexpr int steps = 64;
    const Color end = luminance(paper) < 0.18 ? white : Color{};
    for (int step = 0; step < steps; ++step) {
        const Color text = blend(color, end, static_cast<float>(step) / steps);
        if (contrast(text, paper) >= text_contrast) return text;
    }
    return end;
}

}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "colors/color.hpp"

namespace dunlin::picture {

/// The color at a place from 0 to 1 of a ramp, linear between its colors.
Color on_ramp(std::span<const Color> ramp, float place);

/// A continuous legend: colors from the smallest to the largest finite value.
struct ColorScale {
    std::string name;
    double low = 0, high = 0;

    /// From 0 (low) to 1 (high); 0.5 if both are equal.
    [[nodiscard]] double place(double value) const;
    [[nodiscard]] static Color color(double place);
};

struct Tick {
    double value;
    std::string text;
};

/// About `count` round values within a range: multiples of 1, 2 or 5 times a power of 10; its ends if it is a point.
std::vector<Tick> ticks_of(double low, double high, int count);

}  // namespace dunlin::picture

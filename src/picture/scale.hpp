// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <dunlin/picture.hpp>

#include "colors/color.hpp"

namespace dunlin::picture {

/// The color at a place from 0 to 1 of a ramp, linear between its colors.
Color on_ramp(std::span<const Color> ramp, float place);

struct Tick {
    double value;
    std::string text;
};

/// About `count` round values within a range: multiples of 1, 2 or 5 times a power of 10; its ends if it is a point.
std::vector<Tick> ticks_of(double low, double high, int count);

/// A continuous legend: colors from the smallest to the largest value that is shown.
struct ColorScale {
    std::string name;
    double low = 0, high = 0;
    std::vector<Color> ramp = {value_ramp.begin(), value_ramp.end()};
    ValueScale by = ValueScale::linear;
    std::optional<double> center = {};  ///< linear: the value at place 0.5
    std::vector<double> sorted = {};    ///< rank: all values

    /// Whether the value has a place: it is finite and, of a logarithm, above 0.
    [[nodiscard]] bool shows(double value) const;
    /// From 0 (low, and below) to 1 (high, and above); 0.5 if both are equal. Of a rank the middle of equal values.
    [[nodiscard]] double place(double value) const;
    [[nodiscard]] Color color(double place) const { return on_ramp(ramp, static_cast<float>(place)); }
    /// About `count` values of the legend: round ones, powers of 10, or quantiles.
    [[nodiscard]] std::vector<Tick> ticks(int count) const;
};

/// A scale without values: it is widened by those that it shows, and closed.
ColorScale empty_scale(const std::string& name);
void widen(ColorScale& scale, std::span<const double> values);
/// A scale that no value has widened is from 0 to 0.
void close(ColorScale& scale);

/// The scale of the values by options.palette, range, scale and center. Throws Error{bad_input} for options that do not
/// fit the values or each other.
ColorScale scale_of(std::span<const double> values, const std::string& name, const Options& options);

}  // namespace dunlin::picture

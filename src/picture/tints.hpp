// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <dunlin/density.hpp>
#include <dunlin/landscape.hpp>

#include "colors/color.hpp"

/// The bands of a density, their colors and their water level: of plans and of pages.
namespace dunlin::picture {

/// Hypsometric tints from the coast to the peaks, lighter with height (Imhof's rule), and water from the coast
/// outwards.
constexpr std::array<Color, 5> land_ramp = {hex(0x6a9a78), hex(0x93b884), hex(0xc9cf94), hex(0xecdcae), hex(0xfbf5e6)};
constexpr std::array<Color, 2> water_ramp = {hex(0xa9cfe2), hex(0x7fb0d0)};
/// Values from low to high, on land.
constexpr std::array<Color, 5> mean_ramp = {hex(0x5b6f9a), hex(0x7fa3a8), hex(0xb5c99c), hex(0xe9d58f), hex(0xf7f1d8)};
constexpr Color coast_color = hex(0x3f6f91);

/// A level whose region gets a tint, and its line of the legend.
struct Tint {
    double level;
    Color color;
    std::string name;
};

/// How the density is estimated: the bands have the water's percentage, too.
density::Options density_options(const LandscapeOptions& landscape);

/// Level of the coast, of a result by these options.
double water_level(const density::Result& result, const LandscapeOptions& landscape);

/// Tints of the density from the deepest water to the peaks. A level of 0 has no region: the whole plane.
std::vector<Tint> tints_of_density(const std::vector<density::Band>& bands, double water);

/// Tints of the mean of values on land, from low to high.
std::vector<Tint> tints_of_mean(const std::vector<density::Band>& bands);

/// "water, beyond", the last line of the legend.
constexpr const char* beyond = "water, beyond";
/// What a picture with `detail` says.
constexpr const char* decoration = "fine relief is decoration";

}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#include "picture/tints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "density/placement.hpp"
#include "picture/scale.hpp"

namespace dunlin::picture {

namespace {

Color color_at(std::span<const Color> ramp, std::size_t step, std::size_t steps) {
    return on_ramp(ramp, steps > 1 ? static_cast<float>(step) / static_cast<float>(steps - 1) : 0.5F);
}

}  // namespace

density::Options density_options(const LandscapeOptions& landscape) {
    std::vector<double> percentages = density::percentages_of(landscape.bands);
    const auto place = std::lower_bound(percentages.begin(), percentages.end(), landscape.water);
    if (place == percentages.end() || *place != landscape.water) percentages.insert(place, landscape.water);
    return {landscape.bandwidth, landscape.nodes, fmt::format("{}", fmt::join(percentages, ","))};
}

double water_level(const density::Result& result, const LandscapeOptions& landscape) {
    return std::find_if(result.bands.begin(), result.bands.end(),
                        [&](const density::Band& band) { return band.percentage == landscape.water; })
        ->level;
}

std::vector<Tint> tints_of_density(const std::vector<density::Band>& bands, double water) {
    const auto on_land = static_cast<std::size_t>(
        std::count_if(bands.begin(), bands.end(), [&](const density::Band& b) { return b.percentage <= water; }));
    std::vector<Tint> tints;
    for (std::size_t b = bands.size(); b-- > 0;) {
        const bool land = b < on_land;
        const Color color = land ? color_at(land_ramp, on_land - 1 - b, on_land)
                                 : color_at(water_ramp, b - on_land, bands.size() - on_land + 1);
        const std::string name =
            b == 0 ? fmt::format("densest {:g}%", bands[b].percentage) : fmt::format("to {:g}%", bands[b].percentage);
        tints.push_back({bands[b].level, color, land ? name : "water, " + name});
    }
    return tints;
}

std::vector<Tint> tints_of_mean(const std::vector<density::Band>& bands) {
    std::vector<Tint> tints;
    const std::size_t steps = bands.size() + 1;
    for (std::size_t b = bands.size(); b-- > 0;)
        tints.push_back(
            {bands[b].level, color_at(mean_ramp, steps - 1 - b, steps), fmt::format("from {:.4g}", bands[b].level)});
    return tints;
}

}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#include "picture/page_relief.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "math/at.hpp"
#include "picture/relief.hpp"
#include "picture/tints.hpp"
#include "progress/cancel.hpp"

namespace dunlin::picture {

namespace {

using nlohmann::json;

json facts_of(const density::Result& result, const LandscapeOptions& landscape, double water, double highest) {
    json facts{{"nodes", {result.field.nodes[0], result.field.nodes[1]}},
               {"shown", landscape.style == MapStyle::landscape},
               {"water", elevation(water, water) / highest},
               {"levels", json::array()},
               {"colors", {code(water_ramp.back())}},
               {"names", {beyond}},
               {"coast", code(coast_color)},
               {"contours", landscape.contours},
               {"note", fmt::format("bandwidth {:.3g}", *result.options.bandwidth)}};
    if (landscape.detail > 0) facts["note"] = fmt::format("{}; {}", facts["note"].get<std::string>(), decoration);
    for (const Tint& tint : tints_of_density(result.bands, landscape.water)) {
        facts["levels"].push_back(elevation(tint.level, water) / highest);
        facts["colors"].push_back(code(tint.color));
        facts["names"].push_back(tint.name);
    }
    return facts;
}

}  // namespace

PageRelief page_relief(device::Cpu& cpu, const Map& map, const LandscapeOptions& landscape, const Run& run) {
    PageRelief relief;
    if (map.dim != 2 || map.size() == 0) return relief;
    // The stages of a page are those of the picture
    const Run quiet{.threads = run.threads, .memory = run.memory, .stop = run.stop};
    density::Result result;
    try {
        result = density::estimate(map, density_options(landscape), quiet);
    } catch (const Error& error) {
        // A map whose span leaves the range of floats has no density, and yet a page
        if (landscape.style == MapStyle::landscape || error.fault() != Fault::bad_input) throw;
        return relief;
    }
    progress::cancellation_point();
    const double water = water_level(result, landscape);
    const std::vector<float> heights = elevations(cpu, result.field, water);
    const float most = *std::max_element(heights.begin(), heights.end());
    const double highest = most > 0 ? static_cast<double>(most) : 1;
    const Index nx = result.field.nodes[0], ny = result.field.nodes[1];
    Shade shade;
    if (landscape.hillshade) {
        std::vector<float> relieved = heights;
        if (landscape.detail > 0) add_detail(cpu, result.field, landscape.detail, 1, relieved);
        shade = hillshade(cpu, result.field, water, relieved);
    }
    relief.values.resize(heights.size());
    cpu.each(std::ssize(heights), [&](Offset node) {
        const Offset from_top = node % nx + Offset{nx} * (ny - 1 - node / nx);
        const int dark = shade.values.empty() ? 0 : shade.values[at(from_top)];
        const auto shaded = static_cast<std::uint32_t>(std::clamp(128 + (dark >= 0 ? dark : dark - 1) / 2, 0, 255));
        const double height = static_cast<double>(heights[at(node)]) / highest;
        relief.values[at(node)] = static_cast<std::uint32_t>(std::lround(65535 * height)) | shaded << 16;
    });
    relief.facts = facts_of(result, landscape, water, highest);
    relief.grid.origin = result.field.origin;
    relief.grid.step = result.field.spacing;
    return relief;
}

}  // namespace dunlin::picture

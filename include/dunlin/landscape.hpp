// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/density.hpp>
#include <dunlin/export.hpp>
#include <dunlin/options.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/plots.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// The density of a map drawn as a landscape.
namespace dunlin::picture {

/// How a map is drawn: its points, or their density as elevation.
enum class MapStyle { points, landscape };
constexpr std::array<std::string_view, 2> names(MapStyle) { return {"points", "landscape"}; }

struct LandscapeOptions {
    MapStyle style = MapStyle::points;
    std::optional<double> bandwidth = {};
    std::optional<Index> nodes = {};
    std::string bands = density::Options().bands;
    double water = 95;
    bool contours = true;
    bool hillshade = true;
    double detail = 0;
};

template <class Visit>
void fields(Visit&& visit, LandscapeOptions& o) {
    const auto landscape = when("style", o.style, {MapStyle::landscape});
    visit(field("style", o.style, "draw points, or their density as a landscape"));
    density::Options density;
    density::fields(
        [&]<class T>(const Field<T>& of_density) {
            const auto add = [&](auto& value) {
                auto copy = field(of_density.name, value, of_density.help);
                copy.range = of_density.range;
                copy.rule = of_density.rule;
                visit(std::move(copy).read(landscape));
            };
            if constexpr (std::is_same_v<T, std::optional<double>>) add(o.bandwidth);
            if constexpr (std::is_same_v<T, std::optional<Index>>) add(o.nodes);
            if constexpr (std::is_same_v<T, std::string>) add(o.bands);
        },
        density);
    visit(field("water", o.water, "percentage of the points on land; below is water")
              .above(0)
              .at_most(100)
              .read(landscape));
    visit(field("contours", o.contours, "draw lines between the bands").read(landscape));
    visit(field("hillshade", o.hillshade, "shade slopes as if lit from the upper left").read(landscape));
    visit(
        field(
            "detail", o.detail,
            "height of fractal detail added to the shaded relief, relative to it; a decoration that is not in the data")
            .at_least(0)
            .at_most(1)
            .read(landscape));
}

/// Draws the density of a map (density.hpp) as a plan of a landscape, .png, .svg, .pdf or .html: tints of elevation are
/// the regions that hold the densest 10%, 25%, .. of the points (options.bands), with contours between them, water
/// where the density is below that of the region of options.water percent, and slopes shaded. The name of a label
/// stands on the peaks of its own points, most prominent first, where there is room. With a coloring the tints are
/// bands of the kernel-weighted mean of the values instead; water and relief are still of the density. A map of more
/// than 2 dimensions is projected as by draw. In a page (.html) the points, their ids and the coloring are above the
/// density, which can be tilted. Throws what draw and density::estimate throw, and Error{bad_input} for another format,
/// and for options of the picture that are not read: of graphs, in a plan also of points.
DUNLIN_API bool draw_landscape(const std::filesystem::path& path, const Map& map, const Labels& labels = {},
                               const LandscapeOptions& landscape = {.style = MapStyle::landscape},
                               const Options& options = {}, const Run& run = {}, const Coloring* coloring = nullptr,
                               const std::vector<std::string>& ids = {});

}  // namespace dunlin::picture

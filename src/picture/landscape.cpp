// SPDX-License-Identifier: Apache-2.0
#include "picture/landscape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>
#include <dunlin/landscape.hpp>

#include "density/level_lines.hpp"
#include "density/placement.hpp"
#include "device/cancel.hpp"
#include "device/progress.hpp"
#include "io/markup.hpp"
#include "io/output.hpp"
#include "math/at.hpp"
#include "picture/formats.hpp"
#include "picture/lattice.hpp"
#include "picture/names.hpp"
#include "picture/peaks.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

constexpr std::array<std::string_view, 2> plan_formats{".png", ".svg"};

/// Hypsometric tints from the coast to the peaks, lighter with height (Imhof's rule), and water from the coast
/// outwards.
constexpr std::array<Color, 5> land_ramp = {hex(0x6a9a78), hex(0x93b884), hex(0xc9cf94), hex(0xecdcae), hex(0xfbf5e6)};
constexpr std::array<Color, 2> water_ramp = {hex(0xa9cfe2), hex(0x7fb0d0)};
/// Values from low to high, on land.
constexpr std::array<Color, 5> mean_ramp = {hex(0x5b6f9a), hex(0x7fa3a8), hex(0xb5c99c), hex(0xe9d58f), hex(0xf7f1d8)};
constexpr Color coast_color = hex(0x3f6f91);

Color color_at(std::span<const Color> ramp, std::size_t step, std::size_t steps) {
    return on_ramp(ramp, steps > 1 ? static_cast<float>(step) / static_cast<float>(steps - 1) : 0.5F);
}

/// A level whose region gets a tint, and its line of the legend.
struct Tint {
    double level;
    Color color;
    std::string name;
};

/// The projected map as n x 2 coordinates.
Map plane_map(const FlatMap& flat) {
    Map plane{2, {}};
    plane.coordinates.reserve(2 * flat.x.size());
    for (std::size_t i = 0; i < flat.x.size(); ++i)
        plane.coordinates.insert(plane.coordinates.end(), {flat.x[i], flat.y[i]});
    return plane;
}

/// "10,25" with the water's percentage, if it is not among them.
std::string with_water(const LandscapeOptions& landscape) {
    std::vector<double> percentages = density::percentages_of(landscape.bands);
    const auto place = std::lower_bound(percentages.begin(), percentages.end(), landscape.water);
    if (place == percentages.end() || *place != landscape.water) percentages.insert(place, landscape.water);
    return fmt::format("{}", fmt::join(percentages, ","));
}

/// Tints of the density from the deepest water to the peaks. A level of 0 has no region: the whole plane.
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

/// Tints of the mean of values on land, from low to high.
std::vector<Tint> tints_of_mean(const std::vector<density::Band>& bands) {
    std::vector<Tint> tints;
    const std::size_t steps = bands.size() + 1;
    for (std::size_t b = bands.size(); b-- > 0;)
        tints.push_back(
            {bands[b].level, color_at(mean_ramp, steps - 1 - b, steps), fmt::format("from {:.4g}", bands[b].level)});
    return tints;
}

class PlanMaker {
public:
    PlanMaker(device::Cpu& cpu, const FlatMap& flat, const LandscapeOptions& landscape, const Options& options)
        : cpu_(cpu), flat_(flat), landscape_(landscape), options_(options) {}

    LandscapePlan plan(const density::Result& result, const Labels& labels, const std::string& value_name) {
        const bool of_mean = !result.mean.values.empty();
        const auto water = std::find_if(result.bands.begin(), result.bands.end(),
                                        [&](const density::Band& band) { return band.percentage == landscape_.water; });
        std::vector<Tint> tints =
            of_mean ? tints_of_mean(result.mean_bands) : tints_of_density(result.bands, landscape_.water);
        lay_page(tints, of_mean, value_name, *result.options.bandwidth);
        place_view(result.field, *result.options.bandwidth);
        if (of_mean) {
            add_mean(result, water->level, tints);
        } else {
            add_density(result.field, water->level, tints);
        }
        if (landscape_.hillshade) add_shade(result.field, water->level);
        if (options_.label_names) add_names(labels);
        return std::move(plan_);
    }

private:
    /// A line below the legend, if there is one.
    void add_note(int row, const std::string& text) {
        if (plan_.page.swatches.empty()) return;
        const Swatch& last = plan_.page.swatches.back();
        const float size = last.radius / 0.38F * 0.85F, left = last.x - last.radius;
        plan_.page.lines.push_back({shortened(text, size, plan_.page.width - left), left,
                                    last.y + static_cast<float>(row + 1) * 1.6F * size, size, faint_color, false});
    }

    void lay_page(const std::vector<Tint>& tints, bool of_mean, const std::string& value_name, double bandwidth) {
        Groups groups;
        groups.of = {0};
        const auto add = [&](const std::string& name, Color color) { groups.list.push_back({name, -1, color}); };
        for (std::size_t t = tints.size(); t-- > 0;) add(tints[t].name, tints[t].color);
        if (of_mean) {
            add("lower " + value_name, mean_ramp.front());
            add("water: few points", water_ramp.front());
        } else {
            add("water, beyond", water_ramp.back());
        }
        plan_.page = page_of(options_, groups);
        add_note(1, fmt::format("bandwidth {:.3g}", bandwidth));
        if (landscape_.detail > 0) add_note(2, "fine relief is decoration");
        plan_.ground = of_mean ? water_ramp.front() : water_ramp.back();
    }

    /// The points with a margin of three bandwidths.
    void place_view(const ScalarField& field, double bandwidth) {
        field_ = &field;
        FlatMap wide{{}, {}, {}, {}, {}, 0, 0, 0, 0};
        const auto margin = static_cast<float>(3 * bandwidth);
        wide.left = flat_.left - margin, wide.right = flat_.right + margin;
        wide.bottom = flat_.bottom - margin, wide.top = flat_.top + margin;
        viewport_ = viewport_of(wide, plan_.page.plot, 0);
        unit_ = std::min(plan_.page.width, plan_.page.height) / 1200;
    }

    [[nodiscard]] PixelPoint pixel_of(const std::array<double, 2>& node) const {
        return {static_cast<float>(viewport_.left + viewport_.scale * (field_->coordinate(0, node[0]) - viewport_.x0)),
                static_cast<float>(viewport_.top - viewport_.scale * (field_->coordinate(1, node[1]) - viewport_.y0))};
    }

    template <class Value>
    Region region_of(const Value& value, double level, Color fill) const {
        Region region{{}, fill};
        for (const density::LevelLine& line :
             density::level_lines(field_->nodes[0], field_->nodes[1], value, level, density::LineEnds::closed)) {
            std::vector<PixelPoint> loop;
            for (const auto& node : line.points) {
                const PixelPoint point = pixel_of(node);
                constexpr float close = 0.3F;  // pixels
                if (loop.empty() || std::hypot(point.x - loop.back().x, point.y - loop.back().y) >= close)
                    loop.push_back(point);
            }
            if (loop.size() >= 3) region.loops.push_back(std::move(loop));
        }
        return region;
    }

    void add_region(Region region, Color line, float width) {
        if (landscape_.contours) plan_.strokes.push_back({plan_.regions.size(), line, width * unit_});
        plan_.regions.push_back(std::move(region));
    }

    void add_density(const ScalarField& density, double water, const std::vector<Tint>& tints) {
        const auto value = [&](Index x, Index y) { return density.values[at(x + Offset{density.nodes[0]} * y)]; };
        for (const Tint& tint : tints) {
            const bool coast = tint.level == water;
            add_region(region_of(value, tint.level, tint.color),
                       coast ? coast_color : blend(tint.color, Color{}, 0.35F), coast ? 1.6F : 0.8F);
        }
    }

    /// Regions of the mean are cut off at the coast.
    void add_mean(const density::Result& result, double water, const std::vector<Tint>& tints) {
        const auto place = [&](Index x, Index y) { return at(x + Offset{field_->nodes[0]} * y); };
        const auto density = [&](Index x, Index y) { return result.field.values[place(x, y)]; };
        const auto mean = [&](Index x, Index y) {
            const std::size_t node = place(x, y);
            return static_cast<double>(result.field.values[node]) >= water ? result.mean.values[node] : NAN;
        };
        add_region(region_of(density, water, mean_ramp.front()), coast_color, 1.6F);
        for (const Tint& tint : tints)
            add_region(region_of(mean, tint.level, tint.color), blend(tint.color, Color{}, 0.35F), 0.8F);
    }

    void add_shade(const ScalarField& density, double water) {
        std::vector<float> heights = elevations(cpu_, density, water);
        if (landscape_.detail > 0) add_detail(cpu_, density, landscape_.detail, 1, heights);
        plan_.shade = hillshade(cpu_, density, water, heights);
        const PixelPoint upper_left = pixel_of({0, density.nodes[1] - 1.0});
        const PixelPoint lower_right = pixel_of({density.nodes[0] - 1.0, 0});
        plan_.shade_box = {upper_left.x, upper_left.y, lower_right.x - upper_left.x, lower_right.y - upper_left.y};
    }

    void add_names(const Labels& labels) {
        if (labels.empty()) return;
        const Map plane = plane_map(flat_);
        const LatticePoints points = lattice_points(cpu_, plane.coordinates, 2);
        const float size = std::max(10.0F, 19 * unit_);
        const std::size_t before = plan_.page.lines.size();
        for (const LabelPeak& peak : peaks_of(cpu_, points, plane.coordinates, labels)) {
            TextLine name{shortened(io::clean_text(labels.names[at(peak.label)]), size, 0.17F * plan_.page.width),
                          0,
                          0,
                          size,
                          text_color,
                          true};
            const float width = text_width(name.text, size);
            name.x = viewport_.x(static_cast<float>(peak.place[0])) - width / 2;
            name.y = viewport_.y(static_cast<float>(peak.place[1])) + 0.36F * size;
            name.x = std::clamp(name.x, 2.0F, std::max(2.0F, plan_.page.plot.left + plan_.page.plot.width - width - 2));
            const bool free =
                std::none_of(plan_.page.lines.begin() + static_cast<std::ptrdiff_t>(before), plan_.page.lines.end(),
                             [&](const TextLine& other) { return touch(other, name); });
            if (free) plan_.page.lines.push_back(std::move(name));
        }
    }

    device::Cpu& cpu_;
    const FlatMap& flat_;
    const LandscapeOptions& landscape_;
    const Options& options_;
    const ScalarField* field_ = nullptr;
    Viewport viewport_;
    float unit_ = 1;
    LandscapePlan plan_;
};

/// Options of points and graphs are not read.
void check_options(const LandscapeOptions& landscape, const Options& options) {
    check(options);
    options::check(landscape);
    if (landscape.style != MapStyle::landscape)
        throw Error(Fault::bad_input, "style is points; it must be landscape", {.option = "style"});
    const Options none;
    const auto refuse = [](const char* name) {
        throw Error(Fault::bad_input,
                    fmt::format("{} is given, and a landscape has no points and edges; leave it out", name),
                    {.option = name});
    };
    if (options.point_size != none.point_size) refuse("point-size");
    if (options.alpha != none.alpha) refuse("alpha");
    if (options.edge_width != none.edge_width) refuse("edge-width");
    if (options.edge_alpha != none.edge_alpha) refuse("edge-alpha");
    if (options.vertex_names) refuse("vertex-names");
    if (options.color != none.color) refuse("color");
}

}  // namespace

bool draw_landscape(const std::filesystem::path& path, const Map& map, const Labels& labels,
                    const LandscapeOptions& landscape, const Options& options, const Run& run,
                    const Coloring* coloring) {
    const std::string extension = io::format_of(path, "a landscape is", plan_formats);
    check_options(landscape, options);
    if (map.size() == 0) throw Error(Fault::bad_input, "picture: the map has no points; a landscape needs one");
    if (!labels.empty()) (void)groups_of(labels, map.size());
    return device::run_cancellable(run.stop, [&] {
        device::Cpu cpu(run);
        const FlatMap flat = flatten(cpu, map);
        density::Options wanted{landscape.bandwidth, landscape.nodes, with_water(landscape)};
        const density::Result result = density::estimate(
            plane_map(flat), wanted, run, {.values = coloring ? coloring->values : std::span<const double>{}});
        device::cancellation_point();
        if (coloring != nullptr && result.missing == map.size())
            throw Error(Fault::bad_input, "picture: no point of the map has a value; a landscape of values needs one");
        const device::ProgressReporter reporter(run, "picture", 1);
        const LandscapePlan plan = PlanMaker(cpu, flat, landscape, options)
                                       .plan(result, labels, coloring ? io::clean_text(coloring->name) : "");
        io::Output file(path);
        file.text(extension == ".png" ? png_of(plan) : svg_of(plan, options));
        file.commit();
    });
}

}  // namespace dunlin::picture

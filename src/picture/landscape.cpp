// SPDX-License-Identifier: Apache-2.0
#include "picture/landscape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/landscape.hpp>

#include "density/level_lines.hpp"
#include "io/markup.hpp"
#include "io/output.hpp"
#include "math/at.hpp"
#include "picture/formats.hpp"
#include "picture/lattice.hpp"
#include "picture/names.hpp"
#include "picture/peaks.hpp"
#include "picture/text.hpp"
#include "picture/tints.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::picture {

namespace {

class PlanMaker {
public:
    PlanMaker(device::Cpu& cpu, const FlatMap& flat, const LandscapeOptions& landscape, const Options& options)
        : cpu_(cpu), flat_(flat), landscape_(landscape), options_(options) {}

    LandscapePlan plan(const density::Result& result, const Labels& labels, const std::string& value_name) {
        const bool of_mean = !result.mean.values.empty();
        const double water = water_level(result, landscape_);
        std::vector<Tint> tints =
            of_mean ? tints_of_mean(result.mean_bands) : tints_of_density(result.bands, landscape_.water);
        for (Tint& tint : tints) tint.color = look_.ground(tint.color);
        lay_page(tints, of_mean, value_name, *result.options.bandwidth);
        place_view(result.field, *result.options.bandwidth);
        if (of_mean) {
            add_mean(result, water, tints);
        } else {
            add_density(result.field, water, tints);
        }
        if (landscape_.hillshade) add_shade(result.field, water);
        if (options_.label_names) add_names(labels);
        return std::move(plan_);
    }

private:
    void lay_page(const std::vector<Tint>& tints, bool of_mean, const std::string& value_name, double bandwidth) {
        Groups groups;
        groups.of = {0};
        const auto add = [&](const std::string& name, Color color) { groups.list.push_back({name, -1, color}); };
        for (std::size_t t = tints.size(); t-- > 0;) add(tints[t].name, tints[t].color);
        if (of_mean) {
            add("lower " + value_name, look_.ground(mean_ramp.front()));
            add("water: few points", look_.ground(water_ramp.front()));
        } else {
            add(beyond, look_.ground(water_ramp.back()));
        }
        std::vector<std::string> notes{fmt::format("bandwidth {:.3g}", bandwidth)};
        if (landscape_.detail > 0) notes.emplace_back(decoration);
        plan_.page = page_of(options_, groups, notes);
        plan_.ground = look_.ground(of_mean ? water_ramp.front() : water_ramp.back());
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
                       coast ? look_.ground(coast_color) : blend(tint.color, Color{}, 0.35F), coast ? 1.6F : 0.8F);
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
        add_region(region_of(density, water, look_.ground(mean_ramp.front())), look_.ground(coast_color), 1.6F);
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
        std::vector<PlacedName> names;
        const float given = plan_.page.name_size, size = given > 0 ? given : std::max(10.0F, 19 * unit_);
        for (const LabelPeak& peak : peaks_of(cpu_, points, plane.coordinates, labels)) {
            names.push_back(
                {io::clean_text(labels.names[at(peak.label)]),
                 {viewport_.x(static_cast<float>(peak.place[0])), viewport_.y(static_cast<float>(peak.place[1]))}});
        }
        TextPlacement placement(plan_.page);
        add_group_names(placement, plan_.page, names, size);
    }

    device::Cpu& cpu_;
    const FlatMap& flat_;
    const LandscapeOptions& landscape_;
    const Options& options_;
    const ScalarField* field_ = nullptr;
    Viewport viewport_;
    float unit_ = 1;
    Look look_ = look_of(options_.dark);
    LandscapePlan plan_;
};

/// Options of graphs are not read, those of points only by a page.
void check_options(const LandscapeOptions& landscape, const Options& options, bool is_page) {
    check(options);
    options::check(landscape);
    if (landscape.style != MapStyle::landscape)
        throw Error(Fault::bad_input, "style is points; it must be landscape", {.option = "style"});
    const Options none;
    const auto refuse = [&](const char* name) {
        throw Error(Fault::bad_input,
                    fmt::format("{} is given, and a landscape has no {}; leave it out", name,
                                is_page ? "edges" : "points and edges"),
                    {.option = name});
    };
    if (!is_page && options.point_size != none.point_size) refuse("point-size");
    if (!is_page && options.alpha != none.alpha) refuse("alpha");
    if (!is_page && options.names != none.names) refuse("names");
    if (!is_page && !options.name_these.empty()) refuse("name-these");
    if (!is_page && !options.item_names.empty()) refuse("names-from");
    if (!is_page && !options.name_ranks.empty()) refuse("names-by");
    const bool colored = options.palette != none.palette || !options.colors.empty() || !options.range.empty() ||
                         options.scale != none.scale || options.center;
    if (!is_page && colored)
        throw Error(Fault::bad_input,
                    "palette, colors, range, scale and center are for points, and a landscape has tints of its own; "
                    "leave them out");
    if (options.edge_width != none.edge_width) refuse("edge-width");
    if (options.edge_alpha != none.edge_alpha) refuse("edge-alpha");
    if (options.vertex_names) refuse("vertex-names");
    if (options.color != none.color) refuse("color");
}

}  // namespace

bool draw_landscape(const std::filesystem::path& path, const Map& map, const Labels& labels,
                    const LandscapeOptions& landscape, const Options& options, const Run& run, const Coloring* coloring,
                    const std::vector<std::string>& ids) {
    const std::string extension = io::format_of(path, "a landscape is", formats::pictures);
    const bool is_page = extension == ".html";
    check_options(landscape, options, is_page);
    if (map.size() == 0) throw Error(Fault::bad_input, "picture: the map has no points; a landscape needs one");
    if (!labels.empty()) (void)groups_of(labels, map.size());
    return progress::run_cancellable(run.stop, [&] {
        const FontScope font(options.font);
        device::Cpu cpu(run);
        const FlatMap flat = flatten(cpu, map);
        const Map plane = plane_map(flat);
        if (is_page) return draw_page(path, plane, labels, ids, options, run, coloring, {.landscape = &landscape});
        const density::Result result =
            density::estimate(plane, density_options(landscape), run,
                              {.values = coloring ? coloring->values : std::span<const double>{}});
        progress::cancellation_point();
        if (coloring != nullptr && result.missing == map.size())
            throw Error(Fault::bad_input, "picture: no point of the map has a value; a landscape of values needs one");
        const progress::ProgressReporter reporter(run, "picture", 1);
        const LandscapePlan plan = PlanMaker(cpu, flat, landscape, options)
                                       .plan(result, labels, coloring ? io::clean_text(coloring->name) : "");
        io::Output file(path);
        file.text(extension == ".png"   ? png_of(plan, options)
                  : extension == ".svg" ? svg_of(plan, options)
                                        : pdf_of(plan, options));
        file.commit();
    });
}

}  // namespace dunlin::picture

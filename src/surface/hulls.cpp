// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>

#include "device/choose.hpp"
#include "device/complete.hpp"
#include "math/at.hpp"
#include "picture/groups.hpp"
#include "progress/cancel.hpp"
#include "progress/stopwatch.hpp"
#include "surface/metaballs.hpp"
#include "surface/problem.hpp"

namespace dunlin::surface {

namespace {

/// The points that share a hull.
struct HullPoints {
    std::string name;
    picture::Color color;
    Map map{.dim = 3, .coordinates = {}};
};

std::vector<HullPoints> by_label(const Map& map, const Labels& labels) {
    const picture::Groups groups = picture::groups_of(labels, map.size());
    std::vector<HullPoints> parts(labels.names.size());
    for (std::size_t l = 0; l < parts.size(); ++l) parts[l].name = labels.names[l];
    for (Index i = 0; i < map.size(); ++i) {
        if (labels.of[at(i)] == no_label) continue;
        HullPoints& part = parts[at(labels.of[at(i)])];
        part.color = groups.list[groups.group(i)].color;
        const auto row = map.view().row(i);
        part.map.coordinates.insert(part.map.coordinates.end(), row.begin(), row.end());
    }
    std::erase_if(parts, [](const HullPoints& part) { return part.map.size() == 0; });
    return parts;
}

std::vector<HullPoints> parts_of(const Map& map, const Labels& labels, Hulls hulls) {
    if (hulls == Hulls::labels && !labels.empty()) return by_label(map, labels);
    if (map.size() == 0) return {};
    return {{"", picture::palette[0], map}};
}

std::vector<double> values_at_points(device::Cpu& cpu, const FieldArray& field, const Map& map) {
    std::vector<double> values(at(map.size()));
    cpu.each(map.size(),
             [&](Offset i) { values[at(i)] = value_at(field.grid(), map.view().row(static_cast<Index>(i))); });
    return values;
}

/// Between the least value of the `share` percent of largest values and the next smaller value, or 0.
double level_of_share(std::vector<double> values, double share) {
    const auto n = static_cast<double>(values.size());
    const auto rank = static_cast<std::size_t>(std::max(std::ceil(share / 100 * n - 1e-9), 1.0)) - 1;
    std::sort(values.begin(), values.end(), std::greater<>());
    const auto next = std::upper_bound(values.begin(), values.end(), values[rank], std::greater<>());
    return 0.5 * (values[rank] + (next == values.end() ? 0 : *next));
}

void append(Mesh& all, const Mesh& mesh, const HullPoints& part, double opacity) {
    const auto first = static_cast<Index>(all.vertices());
    all.positions.insert(all.positions.end(), mesh.positions.begin(), mesh.positions.end());
    all.normals.insert(all.normals.end(), mesh.normals.begin(), mesh.normals.end());
    for (const Index vertex : mesh.triangles) all.triangles.push_back(first + vertex);
    all.parts.push_back({part.name,
                         {part.color.r, part.color.g, part.color.b, static_cast<std::uint8_t>(opacity * 255 + 0.5)},
                         mesh.vertices(),
                         mesh.faces()});
}

/// of_map: the radius by rule for all points of the map, in whose unit a hull of one place is drawn.
Hull add_hull(device::Cpu& cpu, const HullPoints& part, double of_map, const HullOptions& options, const Run& run,
              HullResult& result) {
    progress::Stopwatch watch;
    Hull hull{.name = part.name, .points = part.map.size()};
    hull.radius = options.radius ? *options.radius : radius_by_rule(part.map, of_map);
    result.seconds["start"] += watch.lap();
    const FieldArray field = sum_metaballs(cpu, part.map, hull.radius, options.cells, run);
    result.seconds["spread"] += watch.lap();
    hull.cells_in_radius = hull.radius / field.spacing[0];
    const std::vector<double> values = values_at_points(cpu, field, part.map);
    hull.level = options.level ? *options.level : level_of_share(values, options.share);
    const auto inside = std::count_if(values.begin(), values.end(), [&](double v) { return v > hull.level; });
    hull.inside = static_cast<double>(inside) / hull.points;
    Mesh own;
    extract_on_cpu(cpu, field.grid(), {.level = hull.level, .open = false}, run, own, hull.measures, result.seconds);
    MeshSizes sizes;
    sizes.vertices = result.mesh.vertices() + own.vertices();
    sizes.triangles = result.mesh.faces() + own.faces();
    require_numbers(sizes);
    append(result.mesh, own, part, options.opacity);
    return hull;
}

void check_labels(const Map& map, const Labels& labels) {
    if (labels.empty() || labels.of.size() == at(map.size())) return;
    throw Error(Fault::bad_input,
                fmt::format("{} labels are given for {} points; give one for each point", labels.of.size(), map.size()),
                {.option = "labels"});
}

}  // namespace

HullResult hulls(const Map& map, const Labels& labels, const HullOptions& options, const Run& run) {
    options::check(options);
    device::require_cpu(run, "hulls are");
    check(map);
    check_labels(map, labels);
    device::Cpu cpu(run);
    HullResult result;
    result.stopped = Stopped::converged;
    const bool is_done = progress::run_cancellable(run.stop, [&] {
        const double of_map = radius_by_rule(map, 1);
        for (const HullPoints& part : parts_of(map, labels, options.hulls))
            result.hulls.push_back(add_hull(cpu, part, of_map, options, run, result));
    });
    if (!is_done) result.mesh = {}, result.hulls = {}, result.stopped = Stopped::cancelled;
    result.options = options;
    if (result.hulls.size() == 1) {
        result.options.radius = result.hulls.front().radius;
        result.options.level = result.hulls.front().level;
        result.options.share = HullOptions().share;  // not read with a level
    }
    result.threads = cpu.threads();
    device::complete(result, Device::cpu, run);
    return result;
}

}  // namespace dunlin::surface

// SPDX-License-Identifier: Apache-2.0
#include <dunlin/surface.hpp>

#include <fmt/format.h>

#include <memory>

#include <dunlin/arrays.hpp>
#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>

#include "colors.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#include "matched.hpp"
#include "report.hpp"
#include "streams.hpp"
#include "waves_input.hpp"

namespace dunlin::app {

namespace {

struct SurfaceCommand {
    fs::path input;
    CommonOptions common;
    std::optional<double> level;
    surface::Options field;
    surface::HullOptions hulls;
    std::string labels, spacing, origin;
    CLI::App* app = nullptr;
};

/// Throws for the first of these flags that is given.
void refuse_flags(const SurfaceCommand& command, std::initializer_list<const char*> flags, std::string_view readers,
                  std::string_view input) {
    for (const char* flag : flags) {
        if (command.app->get_option(flag)->count() == 0) continue;
        throw Error(Fault::bad_input, fmt::format("{} is for {}, and {} is {}; leave it out", flag, readers,
                                                  command.input.string(), input));
    }
}

std::array<double, 3> three_of(const std::string& text, const std::string& flag, double otherwise) {
    if (text.empty()) return {otherwise, otherwise, otherwise};
    const std::vector<double> numbers = numbers_of(text, ',', flag);
    if (numbers.size() == 1) return {numbers[0], numbers[0], numbers[0]};
    if (numbers.size() != 3)
        throw Error(Fault::bad_input, fmt::format("{} is '{}'; it must be one number or three, X,Y,Z", flag, text));
    return {numbers[0], numbers[1], numbers[2]};
}

Json measures_json(const surface::Measures& measures) {
    Json json{{"vertices", measures.vertices},   {"edges", measures.edges},
              {"triangles", measures.triangles}, {"euler_characteristic", measures.euler()},
              {"area", measures.area},           {"cap_area", measures.cap}};
    if (measures.volume) json["volume"] = *measures.volume;
    return json;
}

std::vector<fs::path> write_meshes(const CommonOptions& common, const Mesh& mesh) {
    std::vector<fs::path> written;
    for (const fs::path path : common.outputs) add_output(common, written, path, [&] { io::write_mesh(path, mesh); });
    return written;
}

template <class Result>
int write_result(SurfaceCommand& command, const Result& result, const ReportHeader& task, const Json& quality,
                 StageSeconds& spent, Stopwatch& watch, const std::function<void()>& print_summary) {
    if (result.stopped == Stopped::cancelled) return interrupted;
    watch.lap();
    const std::vector<fs::path> written = write_meshes(command.common, result.mesh);
    spent.write = watch.lap();
    spent.total = watch.total();
    Outcome<Json> outcome = outcome_as_json(result);
    return finish(command.common, report_of(task, outcome, spent, quality), written, result.stopped, print_summary);
}

/// A value of the file that cannot be used is an error about the file.
surface::Result extract_file(const SurfaceCommand& command, const io::FieldFile& file) {
    const auto size = static_cast<std::size_t>(file.size());
    const std::array<double, 3> spacing = three_of(command.spacing, "--spacing", 1);
    const std::array<double, 3> origin = three_of(command.origin, "--origin", 0);
    try {
        if (file.floats) {
            const surface::FieldView<float> grid{file.nodes, {file.floats.get(), size}, spacing, origin};
            return surface::extract(grid, command.field, command.common.run);
        }
        const surface::FieldView<double> grid{file.nodes, {file.doubles.get(), size}, spacing, origin};
        return surface::extract(grid, command.field, command.common.run);
    } catch (const Error& error) {
        const ErrorLocation& place = error.place();
        const bool of_file = error.fault() == Fault::bad_input && (place.row >= 0 || place.option == "nodes");
        if (!of_file) throw;
        throw Error(Fault::bad_file, fmt::format("'{}': {}", command.input.string(), error.what()),
                    {.file = command.input.string(), .row = place.row});
    }
}

int surface_of_field(SurfaceCommand& command) {
    refuse_flags(command, {"--labels", "--hulls", "--radius", "--share", "--cells", "--opacity"}, "maps", "a field");
    if (command.level) command.field.level = *command.level;
    Stopwatch watch;
    const io::FieldFile file = io::read_field(command.input, command.common.run);
    require_read(command.common, !file.floats && !file.doubles);
    StageSeconds spent{.read = watch.lap()};
    const surface::Result result = extract_file(command, file);
    const Json input{{"path", command.input.string()},
                     {"kind", "field"},
                     {"nodes", file.nodes},
                     {"spacing", three_of(command.spacing, "--spacing", 1)},
                     {"origin", three_of(command.origin, "--origin", 0)}};
    const surface::Measures& m = result.measures;
    return write_result(
        command, result, {"surface", "marching-tetrahedra", input}, measures_json(m), spent, watch, [&] {
            const double seconds = result.seconds["count"] + result.seconds["emit"];
            put("level {}: {} vertices, {} triangles, Euler characteristic {}, area {:.6g}{}, {:.3f} s\n",
                result.options.level, m.vertices, m.triangles, m.euler(), m.area,
                m.volume ? fmt::format(", volume {:.6g}", *m.volume) : ", open", seconds);
        });
}

Json hull_json(const surface::Hull& hull) {
    Json json{{"name", hull.name},   {"points", hull.points}, {"radius", hull.radius},
              {"level", hull.level}, {"inside", hull.inside}, {"cells_in_radius", hull.cells_in_radius}};
    json.update(measures_json(hull.measures));
    return json;
}

void print_hulls(const surface::HullResult& result) {
    for (const surface::Hull& hull : result.hulls) {
        put("{}{} points, {:.1f}% inside level {:.4g}: {} triangles, Euler characteristic {}, volume {:.4g}\n",
            hull.name.empty() ? "" : hull.name + ": ", hull.points, 100 * hull.inside, hull.level,
            hull.measures.triangles, hull.measures.euler(), hull.measures.volume.value_or(0));
        if (hull.cells_in_radius < 3) {
            tell(
                "note: the radius {:.4g} is {:.1f} cells of the grid; the hull is coarse, and points between "
                "nodes may be missed; use more --cells or a larger --radius\n",
                hull.radius, hull.cells_in_radius);
        }
    }
}

int surface_of_map(SurfaceCommand& command) {
    refuse_flags(command, {"--open", "--spacing", "--origin"}, "fields", "a map");
    command.hulls.level = command.level;
    Stopwatch watch;
    io::MapFile file = io::read_map(command.input, command.common.run);
    require_read(command.common, file.map.size() == 0);
    print_notes(command.common, command.input, file.notes);
    if (!command.labels.empty())
        file.labels =
            matched_labels(command.common, labels_of(command.labels, command.input), rows_of(command.input, file));
    StageSeconds spent{.read = watch.lap()};
    if (!file.map.origin.empty()) {
        file.notes.push_back(
            {fmt::format("read less ({}), which is to be added to the vertices, as meshes have float32",
                         fmt::join(file.map.origin, ", ")),
             ""});
        print_notes(command.common, command.input, {file.notes.back()});
    }
    const surface::HullResult result = surface::hulls(file.map, file.labels, command.hulls, command.common.run);
    Json input{{"path", command.input.string()}, {"kind", "map"}, {"rows", file.map.size()}, {"cols", file.map.dim}};
    put_notes(input, file.notes);
    Json quality{{"vertices", result.mesh.vertices()}, {"triangles", result.mesh.faces()}, {"hulls", Json::array()}};
    for (const surface::Hull& hull : result.hulls) quality["hulls"].push_back(hull_json(hull));
    return write_result(command, result, {"surface", "metaballs", input}, quality, spent, watch,
                        [&] { print_hulls(result); });
}

int write_surface(SurfaceCommand& command) {
    prepare(command.common);
    if (command.common.outputs.empty()) command.common.outputs = {stem_of(command.input) + ".glb"};
    for (const std::string& output : command.common.outputs)
        require_output("--output", output, "surfaces are", formats::meshes);
    require_apart({command.input, command.labels}, command.common, as_outputs(command.common.outputs));
    return io::is_field(command.input) ? surface_of_field(command) : surface_of_map(command);
}

}  // namespace

void add_surface(CLI::App& app, Action& action) {
    auto command = std::make_shared<SurfaceCommand>();
    CLI::App* sub =
        app.add_subcommand("surface", "hulls of the points of a 3-D map, or a level surface of a 3-D field");
    command->app = sub;
    sub->add_option(
           "INPUT", command->input,
           "a map of 3 dimensions (" + formats::help_of(formats::map) + "), or a field: .npy of three axes x, y, z")
        ->required();
    add_common_flags(*sub, command->common);
    sub->add_option_function<double>(
           "--level", [command](double level) { command->level = level; },
           "value of the surface, inside is above it (default: 0 for a field; by --share for a map)")
        ->check(within<double>({}));
    add_flags(*sub, command->field, {"level"});
    sub->add_option("--spacing", command->spacing, "field: distance of neighboring nodes along x, y, z (default: 1)")
        ->type_name("D|X,Y,Z");
    sub->add_option("--origin", command->origin, "field: position of the first node (default: 0,0,0)")
        ->type_name("X,Y,Z");
    sub->add_option("--labels", command->labels, "map: a file of labels, one per point; else those of the map")
        ->type_name("FILE|FILE:COLUMN");
    add_flags(*sub, command->hulls, {"level"});
    sub->callback([&action, command] { action = [command] { return write_surface(*command); }; });
}

}  // namespace dunlin::app

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/inverse.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "map_report.hpp"
#include "matched.hpp"
#include "report.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

struct InverseCommand {
    fs::path places, map, points, report, state;
    CommonOptions common;
    umap::InverseOptions options;
    placement::Options of_report;           ///< what the report of the map says
    std::optional<placement::Method> made;  ///< the method of the report
    Normalize made_by = Normalize::none;
    Files files;
    const CLI::App* flags = nullptr;
};

/// Takes what the report of the map says, where no flag says otherwise.
void take_report(InverseCommand& command) {
    if (!command.made) return;
    if (*command.made != placement::Method::umap) {
        throw Error(Fault::bad_input,
                    fmt::format("--map-report {} is of {}; rows of data are found for maps of umap alone",
                                command.report.string(), name_of(*command.made)),
                    {.option = "map-report"});
    }
    const placement::Options& made = command.of_report;
    if (made.metric != neighbors::Metric::euclidean) {
        throw Error(
            Fault::bad_input,
            fmt::format("the map of --map-report {} is of metric {}; rows of data are found for euclidean alone",
                        command.report.string(), name_of(made.metric)),
            {.option = "map-report"});
    }
    const auto take = [&](const char* name, auto& value, const auto& reported) {
        if (command.flags->get_option(std::string("--") + name)->count() == 0) value = reported;
    };
    take("k", command.options.k, made.k);
    take("min-dist", command.options.min_dist, made.min_dist);
    take("spread", command.options.spread, made.spread);
    take("a", command.options.a, made.a);
    take("b", command.options.b, made.b);
    take("local-connectivity", command.options.local_connectivity, made.local_connectivity);
    if (command.flags->get_option("--normalize")->count() == 0) command.common.points.normalize = command.made_by;
}

/// The rows that were found, in the units of the points.
io::Points found_rows(const io::Points& points, const io::MapFile& places, umap::InverseResult& result) {
    io::Points rows = in_units_of(points, std::move(result.rows));
    rows.ids = places.ids;
    return rows;
}

int invert(InverseCommand& command) {
    prepare(command.common);
    take_report(command);
    const fs::path lists = file_of(command.files, "neighbors");
    std::vector<std::string> outputs = command.common.outputs;
    if (outputs.empty()) outputs = {stem_of(command.places) + ".rows.csv"};
    for (const fs::path path : outputs) require_output("--output", path, "rows of points are", formats::tables);
    require_apart({command.places, command.map, command.points, command.report, lists, command.state}, command.common,
                  as_outputs(outputs));
    Stopwatch watch;
    const io::Points points = read_input(command.points, command.common, offsets_of(neighbors::Metric::euclidean));
    const io::NamedRows of = rows_of(command.points, points);
    io::MapFile file = io::read_map(command.map, command.common.run);
    require_read(command.common, file.map.size() == 0);
    print_notes(command.common, command.map, file.notes);
    const Map map = matched_map(command.common, std::move(file), command.map, of).map;
    const io::MapFile places = io::read_map(command.places, command.common.run, map.origin);
    require_read(command.common, places.map.size() == 0);
    print_notes(command.common, command.places, places.notes);
    const Graph graph = lists.empty() ? Graph{} : matched_graph(command.common, lists, of);
    const placement::State state =
        command.state.empty() ? placement::State{} : io::read_place_state(command.state, command.common.run);
    require_read(command.common, !command.state.empty() && state.rows == 0);
    StageSeconds spent{.read = watch.lap()};
    umap::InverseResult result = umap::invert(
        points.values.view(), map, places.map, command.options, command.common.run,
        {.neighbors = lists.empty() ? nullptr : &graph, .state = command.state.empty() ? nullptr : &state});
    watch.lap();
    if (result.stopped == Stopped::cancelled) return interrupted;
    auto quality = Json::object();
    double mean = 0;
    for (const float distance : result.distance) mean += static_cast<double>(distance) / places.map.size();
    quality["distance_to_map"] = mean;
    quality["neighbor_distance"] = result.neighbor_distance;
    const Index found = result.rows.rows();
    const io::Points rows = found_rows(points, places, result);
    std::vector<fs::path> written;
    for (const std::string& output : outputs)
        add_output(command.common, written, output, [&] { io::write_points(output, rows); });
    spent.write = watch.lap();
    spent.total = watch.total();
    Json report = report_of({"inverse", "umap", input_of(command.points, points)},
                            outcome_as_json(result, command.files), spent, quality);
    report["map"] = {{"path", command.map.string()}, {"rows", map.size()}, {"dim", map.dim}};
    report["places"] = {{"path", command.places.string()}, {"rows", found}};
    return finish(command.common, report, written, result.stopped, [&] {
        put("rows of {} places, {:.3g} from the nearest point of the map on average (points of the map: {:.3g})\n",
            found, mean, result.neighbor_distance);
    });
}

}  // namespace

void add_inverse(CLI::App& app, Action& action) {
    auto command = std::make_shared<InverseCommand>();
    CLI::App* sub = app.add_subcommand("inverse", "rows of data for places in a map of umap");
    sub->add_option("PLACES", command->places, "places in the map: " + formats::help_of(formats::map))->required();
    sub->add_option("--map", command->map, "the map: " + formats::help_of(formats::map))->required();
    sub->add_option("--of", command->points, "the points it was made from")->required();
    add_common_flags(*sub, command->common);
    add_read_flags(*sub, command->common);
    add_normalize_flag(*sub, command->common);
    add_map_report_flag(*sub, command->report, command->made, command->of_report, command->made_by);
    add_flags(*sub, command->options, {}, &command->files);
    sub->add_option("--state", command->state, "what --state wrote with the map, in place of a search")
        ->type_name("FILE");
    command->flags = sub;
    sub->callback([&action, command] { action = [command] { return invert(*command); }; });
}

}  // namespace dunlin::app

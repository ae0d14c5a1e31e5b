// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/transform.hpp>

#include "commands.hpp"
#include "item_names.hpp"
#include "map_report.hpp"
#include "matched.hpp"
#include "model.hpp"
#include "per_point.hpp"
#include "point_maps.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

struct TransformCommand {
    fs::path input, map, points, report, per_point, state, model;
    CommonOptions common;
    placement::Options options;
    std::optional<placement::Method> made;  ///< the method of the report
    Normalize made_by = Normalize::none;    ///< the scaling of the report
    picture::Options picture;
    Files files;
    const CLI::App* flags = nullptr;
};

/// Throws unless the flags are those of a model, or of a map and its points.
void require_flags(const TransformCommand& command) {
    const auto given = [&](const std::string& name) { return command.flags->get_option("--" + name)->count() > 0; };
    if (command.model.empty()) {
        for (const char* name : {"map", "of"}) {
            if (given(name)) continue;
            throw Error(Fault::bad_input,
                        fmt::format("--{} is missing; give the map and its points by --map and --of, or a model of "
                                    "dunlin train by --model",
                                    name),
                        {.option = name});
        }
        return;
    }
    std::vector<std::string> useless{"map", "of", "map-report", "state", "per-point", "normalize"};
    placement::Options options;
    fields([&](const auto& field) { useless.emplace_back(field.name); }, options);
    for (const std::string& name : useless) {
        if (!given(name)) continue;
        throw Error(Fault::bad_input,
                    fmt::format("--{} is given beside --model, and a model needs nothing else; leave it out", name),
                    {.option = name});
    }
}

/// A row per new point: [id,] cost, gap, distance, remoteness [, affinity: by which of them it has its place].
void write_per_point(const fs::path& path, const placement::Result& placed, const std::vector<std::string>& ids) {
    const char mark = path.extension() == ".tsv" ? '\t' : ',';
    std::string text = ids.empty() ? "" : std::string("id") + mark;
    text += fmt::format("cost{0}gap{0}distance{0}remoteness", mark);
    const bool chosen = placed.options.affinity == placement::Affinity::best;
    text += chosen ? fmt::format("{}affinity\n", mark) : "\n";
    for (std::size_t q = 0; q < placed.cost.size(); ++q) {
        if (!ids.empty()) text += field_of(ids[q], mark) + mark;
        text += fmt::format("{1}{0}{2}{0}{3}{0}{4}", mark, placed.cost[q], placed.gap[q], placed.distance[q],
                            placed.remoteness[q]);
        if (chosen) {
            const auto by = placed.by_own[q] != 0 ? placement::Affinity::own : placement::Affinity::joint;
            text += fmt::format("{}{}", mark, name_of(by));
        }
        text += '\n';
    }
    io::write_text(path, text);
}

Json quality_of(const placement::Result& placed) {
    auto quality = Json::object();
    const auto count = static_cast<double>(placed.map.size());
    put_score(quality, "preservation_15", {placed.preservation, placed.preservation_se});
    if (placed.options.affinity == placement::Affinity::best)
        quality["by_own"] = std::count(placed.by_own.begin(), placed.by_own.end(), std::uint8_t{1});
    quality["far"] = placed.far;
    quality["far_share"] = count > 0 ? placed.far / count : 0;
    quality["far_share_of_map"] = placed.far_of_map;
    if (placed.options.search == neighbors::Method::approximate)
        put_recall(quality, placed.search_recall, placed.search_recall_se);
    return quality;
}

/// Tells of rows that are unlike the map's data.
void warn_of_far(const CommonOptions& common, const fs::path& input, const placement::Result& placed) {
    if (common.quiet || placed.far == 0) return;
    const double share = placed.far / static_cast<double>(placed.map.size());
    tell(
        "dunlin: {}: {} of {} rows ({:.1f}%) are far from the data of the map (of the map's own rows: {:.1f}%); "
        "their places mean little (docs/transform.md)\n",
        input.string(), placed.far, placed.map.size(), 100 * share, 100 * placed.far_of_map);
}

int transform(TransformCommand& command) {
    prepare(command.common);
    require_flags(command);
    if (!command.model.empty()) {
        ModelTransform by_model{command.input, command.model, command.common, command.picture};
        return transform_by_model(by_model);
    }
    if (command.made && *command.made != command.options.method) {
        throw Error(Fault::bad_input,
                    fmt::format("--method is {} and --map-report {} is of {}; leave --method out",
                                name_of(command.options.method), command.report.string(), name_of(*command.made)),
                    {.option = "method"});
    }
    if (command.made) {
        Normalize& asked = command.common.points.normalize;
        if (command.flags->get_option("--normalize")->count() > 0 && asked != command.made_by)
            throw Error(Fault::bad_input,
                        fmt::format("--normalize is {} and the points of --map-report {} were scaled by {}; leave "
                                    "--normalize out",
                                    name_of(asked), command.report.string(), name_of(command.made_by)),
                        {.option = "normalize"});
        asked = command.made_by;
    }
    if (command.common.color.size() > 1)
        throw Error(Fault::bad_input,
                    "--color is given more than once, and new points are drawn above their map in one coloring; give "
                    "it once, and draw the new map by dunlin draw for panels");
    const fs::path lists = file_of(command.files, "neighbors");
    const Inputs inputs{command.input, command.map, command.points, command.report, lists, command.state};
    const std::vector<fs::path> paths = outputs_of(command.common, inputs);
    if (!command.per_point.empty()) {
        constexpr std::string_view tables[] = {".csv", ".tsv"};
        require_output("--per-point", command.per_point, "a table of points is", tables);
        std::vector<Output> outputs = as_outputs(paths);
        outputs.push_back({"--per-point", command.per_point});
        require_apart(inputs, command.common, outputs);
    }
    Stopwatch watch;
    const PointsAndQueries rows = read_inputs(command.points, command.input, command.common, command.options.metric);
    read_item_names(command.common, command.picture, rows_of(command.input, rows.queries));
    io::MapFile file = io::read_map(command.map, command.common.run);
    require_read(command.common, file.map.size() == 0);
    print_notes(command.common, command.map, file.notes);
    const io::NamedRows of = rows_of(command.points, rows.points);
    const Map map = matched_map(command.common, std::move(file), command.map, of).map;
    const Graph graph = lists.empty() ? Graph{} : matched_graph(command.common, lists, of);
    const placement::State state =
        command.state.empty() ? placement::State{} : io::read_place_state(command.state, command.common.run);
    require_read(command.common, !command.state.empty() && state.rows == 0);
    const PictureColors colors = colors_of_points(command.common, command.input, rows.queries, command.picture);
    StageSeconds spent{.read = watch.lap()};
    placement::Result placed = placement::place(
        rows.points.values.view(), map, rows.queries.values.view(), command.options, command.common.run,
        {.neighbors = lists.empty() ? nullptr : &graph, .state = command.state.empty() ? nullptr : &state});
    placed.map.origin = map.origin;
    watch.lap();
    if (placed.stopped == Stopped::cancelled) return interrupted;
    warn_of_far(command.common, command.input, placed);
    if (!command.common.quiet && command.state.empty() && placed.seconds["neighbors"] > 1) {
        tell(
            "dunlin: most of the time was the neighbor search for the map's own points; --state of the command "
            "that makes the map saves its result for reuse\n");
    }

    const std::string title =
        fmt::format("{} placed in {}, {} points", stem_of(command.input), stem_of(command.map), placed.map.size());
    std::vector<fs::path> written =
        write_map_outputs(command.common, command.picture, title, paths, rows.queries, colors, placed.map,
                          command.input, std::string(name_of(command.options.method)), &map);
    if (!command.per_point.empty()) {
        add_output(command.common, written, command.per_point,
                   [&] { write_per_point(command.per_point, placed, rows.queries.ids); });
    }
    spent.write = watch.lap();
    spent.total = watch.total();
    const Json quality = quality_of(placed);
    Json report =
        report_of({"transform", std::string(name_of(placed.options.method)), input_of(command.input, rows.queries)},
                  outcome_as_json(placed, command.files), spent, quality);
    report["map"] = {{"path", command.map.string()}, {"rows", map.size()}, {"dim", map.dim}};
    report["of"] = input_of(command.points, rows.points);
    return finish(command.common, report, written, placed.stopped, [&] { print_quality(quality); });
}

}  // namespace

void add_transform(CLI::App& app, Action& action) {
    auto command = std::make_shared<TransformCommand>();
    CLI::App* sub =
        app.add_subcommand("transform",
                           "places new points in a map of tsne, umap or pacmap, which stays as it is, or by a "
                           "model of dunlin train");
    add_points(*sub, "NEW", command->input, command->common);
    sub->add_option("--map", command->map, "the map: " + formats::help_of(formats::map));
    sub->add_option("--of", command->points, "the points it was made from");
    sub->add_option("--model", command->model, "in place of --map and --of: what dunlin train wrote")
        ->type_name("FILE");
    add_map_report_flag(*sub, command->report, command->made, command->options, command->made_by);
    add_flags(*sub, command->options, {}, &command->files);
    sub->add_option("--state", command->state, "what --state wrote with the map, in place of a search")
        ->type_name("FILE");
    sub->add_option("--per-point", command->per_point,
                    "write cost, gap, distance and remoteness of every new point, and with --affinity best the one, "
                    "joint or own, that it is placed by, as .csv or .tsv");
    add_point_picture_flags(*sub, command->picture, command->common);
    command->flags = sub;
    sub->callback([&action, command] { action = [command] { return transform(*command); }; });
}

}  // namespace dunlin::app

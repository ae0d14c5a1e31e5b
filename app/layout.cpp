// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/labels.hpp>
#include <dunlin/layout.hpp>
#include <dunlin/network.hpp>
#include <dunlin/overlap.hpp>
#include <dunlin/strengths.hpp>

#include "colors.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#include "item_names.hpp"
#include "matched.hpp"
#include "network.hpp"
#include "report.hpp"
#include "say.hpp"
#include "scores.hpp"
#include "watch.hpp"

namespace dunlin::app {

namespace {

/// Treatment of overlapping vertices.
enum class Overlap { keep, remove };
constexpr std::array<std::string_view, 2> names(Overlap) { return {"keep", "remove"}; }

struct LayoutCommand {
    std::string name = "layout";
    fs::path input;
    CommonOptions common;
    layout::Options options;
    io::NetworkOptions network;
    picture::Options picture;
    std::string start, pinned;
    Overlap overlap = Overlap::keep;
    std::optional<float> radius;
    scores::Extent scores = scores::Extent::sampled;
};

/// Positions in the input; vertices without one start at the centroid of the others.
Map start_of(const io::Network& network) {
    Map start = scaled(network.start, 1 / units_of(network));
    const auto dim = static_cast<std::size_t>(start.dim);
    std::vector<double> middle(dim, 0);
    double placed = 0;
    for (std::size_t i = 0; i < start.coordinates.size(); ++i) {
        if (std::isnan(start.coordinates[i])) continue;
        middle[i % dim] += static_cast<double>(start.coordinates[i]);
        placed += i % dim == 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < start.coordinates.size(); ++i) {
        if (std::isnan(start.coordinates[i])) start.coordinates[i] = static_cast<float>(middle[i % dim] / placed);
    }
    return start;
}

/// Initial positions: those of a map, or of the input if it pins vertices or --start is input.
Map start_of(const LayoutCommand& command, const io::Network& network) {
    if (!command.start.empty() && command.start != "input")
        return in_order_of(command.common, io::read_map(command.start, command.common.run), command.start, network,
                           command.input)
            .map;
    if (command.start.empty() && network.pinned.empty()) return {};
    if (network.start.coordinates.empty()) {
        throw Error(Fault::bad_input,
                    fmt::format("--start input: {} has no positions of vertices", command.input.string()));
    }
    return start_of(network);
}

std::vector<std::uint8_t> pinned_of(const LayoutCommand& command, const io::Network& network) {
    if (command.pinned.empty())
        return command.start.empty() || command.start == "input" ? network.pinned : std::vector<std::uint8_t>{};
    std::vector<std::uint8_t> pinned;
    const std::vector<std::string> names = io::vertex_names(network);
    const Labels marks =
        matched_labels(command.common, command.pinned, {command.input.string(), network.graph.size(), names});
    for (const std::string& mark : marks.names) {
        if (mark == "0" || mark == "1") continue;
        throw Error(Fault::bad_file, fmt::format("--pinned {}: '{}' is no mark of a vertex; write 0, or 1 where it "
                                                 "stays",
                                                 command.pinned, mark));
    }
    pinned.reserve(marks.of.size());
    for (const Index mark : marks.of)  // a vertex without a mark is free
        pinned.push_back(mark == no_label || marks.names[static_cast<std::size_t>(mark)] == "0" ? 0 : 1);
    return pinned;
}

/// Radii of the discs that must not overlap, in map units; empty: no restriction.
std::vector<float> radii_of(const LayoutCommand& command, const io::Network& network) {
    const bool wanted = command.overlap == Overlap::remove || command.options.prevent_overlap;
    if (!wanted && command.radius) {
        throw Error(Fault::bad_input, "--radius: only --overlap remove and --prevent-overlap read it; leave it out");
    }
    if (!wanted) return {};
    if (command.radius && !(*command.radius >= 0 && std::isfinite(*command.radius)))
        throw Error(Fault::bad_input, fmt::format("--radius is {}; it must be finite and at least 0", *command.radius));
    if (command.radius) return std::vector<float>(static_cast<std::size_t>(network.graph.size()), *command.radius);
    if (network.sizes.empty()) {
        throw Error(Fault::bad_input,
                    fmt::format("{}: {} has no sizes of vertices; give a --radius",
                                command.options.prevent_overlap ? "--prevent-overlap" : "--overlap remove",
                                command.input.string()));
    }
    std::vector<float> radii;
    radii.reserve(network.sizes.size());
    for (const io::VertexSize& size : network.sizes)
        radii.push_back(std::hypot(size.width, size.height) / 2 / units_of(network));
    return radii;
}

layout::Result place(const LayoutCommand& command, const io::Network& network,
                     const std::vector<std::uint8_t>& pinned) {
    const Map start = start_of(command, network);
    const std::vector<float> radii = radii_of(command, network);
    const bool removes = command.overlap == Overlap::remove;
    if (removes && std::count(pinned.begin(), pinned.end(), 1) > 0)
        throw Error(Fault::bad_input, "--overlap remove: pinned vertices would have to move; leave one of both out");
    layout::Given given{.start = start.coordinates.empty() ? nullptr : &start, .pinned = pinned, .radii = radii};
    layout::Result result = layout::place(network.graph, command.options, run_of_method(command.common), given);
    result.map.origin = start.origin;
    const std::string ignored = layout::sentence_of_strengths(network.graph, result.options);
    if (!ignored.empty()) say(command.common, fmt::format("{}: {}", command.input.string(), ignored));
    if (result.component_scale < 1) {
        say(command.common, fmt::format("{}: all components but the largest are drawn at {:.2g} of its scale; --pack "
                                        "lengths keeps one scale",
                                        command.input.string(), result.component_scale));
    }
    if (removes && result.stopped != Stopped::cancelled)
        layout::remove_overlaps(result.map, radii, 0, {.threads = command.common.run.threads});
    return result;
}

std::string title_of(const LayoutCommand& command, const io::Network& network) {
    return fmt::format("{}, {} vertices, {} edges", stem_of(command.input), network.graph.size(),
                       network.graph.edges() / 2);
}

/// Whether the forces of its method can go on from the map. Without overlaps they cannot: the map is not at rest.
bool can_go_on(const LayoutCommand& command, const layout::Result& result) {
    using enum layout::Method;
    const layout::Method method = result.options.method;
    return result.map.size() > 0 && result.stopped != Stopped::cancelled && command.overlap != Overlap::remove &&
           method != stress && method != annealing;
}

/// From this map on, of all vertices together.
layout::Result go_on(const LayoutCommand& command, const io::Network& network, const Map& from,
                     const std::vector<std::uint8_t>& pinned) {
    const std::vector<float> radii = radii_of(command, network);
    layout::Result result = layout::place(network.graph, command.options, command.common.run,
                                          {.start = &from, .pinned = pinned, .radii = radii});
    result.map.origin = from.origin;
    return result;
}

/// Returns the files written; a stop omits pictures.
std::vector<fs::path> write_outputs(const LayoutCommand& command, const std::vector<fs::path>& paths,
                                    const io::Network& network, const PictureColors& colors, const Map& map) {
    picture::Options style = command.picture;
    if (style.title.empty()) style.title = title_of(command, network);
    const Run run = run_of_picture(command.common);
    std::vector<fs::path> written;
    for (const fs::path& path : paths) {
        add_output(command.common, written, path, [&] {
            if (is_picture(path)) return draw(path, colors, network.graph, map, network.ids, style, run);
            write_drawing(path, network, map);
            return true;
        });
    }
    return written;
}

Json quality_of(const LayoutCommand& command, const io::Network& network, const layout::Result& result) {
    Json quality{{"kinetic_energy", result.kinetic_energy}};
    if (result.options.method == layout::Method::annealing) quality = Json{{"cost", result.cost}};
    const bool is_interrupted = command.common.run.stop.stop_requested();
    if (command.scores != scores::Extent::none && result.stopped != Stopped::cancelled && !is_interrupted) {
        Run run = command.common.run;
        run.device = Device::cpu;  // scores run on the CPU
        const bool lengths = command.options.weights == layout::Weights::length;
        quality.update(evaluate_layout(network.graph, result.map, {.lengths = lengths, .extent = command.scores}, run));
    }
    return quality;
}

Json report_on(const LayoutCommand& command, const io::Network& network, const layout::Result& result,
               const Json& quality, const StageSeconds& spent) {
    Outcome<Json> outcome = outcome_as_json(result);
    outcome.options.update(fields_as_json(command.network));
    outcome.options["scores"] = std::string(name_of(command.scores));
    outcome.options["overlap"] = std::string(name_of(command.overlap));
    const std::string method(name_of(result.options.method));
    Json input = input_of(command.input, network);
    put_guess(input, command.name == "map" ? command.common.guess : io::Guess{io::Holds::graph, false, ""});
    Json report = report_of({command.name, method, input}, outcome, spent, quality);
    report["component_scale"] = result.component_scale;
    return report;
}

int lay_out(LayoutCommand& command) {
    prepare(command.common);
    const Inputs inputs{command.input, command.start == "input" ? "" : command.start, command.pinned,
                        command.network.labels};
    const std::vector<fs::path> paths = outputs_of(command.common, inputs, true);
    Stopwatch watch;
    command.network.lengths = command.options.weights == layout::Weights::length;
    io::Network network = read_as_guessed(command.common, command.input, [&] {
        const WhileReading reading;
        return io::read_network(command.input, command.network, command.common.run);
    });
    require_read(command.common, network.graph.size() == 0);
    print_notes(command.common, command.input, network);
    read_item_names(command.common, command.picture, {command.input.string(), network.graph.size(), network.ids},
                    network.names);
    StageSeconds spent{.read = watch.lap()};
    const std::vector<std::uint8_t> pinned = pinned_of(command, network);
    const std::vector<std::string> vertices = io::vertex_names(network);
    const PictureColors colors =
        colors_of(command.common, color_of(command.common, command.input, command.network.labels, command.picture),
                  {command.input.string(), network.graph.size(), vertices}, network.labels);
    Watch watching(command.common,
                   {network.graph.size(), network.ids, colors.values ? network.labels : colors.labels, network.graph},
                   command.picture, title_of(command, network));
    layout::Result result = place(command, network, pinned);
    if (!command.pinned.empty()) network.pinned = pinned;  // written to DOT
    watch.lap();
    const auto write_all = [&] {
        const Json quality = quality_of(command, network, result);
        spent.score = watch.lap();
        std::vector<fs::path> written = write_outputs(command, paths, network, colors, result.map);
        spent.write = watch.lap();
        spent.total = watch.total();
        Json report = report_on(command, network, result, quality, spent);
        for (const fs::path& log : watching.write_log(report, stem_of(command.input))) written.push_back(log);
        return finish(command.common, report, written, result.stopped, [&] { print_quality(quality); });
    };
    const int code = write_all();
    const std::string title = title_of(command, network);
    while (can_go_on(command, result) && watching.goes_on()) {
        const Map from = result.map;
        const bool is_changed =
            watching.go_on(from, title, [&] { result = go_on(command, network, from, watching.pins(pinned)); });
        if (is_changed) write_all();
        if (!watching.was_saved()) break;
    }
    watching.finish(result.map, title);
    return watching.stay(code);
}

}  // namespace

int draw_graph(const fs::path& input, const CommonOptions& common, const picture::Options& picture, int dim,
               scores::Extent scores) {
    LayoutCommand command;
    command.name = "map";
    command.input = input;
    command.common = common;
    command.network.labels = common.read.labels;
    command.network.decimal = common.read.decimal;
    command.options.dim = dim;
    command.picture = picture;
    command.scores = scores;
    return lay_out(command);
}

void add_layout(CLI::App& app, Action& action) {
    auto command = std::make_shared<LayoutCommand>();
    CLI::App* sub = app.add_subcommand("layout", "a force-directed drawing of a graph");
    sub->add_option("GRAPH", command->input,
                    "graph: " + formats::help_of(formats::graph) + "; also .gz and .xz; directions are not looked at")
        ->required();
    add_common_flags(*sub, command->common);
    add_flags(*sub, command->network);
    add_flags(*sub, command->options);
    add_checkpoint_flags(*sub, command->common);
    add_watch_flags(*sub, command->common);
    sub->add_option(
           "--start", command->start,
           "initial positions, used as they are: those of GRAPH or of a map, in map units (default: GRAPH's if "
           "it pins vertices)")
        ->type_name("input|FILE");
    sub->add_option("--pinned", command->pinned,
                    "1 for each vertex that is fixed at its start, else 0: one per line, or a column of a table")
        ->type_name("FILE|FILE:COLUMN");
    add_flag(*sub, field("overlap", command->overlap,
                         "what becomes of vertices that overlap; remove moves them apart, as discs of the sizes that "
                         "GRAPH gives"));
    sub->add_option("--radius", command->radius,
                    "radius of the vertices for --overlap remove, in map units (default: sizes of GRAPH)")
        ->type_name("NUMBER");
    add_picture_flags(*sub, command->picture, command->common);
    add_scores_flag(*sub, command->scores);
    sub->callback([&action, command] { action = [command] { return lay_out(*command); }; });
}

}  // namespace dunlin::app

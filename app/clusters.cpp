// SPDX-License-Identifier: Apache-2.0
#include <dunlin/clusters.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <dunlin/arrays.hpp>
#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/group_tree_files.hpp>
#include <dunlin/named_graph.hpp>
#include <dunlin/separation.hpp>

#include "clusters_output.hpp"
#include "commands.hpp"
#include "dissimilarities.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "group_names.hpp"
#include "matched.hpp"
#include "matrix_points.hpp"
#include "network.hpp"
#include "report.hpp"
#include "say.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

std::vector<std::string> check_outputs(ClustersCommand& command) {
    std::vector<std::string> outputs = command.common.outputs;
    if (outputs.empty()) outputs = {stem_of(command.input) + ".clusters.csv"};
    for (const std::string& output : outputs) require_table("--output", output);
    std::vector<Output> all = as_outputs(outputs);
    if (!command.tree.empty()) require_output("--tree", command.tree, "a tree of groups is", formats::group_trees);
    constexpr std::array<std::string_view, 1> arrays{".npy"};
    if (!command.linkage.empty()) require_output("--linkage", command.linkage, "a linkage is", arrays);
    if (!command.predict.empty()) {
        if (command.predicted.empty()) command.predicted = stem_of(command.predict) + ".clusters.csv";
        require_table("--predicted", command.predicted);
    }
    all.push_back({"--tree", command.tree});
    all.push_back({"--linkage", command.linkage});
    all.push_back({"--predicted", command.predicted});
    command.names.input = command.input;
    settle_name_flags(command.names, command.common);
    Inputs inputs = inputs_of(command.names);
    inputs.insert(inputs.begin(), {command.input, command.predict, command.of});
    require_apart(inputs, command.common, all);
    return outputs;
}

/// Sorts each row by weight, equal weights by target.
void put_nearest_first(Graph& graph) {
    std::vector<std::pair<float, Index>> row;
    for (Index r = 0; r < graph.size(); ++r) {
        const auto begin = static_cast<std::size_t>(graph.offsets[static_cast<std::size_t>(r)]),
                   end = static_cast<std::size_t>(graph.offsets[static_cast<std::size_t>(r) + 1]);
        row.clear();
        for (std::size_t e = begin; e < end; ++e) row.emplace_back(graph.weights[e], graph.targets[e]);
        std::sort(row.begin(), row.end());
        for (std::size_t e = begin; e < end; ++e) std::tie(graph.weights[e], graph.targets[e]) = row[e - begin];
    }
}

/// Files as dunlin neighbors writes them, where distances may be 0, or any graph whose weights are lengths of edges.
ClusteredItems read_lists(ClustersCommand& command) {
    ClusteredItems items;
    const auto& extensions = formats::neighbors;
    const bool is_of_neighbors =
        std::find(extensions.begin(), extensions.end(), command.input.extension().string()) != extensions.end();
    if (is_of_neighbors) {
        io::NamedGraph file = io::read_named_graph(command.input, command.common.run);
        items.points.ids = std::move(file.ids);
        items.points.kind = "neighbors";
        items.lists = std::move(file.graph);
    } else {
        io::Network network = io::read_network(command.input, {.lengths = true}, command.common.run);
        print_notes(command.common, command.input, network);
        if (!network.weighted && network.graph.size() > 0) {
            throw Error(Fault::bad_file,
                        fmt::format("{}: the edges have no weights that could be distances; dunlin communities finds "
                                    "groups of such a graph",
                                    command.input.string()));
        }
        items.points.ids = std::move(network.ids);
        items.points.kind = network.kind;
        items.points.notes = std::move(network.notes);
        items.lists = std::move(network.graph);
    }
    require_read(command.common, items.lists->size() == 0);
    const std::vector<float>& weights = items.lists->weights;
    if (!weights.empty() && std::all_of(weights.begin(), weights.end(), [](float weight) { return weight == 1; })) {
        say(command.common, fmt::format("{}: all edges have the distance 1; for a graph without distances there is "
                                        "dunlin communities",
                                        command.input.string()));
    }
    put_nearest_first(*items.lists);
    return items;
}

/// Throws where --text names a column of INPUT, which has none.
void refuse_own_texts(const ClustersCommand& command, std::string_view holds) {
    if (command.common.read.text.empty()) return;
    throw Error(Fault::bad_input,
                fmt::format("{} holds {}, and there is no file '{}'; give texts by whose words clusters are named as "
                            "--text FILE or FILE:COLUMN",
                            command.input.string(), holds, command.common.read.text),
                {.option = "text"});
}

/// A map in JSON, which other readers of points do not take.
ClusteredItems read_json_map(const ClustersCommand& command) {
    refuse_flags_of_points(command.input, *command.flags,
                           {"ids", "transpose", "columns", "drop-rows-with-gaps", "fill", "decimal", "normalize"},
                           "a map in JSON");
    refuse_own_texts(command, "a map in JSON");
    const io::MapFile file = io::read_map(command.input, command.common.run);
    require_read(command.common, file.map.size() == 0);
    print_notes(command.common, command.input, file.notes);
    ClusteredItems items;
    items.points.values = Matrix(file.map.size(), file.map.dim, file.map.coordinates);
    items.points.ids = file.ids;
    if (command.common.read.labels.empty()) items.points.labels = file.labels;
    items.points.kind = "map";
    return items;
}

ClusteredItems read(ClustersCommand& command) {
    CommonOptions& common = command.common;
    settle_holds(common, command.input);
    const bool of_graph = common.guess.holds == io::Holds::graph;
    const bool of_matrix = common.guess.holds == io::Holds::dissimilarities;
    const std::string_view holds = of_graph ? "a graph of distances" : "dissimilarities";
    if (of_graph || of_matrix) {
        refuse_flags_of_points(command.input, *command.flags, {"metric", "method", "normalize", "predict", "stability"},
                               holds);
    }
    if (of_graph) {
        refuse_flags_of_points(command.input, *command.flags,
                               {"ids", "transpose", "columns", "drop-rows-with-gaps", "fill", "decimal"}, holds);
        refuse_own_texts(command, holds);
    }
    if (of_graph) return read_as_guessed(common, command.input, [&] { return read_lists(command); });
    if (of_matrix) return {.points = read_dissimilarities(command.input, {}, common).about, .of_matrix = true};
    if (command.input.extension() == ".json" && command.predict.empty()) return read_json_map(command);
    if (command.predict.empty())
        return {.points = read_input(command.input, common, offsets_of(command.options.metric))};
    PointsAndQueries both = read_inputs(command.input, command.predict, common, command.options.metric);
    return {.points = std::move(both.points), .queries = std::move(both.queries)};
}

clusters::Result cluster(const ClustersCommand& command, const ClusteredItems& items) {
    const Run& run = command.common.run;
    if (items.lists) return clusters::cluster_graph(*items.lists, command.options, run);
    const MatrixView<const float> values = items.points.values.view();
    return items.of_matrix ? clusters::cluster_matrix(values, command.options, run)
                           : clusters::cluster(values, command.options, run);
}

/// Measures the clusters in the data of --of, whose rows are matched with those of INPUT.
clusters::Separations separations_of(const ClustersCommand& command, const ClusteredItems& items,
                                     const clusters::Result& result) {
    const io::NamedRows rows{command.input.string(), items.size(), items.points.ids};
    CommonOptions common = command.common;
    common.read = {};
    common.guess = {};
    settle_holds(common, command.of);
    if (common.guess.holds == io::Holds::graph) {
        const Graph lists = matched_graph(common, command.of, rows);
        return clusters::separations(result.labels, lists, common.run);
    }
    const neighbors::Metric metric = command.separation.of_metric;
    const io::Points data = read_input(command.of, common, offsets_of(metric));
    const io::RowMatch match = io::match_rows(rows, rows_of(command.of, data));
    tell(common, command.of, match);
    const Matrix values = match.in_order ? data.values : taken_rows(data.values, match);
    return clusters::separations(result.labels, values.view(), command.separation, common.run);
}

/// Says which clusters are of the map only.
void say_map_only(const ClustersCommand& command, const clusters::Separations& separations) {
    std::string numbers;
    for (std::size_t c = 0; c < separations.conductances.size(); ++c) {
        if (separations.map_only(static_cast<Index>(c))) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", c);
    }
    if (numbers.empty()) return;
    say(command.common, fmt::format("of the map only: cluster {}; in {} they are no better apart than groups of their "
                                    "size that grow from their points",
                                    numbers, command.of.string()));
}

Measured measure(const ClustersCommand& command, const ClusteredItems& items, const clusters::Result& result) {
    Measured measured;
    if (command.stability)
        measured.stabilities = clusters::stabilities(result, items.points.values.view(), command.common.run);
    if (!command.of.empty() && result.clusters > 0) measured.separations = separations_of(command, items, result);
    if (measured.has_separations()) say_map_only(command, measured.separations);
    return measured;
}

/// Says that the tree has fewer layers than were asked for.
void say_if_few_layers(const ClustersCommand& command, const clusters::Result& result) {
    const auto found = std::ssize(result.tree.layers);
    if (found >= command.options.layers) return;
    say(command.common, fmt::format("--layers is {}, and the tree of {} clusters has {}", command.options.layers,
                                    result.clusters, found == 1 ? "1 layer" : fmt::format("{} layers", found)));
}

int run_clusters(ClustersCommand& command) {
    prepare(command.common);
    const std::vector<std::string> outputs = check_outputs(command);
    if (command.of.empty()) {
        for (const char* flag : {"--of-neighbors", "--of-metric"}) {
            if (command.flags->count(flag) == 0) continue;
            throw Error(Fault::bad_input, fmt::format("{} is read with --of", flag), {.option = flag + 2});
        }
    }
    Stopwatch watch;
    const ClusteredItems items = read(command);
    StageSeconds spent{.read = watch.lap()};
    clusters::Result result = cluster(command, items);
    if (result.labels.empty()) return interrupted;
    say_if_few_layers(command, result);
    GroupsNamed named;
    if (wants_names(command.names, command.common)) {
        const io::NamedRows rows{command.input.string(), items.size(), items.points.ids};
        const bool has_points = !items.lists && !items.of_matrix;
        named = name_groups(command.names, command.common, rows, has_points ? &items.points : nullptr, shown_of(result),
                            result.tree);
    }
    clusters::Predicted predicted;
    if (!command.predict.empty()) {
        predicted =
            clusters::predict(result, items.points.values.view(), items.queries.values.view(), command.common.run);
    }
    watch.lap();
    const Measured measured = measure(command, items, result);
    const Stopped stopped = command.common.run.stop.stop_requested() ? Stopped::cancelled : result.stopped;
    spent.score = watch.lap();
    const std::vector<fs::path> written = write_all(command, outputs, items, result, measured, predicted);
    spent.write = watch.lap();
    spent.total = watch.total();
    return finish(command.common, report_on(command, items, result, named, measured, spent), written, stopped,
                  [&] { print_summary(items, result, measured); });
}

}  // namespace

void add_clusters(CLI::App& app, Action& action) {
    auto command = std::make_shared<ClustersCommand>();
    CLI::App* sub = app.add_subcommand("clusters", "density clusters of points, distances or neighbors (HDBSCAN)");
    add_points(*sub, "INPUT", command->input, command->common,
               "; or a matrix of dissimilarities, or a graph whose weights are distances (dunlin neighbors)");
    add_flags(*sub, command->options);
    sub->add_option("--tree", command->tree, "write the tree of all groups: .json .csv .tsv .nwk")->type_name("FILE");
    sub->add_option("--linkage", command->linkage, "write the merges of single points to all, in SciPy's form: .npy")
        ->type_name("FILE");
    CLI::Option* predict = sub->add_option("--predict", command->predict, "new points, which get clusters of INPUT");
    predict->type_name("FILE");
    sub->add_option("--predicted", command->predicted,
                    "output file of their clusters (default: the stem of --predict's file .clusters.csv)")
        ->type_name("FILE")
        ->needs(predict);
    sub->add_flag("--stability", command->stability,
                  "measure how often random halves of the points show each cluster; takes ten times as long");
    sub->add_option("--of", command->of,
                    "the data that INPUT is a map of, or its nearest neighbors (dunlin neighbors): which clusters are "
                    "apart there, too")
        ->type_name("FILE");
    add_flags(*sub, command->separation);
    add_name_flags(*sub, command->names, command->common, true);
    command->flags = sub;
    sub->callback([&action, command] { action = [command] { return run_clusters(*command); }; });
}

}  // namespace dunlin::app

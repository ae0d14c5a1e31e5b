// SPDX-License-Identifier: Apache-2.0
#include <dunlin/matrix_neighbors.hpp>

#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/named_graph.hpp>

#include "commands.hpp"
#include "dissimilarities.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "matrix_points.hpp"
#include "report.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

struct NeighborsCommand {
    fs::path input, queries;
    CommonOptions common;
    neighbors::Options options;
    const CLI::App* flags = nullptr;
};

/// The matrix of --holds dissimilarities as points.
io::Points read_matrix(NeighborsCommand& command) {
    refuse_flags_of_points(command.input, *command.flags,
                           {"queries", "metric", "probes", "recall", "cells", "codes", "rerank", "ids", "transpose",
                            "normalize", "checkpoint", "columns", "drop-rows-with-gaps", "fill", "text"});
    if (command.options.method == neighbors::Method::approximate)
        refuse_flags_of_points(command.input, *command.flags, {"method"});
    io::Points matrix = read_dissimilarities(command.input, {}, command.common).about;
    matrix.guess = {io::Holds::dissimilarities, false, ""};
    return matrix;
}

PointsAndQueries read(NeighborsCommand& command) {
    if (holds_matrix(command.common)) return {read_matrix(command), {}};
    const neighbors::Metric metric = command.options.metric;
    if (command.queries.empty()) return {read_input(command.input, command.common, offsets_of(metric)), {}};
    return read_inputs(command.input, command.queries, command.common, metric);
}

neighbors::Result search(const NeighborsCommand& command, const PointsAndQueries& rows) {
    const MatrixView<const float> points = rows.points.values.view();
    if (holds_matrix(command.common)) return neighbors::search_matrix(points, command.options.k, command.common.run);
    if (command.queries.empty()) return neighbors::search(points, command.options, run_of_method(command.common));
    return neighbors::search(points, rows.queries.values.view(), command.options, run_of_method(command.common));
}

Json report_on(const NeighborsCommand& command, const io::Points& points, const neighbors::Result& result,
               const StageSeconds& spent) {
    Json quality;
    put_recall(quality, result.recall, result.recall_se);
    const std::string method(name_of(result.options.method));
    Outcome<Json> outcome = outcome_as_json(result);
    if (holds_matrix(command.common)) outcome.options.erase("metric");
    Json report = report_of({"neighbors", method, input_of(command.input, points)}, outcome, spent, quality);
    if (!command.queries.empty()) {
        report["queries"] = {{"path", command.queries.string()}, {"rows", result.graph.size()}};
    }
    report["edges"] = result.graph.edges();
    if (result.probes > 0) report["probes"] = result.probes;
    return report;
}

int write_neighbors(NeighborsCommand& command) {
    prepare(command.common);
    std::vector<std::string> outputs = command.common.outputs;
    const fs::path& searched_for = command.queries.empty() ? command.input : command.queries;
    if (outputs.empty()) outputs = {stem_of(searched_for) + ".neighbors.npz"};
    for (const fs::path path : outputs) require_output("--output", path, "a neighbor graph is", formats::neighbors);
    require_apart({command.input, command.queries}, command.common, as_outputs(outputs));
    Stopwatch watch;
    const PointsAndQueries rows = read(command);
    StageSeconds spent{.read = watch.lap()};
    const neighbors::Result result = search(command, rows);
    watch.lap();
    if (result.stopped == Stopped::cancelled) return interrupted;
    std::vector<fs::path> written;
    const bool named = !rows.points.ids.empty() && !rows.queries.ids.empty();
    for (const std::string& output : outputs) {
        add_output(command.common, written, output, [&] {
            if (command.queries.empty())
                io::write_named_graph(output, result.graph, rows.points.ids);
            else if (named)
                io::write_named_graph(output, result.graph, rows.queries.ids, rows.points.ids);
            else
                io::write_graph(output, result.graph, rows.points.values.rows());
        });
    }
    spent.write = watch.lap();
    spent.total = watch.total();
    return finish(command.common, report_on(command, rows.points, result, spent), written, result.stopped, [&] {
        put("{} neighbors of {} {}, {} search, recall {:.4f}, {:.2f} s\n", result.options.k, result.graph.size(),
            command.queries.empty() ? "points" : "queries", name_of(result.options.method), result.recall,
            result.seconds["neighbors"]);
    });
}

}  // namespace

void add_neighbors(CLI::App& app, Action& action) {
    auto command = std::make_shared<NeighborsCommand>();
    CLI::App* sub = app.add_subcommand("neighbors", "the k nearest neighbors of every point, as a graph file");
    add_points(*sub, "POINTS", command->input, command->common);
    sub->add_option("--queries", command->queries,
                    "points whose neighbors among POINTS are found, in place of those of POINTS; the graph has a row "
                    "per query")
        ->type_name("FILE");
    add_flags(*sub, command->options);
    command->flags = sub;
    add_checkpoint_flags(*sub, command->common);
    sub->callback([&action, command] { action = [command] { return write_neighbors(*command); }; });
}

}  // namespace dunlin::app

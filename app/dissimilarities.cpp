// SPDX-License-Identifier: Apache-2.0
#include "dissimilarities.hpp"

#include <fmt/format.h>

#include <fstream>

#include <dunlin/error.hpp>
#include <dunlin/square.hpp>

#include "flags.hpp"

namespace dunlin::app {

namespace {

void refuse(bool given, std::string_view option, const fs::path& path, std::string_view holds) {
    if (!given) return;
    throw Error(Fault::bad_input, fmt::format("--{}: {} holds {}, to which the option does not apply; leave it out",
                                              option, path.string(), holds));
}

void refuse_options_of_points(const InputOptions& options, const CommonOptions& common, const fs::path& path,
                              std::string_view holds) {
    refuse(options.points.metric != neighbors::Metric::euclidean, "metric", path, holds);
    refuse(options.points.normalize != mds::Normalize::none, "normalize", path, holds);
    refuse(!common.read.ids.empty(), "ids", path, holds);
    refuse(common.read.transpose, "transpose", path, holds);
}

void refuse_options_of_graphs(const InputOptions& options, const fs::path& path, std::string_view holds) {
    refuse(!options.network.weights_from.empty(), "weights-from", path, holds);
    refuse(options.network.graph != 0, "graph", path, holds);
}

Input of_matrix(const fs::path& path, const InputOptions& options, const CommonOptions& common, io::Square square) {
    refuse_options_of_points(options, common, path, "dissimilarities");
    refuse_options_of_graphs(options, path, "dissimilarities");
    Input input;
    input.about.kind = square.kind;
    input.about.ids = std::move(square.ids);
    input.about.values = square.values;
    input.about.notes = std::move(square.notes);
    if (!common.read.labels.empty()) input.about.labels = io::read_labels(common.read.labels);
    try {
        input.items = mds::Dissimilarities::of_matrix(std::move(square.values), common.run);
    } catch (const Error& error) {
        throw Error(Fault::bad_file, fmt::format("{}: {}", path.string(), error.what()));
    }
    return input;
}

Input of_points(const fs::path& path, const InputOptions& options, const CommonOptions& common) {
    refuse_options_of_graphs(options, path, "points");
    Input input;
    input.about = read_input(path, common, options.points.metric);
    input.items = mds::Dissimilarities::of_points(input.about.values, options.points, common.run);
    return input;
}

/// Reads a graph whose weights are lengths of edges.
Input of_graph(const fs::path& path, const InputOptions& options, const CommonOptions& common) {
    refuse_options_of_points(options, common, path, "a graph");
    io::NetworkOptions how = options.network;
    how.labels = common.read.labels;
    how.decimal = common.read.decimal;
    Input input;
    input.network = io::read_network(path, how, common.run);
    require_read(common, input.network->graph.size() == 0);
    print_notes(common, path, input.network->notes);
    input.about.kind = input.network->kind;
    input.about.ids = input.network->ids;
    input.about.labels = input.network->labels;
    input.items = mds::Dissimilarities::of_graph(input.network->graph, common.run);
    return input;
}

/// Reads one name per line.
std::vector<std::string> read_names(const fs::path& path) {
    std::ifstream file(path);
    if (!file) throw Error(Fault::bad_file, fmt::format("cannot open '{}'", path.string()));
    std::vector<std::string> names;
    for (std::string line; std::getline(file, line);) {
        if (line.ends_with('\r')) line.pop_back();
        names.push_back(line);
        if (!line.empty()) continue;
        throw Error(Fault::bad_file, fmt::format("{}:{}: the line is empty; with --feed it has the name of an item",
                                                 path.string(), names.size()));
    }
    return names;
}

Input of_feed(const fs::path& path, const InputOptions& options, const CommonOptions& common) {
    refuse_options_of_points(options, common, path, "names");
    refuse_options_of_graphs(options, path, "names");
    refuse(common.read.holds != io::Holds::automatic, "holds", path, "names");
    Input input;
    input.about.kind = "feed";
    input.about.ids = read_names(path);
    if (!common.read.labels.empty()) input.about.labels = io::read_labels(common.read.labels);
    const auto n = static_cast<Index>(input.about.ids.size());
    input.items =
        mds::Dissimilarities::of_callback(n, io::distances_from_process(options.feed, options.feeding, common.run));
    return input;
}

Input read(const fs::path& path, const InputOptions& options, CommonOptions& common) {
    if (!options.feed.empty()) return of_feed(path, options, common);
    settle_holds(common, path);
    if (common.guess.holds == io::Holds::graph)
        return read_as_guessed(common, path, [&] { return of_graph(path, options, common); });
    if (common.guess.holds != io::Holds::dissimilarities) return of_points(path, options, common);
    return read_as_guessed(common, path, [&] {
        io::Square square = io::read_square(path, common.read, common.run);
        require_read(common, square.values.rows() == 0);
        print_notes(common, path, square.notes);
        return of_matrix(path, options, common, std::move(square));
    });
}

}  // namespace

void add_input_flags(CLI::App& app, InputOptions& options) {
    add_flags(app, options.points);
    add_flags(app, options.network, {"labels", "decimal"});
    CLI::Option* feed = app.add_option("--feed", options.feed,
                                       "command of a process that computes distances; INPUT has one line per item")
                            ->type_name("COMMAND");
    app.add_option("--distances", options.distances, "--feed and graphs: maximum number of distances to compute")
        ->check(CLI::NonNegativeNumber)
        ->type_name("N");
    CLI::App* group = app.add_option_group("feed");
    add_flags(*group, options.feeding);
    for (CLI::Option* option : group->get_options()) option->needs(feed);
}

Input read_dissimilarities(const fs::path& path, const InputOptions& options, CommonOptions& common) {
    Input input = read(path, options, common);
    if (options.distances) input.items.set_budget(*options.distances);
    return input;
}

}  // namespace dunlin::app

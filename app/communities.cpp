// SPDX-License-Identifier: Apache-2.0
#include <dunlin/communities.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include <dunlin/arrays.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/group_tree_files.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "group_names.hpp"
#include "interrupt.hpp"
#include "network.hpp"
#include "report.hpp"
#include "say.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

struct CommunitiesCommand {
    fs::path input;
    CommonOptions common;
    io::NetworkOptions network;
    communities::Options options;
    NameFlags names;
    std::string tree;
};

io::Network read(CommunitiesCommand& command) {
    io::Network network = io::read_network(command.input, command.network, command.common.run);
    require_read(command.common, network.graph.size() == 0);
    print_notes(command.common, command.input, network);
    if (network.self_loops > 0) {
        say(command.common, fmt::format("{}: {} edges from a vertex to itself are left out", command.input.string(),
                                        network.self_loops));
    }
    const auto [least, most] = std::minmax_element(network.graph.weights.begin(), network.graph.weights.end());
    if (network.weighted && least != most && *least < *most) {
        say(command.common,
            fmt::format("{}: weights from {} to {} are read as strengths: the larger, the closer; --weights-from none "
                        "leaves them out",
                        command.input.string(), *least, *most));
    }
    return network;
}

/// The group of each community.
ShownGroups shown_of(const communities::Result& result, const GroupTree& tree) {
    ShownGroups shown{std::vector<Index>(static_cast<std::size_t>(result.count), 0), "communities", "community"};
    if (tree.layers.empty()) return shown;
    const std::vector<Index>& layer = tree.layers.back();
    const std::vector<Index> placed = tree.labels_of(layer);
    for (std::size_t v = 0; v < placed.size(); ++v)
        shown.groups[static_cast<std::size_t>(result.labels[v])] = layer[static_cast<std::size_t>(placed[v])];
    return shown;
}

/// .npy: the communities alone, int32; tables: with those of finer levels, if there are any, and names.
void write_labels(const fs::path& path, const communities::Result& result, const std::vector<std::string>& names,
                  const std::vector<std::string>& ids) {
    if (path.extension() == ".npy") return io::write_clusters(path, result.labels, ids);
    const std::vector<double> labels(result.labels.begin(), result.labels.end());
    std::vector<std::vector<double>> finer;
    for (std::size_t l = 0; l + 1 < result.levels.size(); ++l)
        finer.emplace_back(result.levels[l].begin(), result.levels[l].end());
    io::Columns columns{{"community"}, {labels}};
    for (std::size_t l = 0; l < finer.size(); ++l) {
        columns.names.push_back(fmt::format("level_{}", l + 1));
        columns.values.emplace_back(finer[l]);
    }
    if (!names.empty()) columns.words.push_back({"name", names_of_points(names, result.labels)});
    io::write_columns(path, columns, ids);
}

std::vector<Index> counts_of(const communities::Result& result) {
    std::vector<Index> counts(static_cast<std::size_t>(result.count), 0);
    for (const Index label : result.labels) ++counts[static_cast<std::size_t>(label)];
    return counts;
}

Json report_on(const CommunitiesCommand& command, const io::Network& network, const communities::Result& result,
               const StageSeconds& spent) {
    Outcome<Json> outcome = outcome_as_json(result);
    outcome.options.erase("symmetrize");
    outcome.options.update(fields_as_json(command.network));
    Json input = input_of(command.input, network);
    put_guess(input, {io::Holds::graph, false, ""});
    Json quality{{"communities", result.count}};
    put_score(quality, "modularity", {result.modularity, 0});
    put_score(quality, "maximized", {result.quality, 0});
    const std::string method(name_of(result.options.method));
    Json report = report_of({"communities", method, input}, outcome, spent, quality);
    report["counts"] = counts_of(result);
    return report;
}

void print_summary(const io::Network& network, const communities::Result& result,
                   const std::vector<std::string>& names) {
    constexpr std::size_t most_lines = 20;
    const std::vector<Index> counts = counts_of(result);
    for (std::size_t c = 0; c < std::min(most_lines, counts.size()); ++c)
        put("{:6} vertices in community {}{}\n", counts[c], c, names.empty() ? "" : ": " + names[c]);
    if (counts.size() > most_lines) put("and {} more\n", counts.size() - most_lines);
    put("{} communities of {} vertices and {} edges, modularity {:.4f}, {} after {} iterations, {:.2f} s\n",
        result.count, network.graph.size(), network.graph.edges() / 2, result.modularity, name_of(result.stopped),
        result.iterations, result.seconds["graph"] + result.seconds["optimize"]);
}

/// Checks the files that are written; returns the tables of communities.
std::vector<std::string> check_outputs(CommunitiesCommand& command) {
    std::vector<std::string> outputs = command.common.outputs;
    if (outputs.empty()) outputs = {stem_of(command.input) + ".communities.csv"};
    for (const std::string& output : outputs) require_table("--output", output);
    if (!command.tree.empty()) require_output("--tree", command.tree, "a tree of groups is", formats::group_trees);
    std::vector<Output> all = as_outputs(outputs);
    all.push_back({"--tree", command.tree});
    command.names.input = command.input;
    settle_name_flags(command.names, command.common);
    Inputs inputs = inputs_of(command.names);
    inputs.insert(inputs.begin(), command.input);
    require_apart(inputs, command.common, all);
    return outputs;
}

int run_communities(CommunitiesCommand& command) {
    prepare(command.common);
    const std::vector<std::string> outputs = check_outputs(command);
    Stopwatch watch;
    const io::Network network = [&] {
        const WhileReading reading;
        return read(command);
    }();
    StageSeconds spent{.read = watch.lap()};
    const communities::Result result = communities::find(network.graph, command.options, command.common.run);
    watch.lap();
    if (result.labels.empty()) return interrupted;
    GroupTree tree;
    const bool has_names = wants_names(command.names, command.common);
    if (has_names || !command.tree.empty()) tree = tree_of_partitions(result.levels);
    const ShownGroups shown = shown_of(result, tree);
    GroupsNamed named;
    if (has_names) {
        const io::NamedRows rows{command.input.string(), network.graph.size(), network.ids};
        named = name_groups(command.names, command.common, rows, nullptr, shown, tree);
    }
    spent.score = watch.lap();
    const std::vector<std::string> names = names_shown(tree, shown);
    std::vector<fs::path> written;
    for (const std::string& output : outputs)
        add_output(command.common, written, output, [&] { write_labels(output, result, names, network.ids); });
    if (!command.tree.empty()) {
        add_output(command.common, written, command.tree,
                   [&] { io::write_group_tree(command.tree, tree, network.ids); });
    }
    spent.write = watch.lap();
    spent.total = watch.total();
    Json report = report_on(command, network, result, spent);
    put_names(report, named, tree, shown);
    return finish(command.common, report, written, result.stopped, [&] { print_summary(network, result, names); });
}

}  // namespace

void add_communities(CLI::App& app, Action& action) {
    auto command = std::make_shared<CommunitiesCommand>();
    CLI::App* sub = app.add_subcommand("communities", "communities of a graph: Leiden, Louvain");
    sub->add_option("GRAPH", command->input,
                    "graph: " + formats::help_of(formats::graph) + "; also .gz and .xz; directions are not looked at")
        ->required();
    add_common_flags(*sub, command->common);
    add_flags(*sub, command->network, {"labels"});
    add_flags(*sub, command->options, {"symmetrize"});  // the graph has no directions
    sub->add_option("--tree", command->tree, "write the tree of the communities of all levels: .json .csv .tsv .nwk")
        ->type_name("FILE");
    add_name_flags(*sub, command->names, command->common, false);
    sub->callback([&action, command] { action = [command] { return run_communities(*command); }; });
}

}  // namespace dunlin::app

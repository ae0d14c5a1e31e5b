// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <dunlin/components.hpp>
#include <dunlin/error.hpp>
#include <dunlin/gpus.hpp>
#include <dunlin/labels.hpp>
#include <dunlin/memory_limit.hpp>
#include <dunlin/network.hpp>
#include <dunlin/square.hpp>
#include <dunlin/threads.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "network.hpp"
#include "report.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

/// "12.34 GB may be taken (free memory of the system)"
std::string memory_text() {
    const MemoryLimit limit = memory_limit();
    return fmt::format("{} may be taken ({})", size_text(limit.bytes), limit.by);
}

/// What the contents take, beside the limit.
void put_memory(std::uint64_t bytes, const char* what) {
    put("memory: {} of {}; {}\n", size_text(bytes), what, memory_text());
}

void describe_build() {
    put("dunlin {}\n", version);
    put("cpu: {} threads\n", usable_threads());
    put("memory: {}\n", memory_text());
    const std::vector<Gpu> all = gpus();
    if (all.empty()) put("cuda: {}\n", why_no_gpu());
    for (std::size_t i = 0; i < all.size(); ++i) {
        put("cuda:{}: {}, {:.1f} GB, {:.1f} GB free\n", i, all[i].name, static_cast<double>(all[i].memory) * 1e-9,
            static_cast<double>(all[i].free_memory) * 1e-9);
    }
}

std::string text_of(const Labels& labels) {
    if (labels.empty()) return "none";
    const Index missing = unlabeled(labels);
    return fmt::format("{} {}{}", labels.names.size(), labels.names.size() == 1 ? "class" : "classes",
                       missing > 0 ? fmt::format(", {} row{} without a label", missing, missing == 1 ? "" : "s") : "");
}
std::string text_of(const std::vector<std::string>& ids) {
    return ids.empty() ? "none" : fmt::format("'{}' to '{}'", ids.front(), ids.back());
}

void describe_points(const fs::path& input, const CommonOptions& common) {
    const io::Points points = read_as_guessed(common, input, [&] { return io::read_points(input, common.read); });
    print_notes(common, input, points.notes);
    put("{}: {}, {} rows, {} columns\n", input.string(), points.kind, points.values.rows(), points.values.cols());
    put("labels: {}\nids: {}\n", text_of(points.labels), text_of(points.ids));
    put_memory(static_cast<std::uint64_t>(points.values.view().size()) * sizeof(float), "coordinates");
    if (!points.shift.empty()) put("columns far from zero are stored with their offset subtracted\n");
}

void describe_dissimilarities(const fs::path& input, const CommonOptions& common) {
    const io::Square square = read_as_guessed(common, input, [&] { return io::read_square(input, common.read); });
    print_notes(common, input, square.notes);
    const MatrixView<const float> values = square.values.view();
    put("{}: {}, dissimilarities of {} items\n", input.string(), square.kind, values.rows);
    put("missing: {} entries\nids: {}\n",
        std::count_if(values.data, values.data + values.size(), [](float value) { return std::isnan(value); }),
        text_of(square.ids));
    put_memory(static_cast<std::uint64_t>(values.size()) * sizeof(float), "dissimilarities");
}

/// Number of vertices with a position in the file.
std::size_t placed(const io::Network& network) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < network.start.coordinates.size(); i += static_cast<std::size_t>(network.start.dim)) {
        count += std::isnan(network.start.coordinates[i]) ? 0 : 1;
    }
    return count;
}

std::size_t largest(const graph::Components& components) {
    std::size_t most = 0;
    for (Index c = 0; c < components.count(); ++c) most = std::max(most, components.members_of(c).size());
    return most;
}

void describe_graph(const fs::path& input, const io::NetworkOptions& options, const CommonOptions& common) {
    const io::Network network = read_as_guessed(common, input, [&] { return io::read_network(input, options); });
    print_notes(common, input, network);
    const Graph& graph = network.graph;
    put("{}: {}, {} vertices, {} edges\n", input.string(), network.kind, graph.size(), graph.edges() / 2);
    put("in the file: {}{} self-loops, {} repeated edges\n",
        network.graphs > 1 ? fmt::format("{} graphs, ", network.graphs) : "", network.self_loops, network.multi_edges);
    const graph::Components components = graph::components(graph);
    put("components: {}, the largest of {} vertices\n", components.count(), largest(components));
    put("directed: {}\n", network.directed ? "yes; drawings ignore directions" : "no");
    const auto [least, most] = std::minmax_element(graph.weights.begin(), graph.weights.end());
    put("weights: {}\n", network.weighted && graph.edges() > 0 ? fmt::format("{} to {}", *least, *most) : "none");
    put("labels: {}\nids: {}\n", text_of(network.labels), text_of(network.ids));
    if (!network.start.coordinates.empty()) {
        put("positions: {} vertices, {} pinned\n", placed(network),
            std::count(network.pinned.begin(), network.pinned.end(), 1));
    }
    put_memory(graph.offsets.size() * sizeof(Offset) + graph.targets.size() * sizeof(Index) +
                   graph.weights.size() * sizeof(float),
               "edges");
    for (const std::string& warning : network.warnings) put("note: {}\n", warning);
}

struct InfoCommand {
    std::string input;
    CommonOptions common;
    io::NetworkOptions network;
};

/// Prints a description of the input. Throws if an option does not apply to this kind of input.
void describe(InfoCommand& command) {
    io::ReadOptions& read = command.common.read;
    settle_holds(command.common, command.input);
    const io::Holds holds = command.common.guess.holds;
    const bool graph = holds == io::Holds::graph, matrix = holds == io::Holds::dissimilarities;
    const auto useless = [&](const char* option, bool given) {
        if (!given) return;
        throw Error(Fault::bad_input, fmt::format("--{}: {} holds {}{}, to which the option does not apply", option,
                                                  command.input, graph ? "a " : "", name_of(holds)));
    };
    useless("ids", (graph || matrix) && !read.ids.empty());
    useless("transpose", (graph || matrix) && read.transpose);
    useless("columns", (graph || matrix) && !read.columns.empty());
    useless("drop-rows-with-gaps", (graph || matrix) && read.drop_rows_with_gaps);
    useless("text", (graph || matrix) && !read.text.empty());
    useless("fill", (graph || matrix) && !read.fill.empty());
    useless("labels", matrix && !read.labels.empty());
    useless("array", graph && !read.array.empty());
    useless("weights-from", !graph && !command.network.weights_from.empty());
    useless("graph", !graph && command.network.graph != 0);
    useless("header", !graph && command.network.header != io::Header::automatic);
    command.network.labels = read.labels;
    command.network.decimal = read.decimal;
    if (graph) return describe_graph(command.input, command.network, command.common);
    matrix ? describe_dissimilarities(command.input, command.common) : describe_points(command.input, command.common);
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
    auto command = std::make_shared<InfoCommand>();
    CLI::App* sub = app.add_subcommand("info", "print devices and build, or the contents of an input");
    sub->add_option("INPUT", command->input, "a file of points, documents or dissimilarities, or a graph");
    add_flags(*sub, command->common.read);
    add_flags(*sub, command->network, {"labels", "decimal"});
    sub->callback([&action, command] {
        action = [command] {
            command->input.empty() ? describe_build() : describe(*command);
            return done;
        };
    });
}

}  // namespace dunlin::app

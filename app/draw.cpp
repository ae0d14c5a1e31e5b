// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "network.hpp"

namespace dunlin::app {

namespace {

struct Job {
    fs::path map, graph;
    std::string labels;
    io::NetworkOptions network;
    Shared shared;
    picture::Options picture;
};

/// What is drawn: a map, and the graph that it is of, if there is one.
struct Drawn {
    io::MapFile file;
    Graph graph;
};

Drawn read(const Job& job) {
    Drawn drawn{io::read_map(job.map), {}};
    print_notes(job.shared, job.map, drawn.file.notes);
    if (!job.graph.empty()) {
        io::Network network = io::read_network(job.graph, job.network);
        print_notes(job.shared, job.graph, network.notes);
        drawn.file = in_order_of(std::move(drawn.file), job.map, network, job.graph);
        if (!network.ids.empty()) drawn.file.ids = std::move(network.ids);
        if (!network.labels.empty()) drawn.file.labels = std::move(network.labels);
        drawn.graph = std::move(network.graph);
    } else if (!job.labels.empty()) {
        drawn.file.labels = io::read_labels(job.labels);
    }
    return drawn;
}

std::string title_of(const Job& job, const Drawn& drawn) {
    const std::string title = fmt::format("{}, {} points", stem_of(job.map), drawn.file.map.size());
    return job.graph.empty() ? title : fmt::format("{}, {} edges", title, drawn.graph.edges() / 2);
}

int draw_map(Job& job) {
    if (job.shared.outputs.empty()) job.shared.outputs = {stem_of(job.map) + ".png"};
    for (const fs::path output : job.shared.outputs) require_picture("--output", output);
    require_apart({job.map, job.graph, job.labels}, job.shared, as_outputs(job.shared.outputs));
    job.network.labels = job.labels;
    const Drawn drawn = read(job);
    const io::MapFile& file = drawn.file;
    if (job.picture.title.empty()) job.picture.title = title_of(job, drawn);
    for (const std::string& output : job.shared.outputs) {
        if (job.graph.empty()) {
            picture::draw(output, file.map, file.labels, file.ids, job.picture, job.shared.run);
        } else {
            picture::draw(output, drawn.graph, file.map, file.labels, file.ids, job.picture, job.shared.run);
        }
        if (!job.shared.quiet) fmt::print("wrote {}\n", output);
    }
    return done;
}

}  // namespace

void add_draw(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("draw", "a picture of any map");
    sub->add_option("MAP", job->map, "the map: .csv .tsv .npy .json")->required();
    sub->add_option("-o,--output", job->shared.outputs,
                    "file to write, repeatable: .png .svg .html (default: MAP's stem .png)")
        ->allow_extra_args(false);
    sub->add_option("--graph", job->graph, "the graph that the map is of: its edges are drawn, too");
    sub->add_option(
        "--labels", job->labels,
        "a file with one label per point, or an attribute of the graph's vertices (default: the map's own)");
    sub->add_flag("--quiet", job->shared.quiet, "print nothing but errors");
    add_picture_flags(*sub, job->picture);
    sub->callback([&action, job] { action = [job] { return draw_map(*job); }; });
}

}  // namespace dunlin::app

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include <dunlin/check.hpp>
#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "network.hpp"
#include "report.hpp"
#include "scores.hpp"

namespace dunlin::app {

namespace {

/// How the affinities that kl compares with are made.
struct KlOptions {
    float perplexity = 30;
    neighbors::Method neighbors = neighbors::Method::automatic;
    bool no_kl = false;
};

template <class Visit>
void fields(Visit&& visit, KlOptions& o) {
    visit(field("perplexity", o.perplexity, "of the affinities that kl compares with").at_least(1));
    visit(field("neighbors", o.neighbors, "how neighbors are found for kl, or a graph file").or_file());
    visit(field("no-kl", o.no_kl, "leave out t-SNE's cost, which needs 3 * perplexity neighbors of every point"));
}

struct Job {
    fs::path map, input;
    Shared shared;
    scores::Options options;
    scores::LayoutOptions layout;
    scores::Extent scores = scores::Extent::sampled;
    io::NetworkOptions network;
    KlOptions kl;
    Files files;
    const CLI::App *points_flags = nullptr, *graph_flags = nullptr;
};

/// Affinities at --perplexity, computed anew so that maps made by anyone are judged alike; none where kl is not wanted.
Graph affinities_of(const Job& job, const io::Points& points) {
    const auto view = points.values.view();
    const Index n = view.rows;
    if (job.kl.no_kl || n < 2) return {};
    const float perplexity = std::min(job.kl.perplexity, std::max(static_cast<float>(n - 1) / 3.0F, 1.0F));
    const auto k = std::min(n - 1, static_cast<Index>(std::ceil(3.0F * perplexity)));
    const fs::path file = file_of(job.files, "neighbors");
    const Graph graph =
        file.empty() ? neighbors::search(view, {.k = k, .metric = job.options.metric, .method = job.kl.neighbors},
                                         job.shared.run)
                           .graph
                     : io::read_graph(file);
    return tsne::affinities(graph, perplexity, job.shared.run);
}

/// The scores were computed on the CPU.
template <class Options>
int tell(const Job& job, const Json& input, const Options& options, const Json& more, const Json& quality,
         const Spent& spent) {
    const Run& run = job.shared.run;
    Outcome<Options> scored{.options = options,
                            .device = Device::cpu,
                            .gpus = {},
                            .threads = threads_of(run),
                            .seed = run.seed,
                            .stopped = Stopped::converged,
                            .engines = {},
                            .seconds = {},
                            .varies_because = {}};
    if (run.stop.stop_requested()) scored.stopped = Stopped::cancelled;
    Json guessed = input;
    put_guess(guessed, job.shared.guess);
    Outcome<Json> outcome = outcome_as_json(scored);
    outcome.options.update(more);
    outcome.options["scores"] = std::string(name_of(job.scores));
    outcome.options["map"] = job.map.string();
    return finish(job.shared, report_of({"score", "score", guessed}, outcome, spent, quality), {}, scored.stopped,
                  [&] { print_quality(quality); });
}

int score_map(Job& job) {
    prepare(job.shared);
    Stopwatch watch;
    io::Points points = read_input(job.input, job.shared, job.options.metric);
    const io::MapFile file = io::read_map(job.map, job.shared.run);
    require_read(job.shared, file.map.size() == 0);
    print_notes(job.shared, job.map, file.notes);
    if (file.map.size() != points.values.rows()) {
        throw Error(Fault::bad_file,
                    fmt::format("{} has {} points and {} has {} rows; they must agree", job.map.string(),
                                file.map.size(), job.input.string(), points.values.rows()));
    }
    if (points.labels.empty()) points.labels = file.labels;
    Spent spent{.read = watch.lap()};

    const Json quality = judge_map(points, file.map, affinities_of(job, points), job.options, job.shared.run);
    spent.score = watch.lap();
    spent.total = watch.total();
    return tell(job, input_of(job.input, points), job.options, fields_as_json(job.kl, job.files), quality, spent);
}

int score_layout(Job& job) {
    prepare(job.shared);
    Stopwatch watch;
    job.network.decimal = job.shared.read.decimal;
    const io::Network network = read_as_guessed(
        job.shared, job.input, [&] { return io::read_network(job.input, job.network, job.shared.run); });
    require_read(job.shared, network.graph.size() == 0);
    print_notes(job.shared, job.input, network.notes);
    const io::MapFile file = io::read_map(job.map, job.shared.run);
    require_read(job.shared, file.map.size() == 0);
    print_notes(job.shared, job.map, file.notes);
    const Map map = in_order_of(file, job.map, network, job.input).map;
    Spent spent{.read = watch.lap()};
    const Json quality = judge_layout(network.graph, map, job.layout, job.shared.run);
    spent.score = watch.lap();
    spent.total = watch.total();
    return tell(job, input_of(job.input, network), job.layout, fields_as_json(job.network), quality, spent);
}

/// Sizes not given are those of a thorough score.
void settle_sizes(Job& job, bool graph) {
    graph ? options::check(job.layout) : options::check(job.options);
    if (job.scores != scores::Extent::sampled) return;
    const scores::Options points = scores::thorough();
    for (const auto size : {&scores::Options::exact_rows, &scores::Options::exact_votes, &scores::Options::sample})
        if (!(job.options.*size)) job.options.*size = points.*size;
    const scores::LayoutOptions drawing = scores::thorough_layout();
    if (!job.layout.exact_sources) job.layout.exact_sources = drawing.exact_sources;
    if (!job.layout.exact_edges) job.layout.exact_edges = drawing.exact_edges;
    if (!job.layout.exact_neighborhoods) job.layout.exact_neighborhoods = drawing.exact_neighborhoods;
    if (!job.layout.exact_angles) job.layout.exact_angles = drawing.exact_angles;
}

/// By what --of holds; flags that belong to the other kind are an error.
int score(Job& job) {
    require_apart({job.map, job.input, file_of(job.files, "neighbors")}, job.shared, {});
    settle_holds(job.shared, job.input);
    const bool graph = job.shared.guess.holds == io::Holds::graph;
    if (job.shared.guess.holds == io::Holds::dissimilarities) {
        throw Error(
            Fault::bad_input,
            fmt::format("--of {} holds dissimilarities, whose maps dunlin mds scores itself; say --holds points "
                        "if its rows are points",
                        job.input.string()));
    }
    for (const CLI::Option* option : (graph ? job.points_flags : job.graph_flags)->get_options()) {
        if (option->count() == 0) continue;
        throw Error(Fault::bad_input, fmt::format("{} is for {}, and {} is read as {}; leave it out, or say --holds {}",
                                                  option->get_name(), graph ? "points" : "graphs", job.input.string(),
                                                  graph ? "a graph" : "points", graph ? "points" : "graph"));
    }
    if (job.scores == scores::Extent::none) {
        throw Error(Fault::bad_input, "--scores none leaves dunlin score nothing to do; use sampled or full");
    }
    job.options.extent = job.layout.extent = job.scores;
    settle_sizes(job, graph);
    return graph ? score_layout(job) : score_map(job);
}

}  // namespace

void add_score(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("score", "how good a map is, ours or anyone's");
    sub->add_option("MAP", job->map, "the map: .csv .tsv .npy .json")->required();
    sub->add_option("--of", job->input, "the points or the graph it was made from")->required();
    add_flags(*sub, job->shared.read, {"labels", "ids", "transpose", "array"});
    add_shared_flags(*sub, job->shared, false);
    add_scores_flag(*sub, job->scores);
    CLI::App* points = sub->add_option_group("points", "of points");
    job->points_flags = points;
    add_flags(*points, job->shared.read, {"holds", "decimal"});
    add_flags(*points, job->options, {"scores"});
    add_flags(*points, job->kl, {}, &job->files);
    CLI::App* graph = sub->add_option_group("graph", "of a graph");
    job->graph_flags = graph;
    add_flags(*graph, job->network, {"labels", "decimal"});
    add_flags(*graph, job->layout, {"scores"});
    sub->callback([&action, job] { action = [job] { return score(*job); }; });
}

}  // namespace dunlin::app

#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "network.hpp"
#include "report.hpp"

namespace dunlin::app {

namespace {

enum class Holds { automatic, points, graph };
constexpr std::array<std::string_view, 3> names(Holds) { return {"auto", "points", "graph"}; }

struct Job {
    fs::path map, input;
    Holds holds = Holds::automatic;
    Shared shared;
    metrics::Options options;
    metrics::LayoutOptions layout;
    io::NetworkOptions network;
    float perplexity = 30;
    std::string neighbors = "auto";
    bool no_kl = false;
    const CLI::App *points_flags = nullptr, *graph_flags = nullptr;
};

/// Affinities at --perplexity, computed anew so that maps made by anyone are judged alike; none where kl is not wanted.
Graph affinities_of(const Job& job, const io::Points& points) {
    const auto view = points.values.view();
    const Index n = view.rows;
    if (job.no_kl || n < 2) return {};
    const float perplexity = std::clamp(static_cast<float>(n - 1) / 3.0F, 1.0F, job.perplexity);
    const auto k = std::min(n - 1, static_cast<Index>(std::ceil(3.0F * perplexity)));
    const auto method = value_named<neighbors::Method>(job.neighbors);
    const Graph graph =
        method
            ? neighbors::search(view, {.k = k, .metric = job.options.metric, .method = *method}, job.shared.run).graph
            : io::read_graph(job.neighbors);
    return tsne::affinities(graph, perplexity, job.shared.run);
}

int tell(const Job& job, Json report, const Json& quality, const Json& seconds) {
    report["options"]["map"] = job.map.string();
    report["seconds"] = seconds;
    report["quality"] = quality;
    report["peak_memory_bytes"] = {{"host", peak_memory()}, {"device", 0}};
    if (!job.shared.report.empty()) io::write_text(job.shared.report, report.dump(2) + "\n");
    if (!job.shared.quiet) print_quality(quality);
    return job.shared.run.stop.stop_requested() ? interrupted : done;
}

int score_map(Job& job) {
    prepare(job.shared);
    Stopwatch watch;
    io::Points points = read_input(job.input, job.shared, job.options.metric);
    const io::MapFile file = io::read_map(job.map);
    if (file.map.size() != points.values.rows()) {
        throw Error(Fault::bad_file,
                    fmt::format("{} has {} points and {} has {} rows; they must agree", job.map.string(),
                                file.map.size(), job.input.string(), points.values.rows()));
    }
    if (points.labels.empty()) points.labels = file.labels;
    const double read = watch.lap();

    const Json quality = judge_map(points, file.map, affinities_of(job, points), job.options, job.shared.run);
    const double score = watch.lap();

    Json report = report_head("score", "score", job.input, points, {.threads = job.shared.run.threads});
    report["options"] = fields_as_json(job.options);
    report["options"]["perplexity"] = job.perplexity;
    return tell(job, std::move(report), quality, {{"read", read}, {"score", score}, {"total", watch.total()}});
}

int score_layout(Job& job) {
    prepare(job.shared);
    Stopwatch watch;
    const io::Network network = io::read_network(job.input, job.network);
    const Map map = in_order_of(io::read_map(job.map), job.map, network, job.input).map;
    const double read = watch.lap();
    const Json quality = judge_layout(network.graph, map, job.layout, job.shared.run);
    const double score = watch.lap();

    Json report = report_head("score", "score", job.input, {}, {.threads = job.shared.run.threads});
    report["input"]["kind"] = network.kind;
    report["input"]["rows"] = network.graph.size();
    report["input"]["edges"] = network.graph.edges() / 2;
    report["options"] = fields_as_json(job.layout);
    return tell(job, std::move(report), quality, {{"read", read}, {"score", score}, {"total", watch.total()}});
}

/// By what --of holds; flags that belong to the other kind are an error.
int score(Job& job) {
    require_apart({job.map, job.input, file_of<neighbors::Method>(job.neighbors)}, job.shared, {});
    const bool graph = job.holds == Holds::automatic ? io::is_network(job.input) : job.holds == Holds::graph;
    for (const CLI::Option* option : (graph ? job.points_flags : job.graph_flags)->get_options()) {
        if (option->count() == 0) continue;
        throw Error(Fault::bad_input, fmt::format("{} is for {}, and {} is read as {}; leave it out, or say --holds {}",
                                                  option->get_name(), graph ? "points" : "graphs", job.input.string(),
                                                  graph ? "a graph" : "points", graph ? "points" : "graph"));
    }
    return graph ? score_layout(job) : score_map(job);
}

}  // namespace

void add_score(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("score", "how good a map is, ours or anyone's");
    sub->add_option("MAP", job->map, "the map: .csv .tsv .npy .json")->required();
    sub->add_option("--of", job->input, "the points or the graph it was made from")->required();
    add_flag(*sub, "--holds", job->holds, "what --of holds; auto: by its name and content");
    add_shared_flags(*sub, job->shared, false);
    CLI::App* points = sub->add_option_group("points", "of points");
    job->points_flags = points;
    add_read_flags(*points, job->shared);
    add_flags(*points, job->options);
    points->add_option("--perplexity", job->perplexity, "of the affinities that kl compares with")
        ->capture_default_str();
    points->add_option("--neighbors", job->neighbors, "how neighbours are found for kl, or a graph file")
        ->capture_default_str();
    points->add_flag("--no-kl", job->no_kl,
                     "leave out t-SNE's cost, which needs 3 * perplexity neighbours of every point");
    CLI::App* graph = sub->add_option_group("graph", "of a graph");
    job->graph_flags = graph;
    add_flags(*graph, job->network, {"labels"});
    add_flags(*graph, job->layout);
    sub->callback([&action, job] { action = [job] { return score(*job); }; });
}

}  // namespace dunlin::app

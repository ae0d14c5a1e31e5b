#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/tsne.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "report.hpp"

namespace dunlin::app {

namespace {

struct Job {
    fs::path map, input;
    Shared shared;
    metrics::Options options;
    float perplexity = 30;
    std::string neighbors = "auto";
    bool no_kl = false;
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

int score_map(Job& job) {
    prepare(job.shared);
    Stopwatch watch;
    const bool shift_is_harmless =
        job.options.metric == neighbors::Metric::euclidean || job.options.metric == neighbors::Metric::manhattan;
    io::Points points = read_input(job.input, job.shared, shift_is_harmless);
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

    if (!job.shared.report.empty()) {
        Json report = report_head("score", "score", job.input, points, {.threads = job.shared.run.threads});
        report["options"] = fields_as_json(job.options);
        report["options"]["map"] = job.map.string();
        report["options"]["perplexity"] = job.perplexity;
        report["seconds"] = {{"read", read}, {"score", score}, {"total", watch.total()}};
        report["quality"] = quality;
        report["peak_memory_bytes"] = {{"host", peak_memory()}, {"device", 0}};
        write_text(job.shared.report, report.dump(2) + "\n");
    }
    if (!job.shared.quiet) print_quality(quality);
    return done;
}

}  // namespace

void add_score(CLI::App& app, Action& action) {
    auto job = std::make_shared<Job>();
    CLI::App* sub = app.add_subcommand("score", "how good a map is, ours or anyone's");
    sub->add_option("MAP", job->map, "the map: .csv .tsv .npy .json")->required();
    sub->add_option("--of", job->input, "the points it was made from")->required();
    add_shared_flags(*sub, job->shared, false);
    add_read_flags(*sub, job->shared);
    add_flags(*sub, job->options);
    sub->add_option("--perplexity", job->perplexity, "of the affinities that kl compares with")->capture_default_str();
    sub->add_option("--neighbors", job->neighbors, "how neighbours are found for kl, or a graph file")
        ->capture_default_str();
    sub->add_flag("--no-kl", job->no_kl,
                  "leave out t-SNE's cost, which needs 3 * perplexity neighbours of every point");
    sub->callback([&action, job] { action = [job] { return score_map(*job); }; });
}

}  // namespace dunlin::app

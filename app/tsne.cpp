// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/network.hpp>
#include <dunlin/tsne.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "report.hpp"
#include "scores.hpp"

namespace dunlin::app {

namespace {

struct Job {
    std::string command = "tsne";
    fs::path input;
    Shared shared;
    tsne::Options options;
    picture::Options picture;
    Files files;
    scores::Extent scores = scores::Extent::sampled;
};

/// First of all flags, since later ones override what a preset says: CLI11 applies flags in the order they were added.
void add_preset_flag(CLI::App& app, tsne::Options& options) {
    const auto all = names(tsne::Preset{});
    app.add_option_function<std::string>(
           "--preset",
           [&options](const std::string& name) { options = tsne::options_of(*value_named<tsne::Preset>(name)); },
           "constants as another program has them; other flags override")
        ->check(one_of(all))
        ->type_name(listed(all));
}

std::string title_of(const Job& job, Index n, const Json& quality) {
    std::string title = fmt::format("t-SNE of {}, {} points", stem_of(job.input), n);
    if (quality.value("kl", Json()).is_number()) title += fmt::format(", KL {:.3f}", quality["kl"].get<double>());
    if (quality.contains("trustworthiness")) {
        title += fmt::format(", trustworthiness {:.3f}", quality["trustworthiness"].get<double>());
    }
    return title;
}

/// Returns what is written: a stop leaves out a picture.
std::vector<fs::path> write_outputs(const Job& job, const std::vector<fs::path>& paths, const io::Points& points,
                                    const Map& map, const Json& quality) {
    picture::Options style = job.picture;
    if (style.title.empty()) style.title = title_of(job, map.size(), quality);
    const Run run = run_of_picture(job.shared);
    std::vector<fs::path> written;
    for (const fs::path& path : paths) {
        if (!is_picture(path)) {
            io::write_map(path, {map, points.ids, points.labels});
        } else if (!picture::draw(path, map, points.labels, points.ids, style, run)) {
            continue;
        }
        written.push_back(path);
    }
    return written;
}

tsne::Result place(Job& job, const io::Points& points) {
    Graph graph;
    Map start;
    tsne::Given given;
    if (const fs::path file = file_of(job.files, "neighbors"); !file.empty()) {
        graph = io::read_graph(file, job.shared.run);
        require_read(job.shared, graph.size() == 0);
        given.neighbors = &graph;
    }
    if (const fs::path file = file_of(job.files, "start"); !file.empty()) {
        start = io::read_map(file, job.shared.run).map;
        require_read(job.shared, start.size() == 0);
        given.start = &start;
    }
    return tsne::embed(points.values.view(), job.options, job.shared.run, given);
}

Json report_on(const Job& job, const io::Points& points, const tsne::Result& result, const Json& quality,
               const Spent& spent) {
    Outcome<Json> outcome = outcome_as_json(result, job.files);
    outcome.options["scores"] = std::string(name_of(job.scores));
    Json input = input_of(job.input, points);
    put_guess(input, job.shared.guess);
    Json report = report_of({job.command, "tsne", input}, outcome, spent, quality);
    if (result.device == Device::cuda) report["grid_strays"] = result.strays;
    return report;
}

Json quality_of(const Job& job, const io::Points& points, const tsne::Result& result) {
    auto quality = Json::object();
    put_score(quality, "kl", {result.kl, result.kl_se});
    if (result.options.search == neighbors::Method::approximate && !job.files.contains("neighbors")) {
        put_recall(quality, result.search_recall, result.search_recall_se);
    }
    if (job.scores != scores::Extent::none && result.stopped != Stopped::cancelled) {
        Run run = job.shared.run;
        run.device = Device::cpu;  // where all scores are computed
        quality.update(judge_map(points, result.map, {}, {.metric = job.options.metric, .extent = job.scores}, run));
    }
    return quality;
}

/// A graph is not mistaken for a table of numbers.
void refuse_graph(const fs::path& input) {
    for (const std::string_view extension : formats::networks) {
        if (input.extension() == extension || input.stem().extension() == extension) {  // x.dot, x.dot.gz
            throw Error(Fault::bad_input, fmt::format("{0} is a graph; dunlin layout {0} draws it", input.string()));
        }
    }
}

int map_points(Job& job) {
    prepare(job.shared);
    refuse_graph(job.input);
    const Inputs inputs{job.input, file_of(job.files, "neighbors"), file_of(job.files, "start")};
    const std::vector<fs::path> paths = outputs_of(job.shared, inputs);
    Stopwatch watch;
    const io::Points points = read_input(job.input, job.shared, job.options.metric);
    Spent spent{.read = watch.lap()};
    const tsne::Result result = place(job, points);
    watch.lap();
    const Json quality = quality_of(job, points, result);
    spent.score = watch.lap();
    const std::vector<fs::path> written = write_outputs(job, paths, points, result.map, quality);
    spent.write = watch.lap();
    spent.total = watch.total();
    return finish(job.shared, report_on(job, points, result, quality, spent), written, result.stopped,
                  [&] { print_quality(quality); });
}

/// dunlin map on what is no points, which flags of t-SNE say nothing about.
void refuse_flags(const CLI::App& flags, Job& job, std::string_view holds, std::string_view command) {
    std::vector<std::string> useless = {"preset", "ids", "transpose"};
    fields([&](const auto& field) { useless.emplace_back(field.name); }, job.options);
    if (job.shared.guess.holds == io::Holds::graph) useless.emplace_back("array");
    std::erase(useless, "dim");
    for (const std::string& name : useless) {
        if (flags.get_option("--" + name)->count() == 0) continue;
        throw Error(Fault::bad_input, fmt::format("--{}: {} holds {}, to which the option does not apply; see "
                                                  "dunlin {} --help",
                                                  name, job.input.string(), holds, command));
    }
}

/// dunlin map: by the method that suits the input.
int map_anything(const CLI::App& flags, Job& job) {
    settle_holds(job.shared, job.input);
    if (job.shared.guess.holds == io::Holds::graph) {
        refuse_flags(flags, job, "a graph", "layout");
        return draw_graph(job.input, job.shared, job.picture, job.options.dim, job.scores);
    }
    if (job.shared.guess.holds == io::Holds::dissimilarities) {
        refuse_flags(flags, job, "dissimilarities", "mds");
        return scale_matrix(job.input, job.shared, job.picture, job.options.dim, job.scores);
    }
    return map_points(job);
}

void add_command(CLI::App& app, Action& action, const std::string& name, const std::string& help) {
    auto job = std::make_shared<Job>();
    job->command = name;
    CLI::App* sub = app.add_subcommand(name, help);
    const std::string others = name == "map" ? ", a graph (see dunlin layout) or dissimilarities (see dunlin mds)" : "";
    add_points(*sub, "INPUT", job->input, job->shared, others);
    add_preset_flag(*sub, job->options);
    add_flags(*sub, job->options, {}, &job->files);
    add_picture_flags(*sub, job->picture);
    add_scores_flag(*sub, job->scores);
    sub->callback([&action, job, sub] {
        action = [job, sub] { return job->command == "map" ? map_anything(*sub, *job) : map_points(*job); };
    });
}

}  // namespace

void add_tsne(CLI::App& app, Action& action) { add_command(app, action, "tsne", "a t-SNE map of points"); }

void add_map(CLI::App& app, Action& action) {
    add_command(app, action, "map",
                "the main job: a map of INPUT, by the method that suits it (points: t-SNE, graphs: layout, "
                "dissimilarities: mds)");
}

}  // namespace dunlin::app

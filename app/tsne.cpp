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

struct TsneCommand {
    std::string name = "tsne";
    fs::path input;
    CommonOptions common;
    tsne::Options options;
    picture::Options picture;
    Files files;
    scores::Extent scores = scores::Extent::sampled;
};

/// Must be added before all other flags, which override the preset: CLI11 applies flags in the order of addition.
void add_preset_flag(CLI::App& app, tsne::Options& options) {
    const auto all = names(tsne::Preset{});
    app.add_option_function<std::string>(
           "--preset",
           [&options](const std::string& name) { options = tsne::options_of(*value_named<tsne::Preset>(name)); },
           "constants of another program; other flags override them")
        ->check(one_of(all))
        ->type_name(listed(all));
}

std::string title_of(const TsneCommand& command, Index n, const Json& quality) {
    std::string title = fmt::format("t-SNE of {}, {} points", stem_of(command.input), n);
    if (quality.value("kl", Json()).is_number()) title += fmt::format(", KL {:.3f}", quality["kl"].get<double>());
    if (quality.contains("trustworthiness")) {
        title += fmt::format(", trustworthiness {:.3f}", quality["trustworthiness"].get<double>());
    }
    return title;
}

/// Returns the files written; a stop omits pictures.
std::vector<fs::path> write_outputs(const TsneCommand& command, const std::vector<fs::path>& paths,
                                    const io::Points& points, const Map& map, const Json& quality) {
    picture::Options style = command.picture;
    if (style.title.empty()) style.title = title_of(command, map.size(), quality);
    const Run run = run_of_picture(command.common);
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

tsne::Result place(TsneCommand& command, const io::Points& points) {
    Graph graph;
    Map start;
    tsne::Given given;
    if (const fs::path file = file_of(command.files, "neighbors"); !file.empty()) {
        graph = io::read_graph(file, command.common.run);
        require_read(command.common, graph.size() == 0);
        given.neighbors = &graph;
    }
    if (const fs::path file = file_of(command.files, "start"); !file.empty()) {
        start = io::read_map(file, command.common.run).map;
        require_read(command.common, start.size() == 0);
        given.start = &start;
    }
    return tsne::embed(points.values.view(), command.options, command.common.run, given);
}

Json report_on(const TsneCommand& command, const io::Points& points, const tsne::Result& result, const Json& quality,
               const StageSeconds& spent) {
    Outcome<Json> outcome = outcome_as_json(result, command.files);
    outcome.options["scores"] = std::string(name_of(command.scores));
    Json input = input_of(command.input, points);
    put_guess(input, command.common.guess);
    Json report = report_of({command.name, "tsne", input}, outcome, spent, quality);
    if (result.device == Device::cuda) report["grid_strays"] = result.strays;
    return report;
}

Json quality_of(const TsneCommand& command, const io::Points& points, const tsne::Result& result) {
    auto quality = Json::object();
    put_score(quality, "kl", {result.kl, result.kl_se});
    if (result.options.search == neighbors::Method::approximate && !command.files.contains("neighbors")) {
        put_recall(quality, result.search_recall, result.search_recall_se);
    }
    if (command.scores != scores::Extent::none && result.stopped != Stopped::cancelled) {
        Run run = command.common.run;
        run.device = Device::cpu;  // scores run on the CPU
        quality.update(
            evaluate_map(points, result.map, {}, {.metric = command.options.metric, .extent = command.scores}, run));
    }
    return quality;
}

/// Throws for a graph file.
void refuse_graph(const fs::path& input) {
    for (const std::string_view extension : formats::networks) {
        if (input.extension() == extension || input.stem().extension() == extension) {  // x.dot, x.dot.gz
            throw Error(Fault::bad_input, fmt::format("{0} is a graph; dunlin layout {0} draws it", input.string()));
        }
    }
}

int map_points(TsneCommand& command) {
    prepare(command.common);
    refuse_graph(command.input);
    const Inputs inputs{command.input, file_of(command.files, "neighbors"), file_of(command.files, "start")};
    const std::vector<fs::path> paths = outputs_of(command.common, inputs);
    Stopwatch watch;
    const io::Points points = read_input(command.input, command.common, command.options.metric);
    StageSeconds spent{.read = watch.lap()};
    const tsne::Result result = place(command, points);
    watch.lap();
    const Json quality = quality_of(command, points, result);
    spent.score = watch.lap();
    const std::vector<fs::path> written = write_outputs(command, paths, points, result.map, quality);
    spent.write = watch.lap();
    spent.total = watch.total();
    return finish(command.common, report_on(command, points, result, quality, spent), written, result.stopped,
                  [&] { print_quality(quality); });
}

/// Throws for flags of t-SNE if the input of dunlin map is not points.
void refuse_flags(const CLI::App& flags, TsneCommand& command, std::string_view holds, std::string_view suited) {
    std::vector<std::string> useless = {"preset", "ids", "transpose"};
    fields([&](const auto& field) { useless.emplace_back(field.name); }, command.options);
    if (command.common.guess.holds == io::Holds::graph) useless.emplace_back("array");
    std::erase(useless, "dim");
    for (const std::string& name : useless) {
        if (flags.get_option("--" + name)->count() == 0) continue;
        throw Error(Fault::bad_input, fmt::format("--{}: {} holds {}, to which the option does not apply; see "
                                                  "dunlin {} --help",
                                                  name, command.input.string(), holds, suited));
    }
}

/// dunlin map: selects the method by the input.
int map_anything(const CLI::App& flags, TsneCommand& command) {
    settle_holds(command.common, command.input);
    if (command.common.guess.holds == io::Holds::graph) {
        refuse_flags(flags, command, "a graph", "layout");
        return draw_graph(command.input, command.common, command.picture, command.options.dim, command.scores);
    }
    if (command.common.guess.holds == io::Holds::dissimilarities) {
        refuse_flags(flags, command, "dissimilarities", "mds");
        return scale_matrix(command.input, command.common, command.picture, command.options.dim, command.scores);
    }
    return map_points(command);
}

void add_command(CLI::App& app, Action& action, const std::string& name, const std::string& help) {
    auto command = std::make_shared<TsneCommand>();
    command->name = name;
    CLI::App* sub = app.add_subcommand(name, help);
    const std::string others = name == "map" ? ", a graph (see dunlin layout) or dissimilarities (see dunlin mds)" : "";
    add_points(*sub, "INPUT", command->input, command->common, others);
    add_preset_flag(*sub, command->options);
    add_flags(*sub, command->options, {}, &command->files);
    add_picture_flags(*sub, command->picture);
    add_scores_flag(*sub, command->scores);
    sub->callback([&action, command, sub] {
        action = [command, sub] {
            return command->name == "map" ? map_anything(*sub, *command) : map_points(*command);
        };
    });
}

}  // namespace

void add_tsne(CLI::App& app, Action& action) { add_command(app, action, "tsne", "a t-SNE map of points"); }

void add_map(CLI::App& app, Action& action) {
    add_command(app, action, "map",
                "a map of INPUT by the method for its kind (points: t-SNE, graphs: layout, "
                "dissimilarities: mds)");
}

}  // namespace dunlin::app

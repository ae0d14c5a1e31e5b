// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <dunlin/check.hpp>
#include <dunlin/descent.hpp>
#include <dunlin/transform.hpp>

#include "colors.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "item_names.hpp"
#include "matched.hpp"
#include "matrix_points.hpp"
#include "report.hpp"
#include "scores.hpp"
#include "watch.hpp"

/// Commands that map points by a neighbor embedding (t-SNE, UMAP, PaCMAP), which differ in options and cost.
namespace dunlin::app {

template <class Options>
struct PointsCommand {
    std::string name, method;  ///< as typed; "tsne", "umap", "pacmap"
    std::string title;         ///< "t-SNE of"
    fs::path input;
    CommonOptions common;
    Options options;
    picture::Options picture;
    Files files;
    scores::Extent scores = scores::Extent::sampled;
    fs::path fixed, grow;       ///< maps of some of the points, from which the map goes on
    fs::path state;             ///< file for what placing needs
    std::string point_weights;  ///< of t-SNE: FILE:COLUMN
    const CLI::App* flags = nullptr;
};

/// The cost of a result: its name in the report, in a title, and its value.
struct Cost {
    std::string key, title;
    scores::Score value;
};

/// Must be added before all other flags, which override the preset: CLI11 applies flags in the order of addition.
template <class Preset, class Options>
void add_preset_flag(CLI::App& app, Options& options) {
    const auto all = names(Preset{});
    app.add_option_function<std::string>(
           "--preset", [&options](const std::string& name) { options = options_of(*value_named<Preset>(name)); },
           "constants of another program; other flags override them")
        ->check(one_of(all))
        ->type_name(listed(all));
}

/// The flags of the picture of points: without those that show edges and vertices.
void add_point_picture_flags(CLI::App& app, picture::Options& options, CommonOptions& common);

/// --fixed, --grow and --state.
void add_continuing_flags(CLI::App& app, fs::path& fixed, fs::path& grow, fs::path& state);

/// `given` has the values of the flags that were given; the other members are those of `rest`.
template <class Options>
Options flags_over(const CLI::App& flags, const Options& given, Options rest) {
    fields(
        [&](const auto& field) {
            if (flags.get_option("--" + std::string(field.name))->count() == 0) return;
            field.value = options::same_member(field, rest, given);
        },
        rest);
    return rest;
}

/// A map of some of the points, with NaN for the others, and how the map of all goes on from it.
struct MapOfSome {
    Map map;
    descent::Continuation how = descent::Continuation::fixed;
};
/// Reads the map of --fixed or --grow. Returns nullopt if neither is given.
std::optional<MapOfSome> read_map_of_some(const CommonOptions& common, const fs::path& fixed, const fs::path& grow,
                                          const io::NamedRows& rows);

/// Writes what placing needs of a map of these points; lists: their neighbors. Writes nothing after a stop.
void write_state(const fs::path& path, const io::Points& points, const Map& map, const placement::Options& options,
                 const Graph& lists, const Run& run);

/// Throws if --dim is given and a map, unless it is empty, has another dimension.
void require_dim(int dim, const char* flag, const Map& map);

/// Throws if --watch is given for a map of more dimensions than a page shows.
void require_watchable(const CommonOptions& common, int dim);

/// Throws for a graph file.
void refuse_graph(const fs::path& input);

/// The given results of stages, read from the files of the flags --neighbors, --start, --affinities, --anchor and
/// --point-weights.
struct GivenFiles {
    Graph graph, affinities;
    Map start, anchors;
    std::vector<double> origin;  ///< of these maps and of the result; empty: zeros
    std::vector<float> point_weights;

    [[nodiscard]] descent::Given given() const {
        descent::Given given;
        if (graph.size() > 0) given.neighbors = &graph;
        if (start.size() > 0) given.start = &start;
        if (affinities.size() > 0) given.affinities = &affinities;
        if (anchors.size() > 0) given.anchors = &anchors;
        given.point_weights = point_weights;
        return given;
    }
};
/// The file and column of --point-weights; empty if it is.
io::FileColumn weights_of(const std::string& point_weights);
/// point_weights: FILE:COLUMN, or empty. some: of --fixed or --grow, whose origin the others get.
GivenFiles read_given(const CommonOptions& common, const Files& files, const std::string& point_weights,
                      const io::NamedRows& rows, const std::optional<MapOfSome>& some);

/// The colors of pictures of points. Throws for those of graphs.
PictureColors colors_of_points(const CommonOptions& common, const fs::path& input, const io::Points& points,
                               picture::Options& style);

/// Writes the map and its pictures; returns the files written. A stop omits pictures. `title`: of a picture that has
/// none. `input`, `method`: as of write_map_file. below: the map in which these are new points; null: none.
std::vector<fs::path> write_map_outputs(const CommonOptions& common, picture::Options style, const std::string& title,
                                        const std::vector<fs::path>& paths, const io::Points& points,
                                        const PictureColors& colors, const Map& map, const fs::path& input,
                                        const std::string& method, const Map* below = nullptr);

/// "t-SNE of digits, 1797 points, KL 0.742, trustworthiness 0.990"
std::string title_of(const std::string& title, const fs::path& input, Index n, const Cost& cost, const Json& quality);

/// Sets the options that a file implies, and throws if --state is given for a map in which no points can be placed.
template <class Options>
void settle_options(PointsCommand<Options>&) {}
void settle_options(PointsCommand<tsne::Options>& command);
void settle_options(PointsCommand<umap::Options>& command);

/// Whether the method compares any two points, beyond their neighbors.
template <class Options>
bool reads_mid_near(const Options&) {
    return requires(const Options& o) { o.mid_near; };
}

/// Whether the method reads the labels of the points.
template <class Options>
bool reads_labels(const Options& options) {
    if constexpr (requires { options.labels_weight; }) return options.labels_weight > 0;
    return false;
}

/// The map of the points, whose result has the cost cost_of(result).
template <class Options, class CostOf>
int map_points(PointsCommand<Options>& command, const CostOf& cost_of) {
    prepare(command.common);
    refuse_graph(command.input);
    if ((!command.fixed.empty() || !command.grow.empty()) && command.flags->get_option("--start")->count() > 0) {
        throw Error(Fault::bad_input,
                    "--start is given beside --fixed or --grow, whose map is the start; give one of them");
    }
    const Inputs inputs{command.input,
                        file_of(command.files, "neighbors"),
                        file_of(command.files, "start"),
                        file_of(command.files, "affinities"),
                        file_of(command.files, "anchor"),
                        weights_of(command.point_weights).file,
                        command.fixed,
                        command.grow};
    settle_options(command);
    const std::vector<fs::path> paths = outputs_of(command.common, inputs);
    if (!command.state.empty()) {
        constexpr std::string_view archives[] = {".npz"};
        require_output("--state", command.state, "the state of a map is", archives);
        std::vector<Output> outputs = as_outputs(paths);
        outputs.push_back({"--state", command.state});
        require_apart(inputs, command.common, outputs);
    }
    Stopwatch watch;
    const Run& run = command.common.run;
    std::optional<MatrixPoints> matrix;
    if (holds_matrix(command.common) && !reads_mid_near(command.options)) {
        matrix = read_matrix_points(command.input, command.common, *command.flags, command.files,
                                    {command.options.dim, command.options.start, command.options.search});
    }
    const io::Points points =
        matrix ? matrix->points : read_input(command.input, command.common, offsets_of(command.options.metric));
    const io::NamedRows rows = rows_of(command.input, points);
    read_item_names(command.common, command.picture, rows);
    const PictureColors colors = colors_of_points(command.common, command.input, points, command.picture);
    StageSeconds spent{.read = watch.lap()};
    const auto some = read_map_of_some(command.common, command.fixed, command.grow, rows);
    const GivenFiles files = read_given(command.common, command.files, command.point_weights, rows, some);
    if (command.flags->get_option("--dim")->count() > 0) require_dim(command.options.dim, "--start", files.start);
    descent::Given given = files.given();
    if (reads_labels(command.options)) given.labels = &points.labels;
    if (matrix) given.dissimilarities = &matrix->dissimilarities;
    Graph lists;
    if (!command.state.empty() && given_graph(given) == nullptr) given.found = &lists;
    if (some && command.flags->get_option("--dim")->count() > 0)
        require_dim(command.options.dim, command.grow.empty() ? "--fixed" : "--grow", some->map);
    if (some) {
        const double share = placement::share_of_new(some->map);
        command.options = flags_over(*command.flags, command.options, continuing(some->how, share, command.options));
    }
    require_watchable(command.common, some                     ? some->map.dim
                                      : files.start.size() > 0 ? files.start.dim
                                                               : command.options.dim);
    const Graph no_edges;
    Watch watching(command.common,
                   {points.values.rows(), points.ids, colors.values ? points.labels : colors.labels, no_edges,
                    matrix ? std::nullopt : std::optional(points.values), command.options.metric},
                   command.picture, command.title + " " + stem_of(command.input));
    const Run of_method = run_of_method(command.common);
    auto result = some ? continued(points.values.view(), some->map, some->how, command.options, of_method, given)
                       : embed(points.values.view(), command.options, of_method, given);
    result.map.origin = files.origin;
    require_read(command.common, result.map.size() == 0);
    if (result.start_scale != 1)
        print_notes(command.common, file_of(command.files, "start"), {{descent::start_note(result.start_scale), ""}});
    watch.lap();

    const Cost cost = cost_of(result);
    auto quality = Json::object();
    put_score(quality, cost.key, cost.value);
    if (result.options.search == neighbors::Method::approximate && given_graph(given) == nullptr) {
        put_recall(quality, result.search_recall, result.search_recall_se);
    }
    std::optional<Device> scored_on;
    if (matrix)
        quality["left_out"] = "scores that compare the map with points, of which there are only dissimilarities";
    if (command.scores != scores::Extent::none && result.stopped != Stopped::cancelled) {
        Run score_run = on_first_gpu(run);
        score_run.device = result.device;
        const scores::Options options{.metric = command.options.metric, .extent = command.scores};
        const auto compared = matrix ? MatrixView<const float>{} : points.values.view();
        const scores::Scores scores = scores::evaluate(result.map, compared, {}, points.labels, options, score_run);
        quality.update(scores_as_json(scores));
        scored_on = scores.device;
    }
    spent.score = watch.lap();
    const std::string title = title_of(command.title, command.input, result.map.size(), cost, quality);
    std::vector<fs::path> written = write_map_outputs(command.common, command.picture, title, paths, points, colors,
                                                      result.map, command.input, command.method);
    if (!command.state.empty() && result.stopped != Stopped::cancelled) {
        add_output(command.common, written, command.state, [&] {
            write_state(command.state, points, result.map, placement::options_of(result.options),
                        given.neighbors != nullptr ? *given.neighbors : lists, on_first_gpu(run));
        });
    }
    watching.finish(result.map, title);
    spent.write = watch.lap();
    spent.total = watch.total();

    Outcome<Json> outcome = outcome_as_json(result, command.files);
    for (const auto& [name, path] :
         {std::pair{"fixed", command.fixed}, {"grow", command.grow}, {"state", command.state}})
        if (!path.empty()) outcome.options[name] = path.string();
    if (!command.point_weights.empty()) outcome.options["point-weights"] = command.point_weights;
    outcome.options["scores"] = std::string(name_of(command.scores));
    Json input = input_of(command.input, points);
    put_guess(input, command.common.guess);
    if (matrix) put_matrix(*matrix, input, outcome.options);
    Json report = report_of({command.name, command.method, input}, outcome, spent, quality);
    if (scored_on) report["score_device"] = name_of(*scored_on);
    if constexpr (requires { result.symmetrized; })
        if (files.affinities.size() > 0) report["symmetrized"] = result.symmetrized;
    if (result.start_scale != 1) report["start_scale"] = result.start_scale;
    if (result.device == Device::cuda) report["grid_strays"] = result.strays;
    for (const fs::path& log : watching.write_log(report, stem_of(command.input))) written.push_back(log);
    return watching.stay(finish(command.common, report, written, result.stopped, [&] { print_quality(quality); }));
}

}  // namespace dunlin::app

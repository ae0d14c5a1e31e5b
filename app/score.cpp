// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <dunlin/check.hpp>
#include <dunlin/coincident.hpp>
#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/labels.hpp>
#include <dunlin/reliability.hpp>
#include <dunlin/tsne.hpp>

#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#include "matched.hpp"
#include "network.hpp"
#include "per_point.hpp"
#include "report.hpp"
#include "say.hpp"
#include "scores.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

/// Options of the affinities of kl.
struct KlOptions {
    float perplexity = 30;
    neighbors::Method neighbors = neighbors::Method::automatic;
    bool no_kl = false;
};

template <class Visit>
void fields(Visit&& visit, KlOptions& o) {
    visit(field("perplexity", o.perplexity, "of the affinities that kl compares with").at_least(1));
    visit(field("neighbors", o.neighbors, "neighbor search for kl, or a graph file").or_file());
    visit(field("no-kl", o.no_kl, "leave out t-SNE's cost, which needs 3 * perplexity neighbors of every point"));
}

struct ScoreCommand {
    std::vector<fs::path> maps;
    fs::path input, curve, per_point;
    std::string basis;  ///< name of the map in an .h5ad
    CommonOptions common;
    scores::Options options;
    scores::LayoutOptions layout;
    scores::Extent scores = scores::Extent::sampled;
    io::NetworkOptions network;
    KlOptions kl;
    reliability::Options reliability;
    Files files;
    const CLI::App *points_flags = nullptr, *graph_flags = nullptr, *per_point_flags = nullptr;
};

/// The perplexity of the affinities of n points: --perplexity, or what so few points allow.
float perplexity_of(const ScoreCommand& command, Index n) {
    return std::min(command.kl.perplexity, std::max(static_cast<float>(n - 1) / 3.0F, 1.0F));
}

bool needs_affinities(const ScoreCommand& command) {
    return command.scores != scores::Extent::none && !command.kl.no_kl &&
           command.reliability.method == reliability::Method::tsne;
}

/// The neighbors of the affinities and of --per-point; empty if neither is requested.
Graph neighbors_of(const ScoreCommand& command, const io::Points& points) {
    const auto view = points.values.view();
    const Index n = view.rows;
    if ((!needs_affinities(command) && command.per_point.empty()) || n < 2) return {};
    if (const fs::path file = file_of(command.files, "neighbors"); !file.empty())
        return matched_graph(command.common, file, rows_of(command.input, points));
    const auto k = std::min(n - 1, static_cast<Index>(std::ceil(3.0F * perplexity_of(command, n))));
    return neighbors::search(view, {.k = k, .metric = command.options.metric, .method = command.kl.neighbors},
                             command.common.run)
        .graph;
}

/// Affinities at --perplexity, computed for every map in the same way; empty if kl is not requested.
Graph affinities_of(const ScoreCommand& command, const Graph& neighbors) {
    if (!needs_affinities(command) || neighbors.size() < 2) return {};
    return tsne::affinities(neighbors, perplexity_of(command, neighbors.size()), command.common.run);
}

/// Diagnoses the points of the map and writes --per-point.
reliability::Result diagnose(const ScoreCommand& command, const io::Points& points, const Map& map,
                             const Graph& neighbors) {
    reliability::Options options = command.reliability;
    options.metric = command.options.metric;
    options.search = command.kl.neighbors;
    if (options.method == reliability::Method::tsne) options.perplexity = perplexity_of(command, map.size());
    // Lists that are too short for --ranks are not those of a file: they are searched again
    const bool reaches = neighbors.size() > 0 && (command.files.contains("neighbors") || !options.ranks ||
                                                  Offset{*options.ranks} * map.size() <= neighbors.edges());
    return reliability::evaluate(map, points.values.view(), options, command.common.run,
                                 {reaches ? &neighbors : nullptr});
}

/// The scores of one map, or of each map under its path.
void print_summary(const ScoreCommand& command, const Json& quality) {
    if (command.maps.size() == 1) return print_quality(quality);
    for (const Json& one : quality.at("maps")) {
        put("{}\n", one.at("map").get<std::string>());
        print_quality(one);
    }
}

/// Where scores ran, and their peak memory of a GPU.
struct ScoredOn {
    Device device = Device::cpu;
    std::uint64_t gpu_memory = 0;
};

/// Ends the command.
template <class Options>
int finish_scores(const ScoreCommand& command, const ScoredOn& where, const Json& input, const Options& options,
                  const Json& more, const Json& quality, const StageSeconds& spent,
                  const std::vector<fs::path>& written, const Seconds& seconds = {}) {
    const Run& run = command.common.run;
    Outcome<Options> scored{.options = options,
                            .device = where.device,
                            .gpus = where.device == Device::cuda ? std::vector{run.gpu()} : std::vector<int>{},
                            .threads = threads_of(run),
                            .seed = run.seed,
                            .gpu_memory = where.gpu_memory,
                            .stopped = Stopped::converged,
                            .engines = {},
                            .seconds = seconds,
                            .varies_because = {},
                            .checkpoint = {}};
    if (run.stop.stop_requested()) scored.stopped = Stopped::cancelled;
    Json guessed = input;
    put_guess(guessed, command.common.guess);
    Outcome<Json> outcome = outcome_as_json(scored);
    outcome.options.update(more);
    outcome.options["scores"] = std::string(name_of(command.scores));
    Json& paths = outcome.options["map"];
    for (const fs::path& map : command.maps) paths.push_back(map.string());
    if (paths.size() == 1) paths = Json(paths.front());
    return finish(command.common, report_of({"score", "score", guessed}, outcome, spent, quality), written,
                  scored.stopped, [&] { print_summary(command, quality); });
}

/// The scores of one map; of several, a list with the path of each.
Json quality_of(const ScoreCommand& command, std::vector<Json> each) {
    if (each.size() == 1) return each.front();
    Json all{{"maps", Json::array()}};
    for (std::size_t m = 0; m < each.size(); ++m) {
        Json one{{"map", command.maps[m].string()}};
        one.update(each[m]);
        all["maps"].push_back(one);
    }
    return all;
}

/// Writes R_NX(K) of every map: a row per K = 1 .. n - 2. False if a stop left it out.
bool write_curve(const ScoreCommand& command, std::span<const scores::Scores> scores) {
    if (scores.front().rnx_curve.empty()) {
        if (command.common.run.stop.stop_requested()) return false;
        throw Error(Fault::bad_input, "--curve: a map of fewer than 3 points has no curve; leave it out");
    }
    std::string text = "k";
    for (std::size_t m = 1; m <= scores.size(); ++m) text += scores.size() == 1 ? ",r_nx" : fmt::format(",r_nx_{}", m);
    text += '\n';
    for (std::size_t k = 0; k < scores.front().rnx_curve.size(); ++k) {
        text += std::to_string(k + 1);
        for (const scores::Scores& one : scores) text += fmt::format(",{:.9g}", one.rnx_curve[k]);
        text += '\n';
    }
    io::write_text(command.curve, text);
    return true;
}

io::MapFile read_map(const ScoreCommand& command, const fs::path& path) {
    io::MapFile file = io::read_map(path, command.common.run);
    require_read(command.common, file.map.size() == 0);
    print_notes(command.common, path, file.notes);
    return file;
}

/// --array is of --of; of the maps where that file has no several arrays.
void settle_array(ScoreCommand& command) {
    constexpr std::string_view of_arrays[] = {".npz", ".safetensors", ".h5", ".hdf5"};
    std::string& array = command.common.read.array;
    const bool is_of_maps = std::ranges::any_of(command.maps, is_annotated);
    if (array.empty() || !is_of_maps) return;
    if (is_annotated(command.input)) {
        say(command.common,
            fmt::format("--array {} names the points; {}:NAME names a map", array, command.maps.front().string()));
    } else if (std::ranges::find(of_arrays, command.input.extension().string()) == std::end(of_arrays)) {
        for (fs::path& map : command.maps) map = array_of_map(map, array);
        array.clear();
    }
}

/// Throws for a map that is the points themselves.
void require_other_matrix(const ScoreCommand& command, const fs::path& path, const io::MapFile& map,
                          const io::Points& points) {
    std::error_code none;
    if (map.array.empty() || map.array != points.array) return;
    if (!fs::equivalent(io::split_file_column(path.string()).file, command.input, none)) return;
    throw Error(Fault::bad_input, fmt::format("{} and --of {} are the same matrix, {}; name the points by --array",
                                              path.string(), command.input.string(), map.array));
}

/// Leaves kl out where a map has more than 3 dimensions, with a line.
void settle_kl(ScoreCommand& command, std::span<const Map> maps) {
    const auto wide = std::ranges::find_if(maps, [](const Map& map) { return map.dim > 3; });
    if (wide == maps.end() || !needs_affinities(command)) return;
    say(command.common, fmt::format("kl is left out: {} has {} dimensions, and t-SNE's cost is of 1 to 3",
                                    command.maps[static_cast<std::size_t>(wide - maps.begin())].string(), wide->dim));
    command.kl.no_kl = true;
}

int score_map(ScoreCommand& command) {
    prepare(command.common);
    settle_array(command);
    Stopwatch watch;
    io::Points points = read_input(command.input, command.common, offsets_of(command.options.metric));
    std::vector<Map> maps;
    std::vector<std::string> ids;  // of the last map that has some
    for (const fs::path& path : command.maps) {
        io::MapFile file = read_map(command, path);
        require_other_matrix(command, path, file, points);
        file = matched_map(command.common, std::move(file), path, rows_of(command.input, points));
        if (points.labels.empty()) {
            points.labels = file.labels;
            note_unlabeled(points.labels, points.notes);
        }
        if (!file.ids.empty()) ids = file.ids;
        maps.push_back(std::move(file.map));
    }
    StageSeconds spent{.read = watch.lap()};

    for (std::size_t m = 0; m < maps.size(); ++m) {
        const std::string coincident = scores::sentence_of_coincident(maps[m]);
        if (!coincident.empty()) say(command.common, fmt::format("{}: {}", command.maps[m].string(), coincident));
    }
    settle_kl(command, maps);
    const Graph neighbors = neighbors_of(command, points);
    const std::vector<scores::Scores> scores =
        scores::evaluate(maps, points.values.view(), affinities_of(command, neighbors), points.labels, command.options,
                         command.common.run);
    std::vector<Json> each;
    each.reserve(scores.size());
    for (const scores::Scores& one : scores) each.push_back(scores_as_json(one));
    Json options = fields_as_json(command.kl, command.files);
    reliability::Result diagnosis;
    if (!command.per_point.empty()) {
        diagnosis = diagnose(command, points, maps.front(), neighbors);
        put_summary(each.front(), diagnosis);
        options.update(fields_as_json(diagnosis.options, command.files));
        warn_of_motion(command.common, command.maps.front(), diagnosis);
    }
    spent.score = watch.lap();
    std::vector<fs::path> written;
    if (!command.curve.empty())
        add_output(command.common, written, command.curve, [&] { return write_curve(command, scores); });
    if (!command.per_point.empty()) {
        add_output(command.common, written, command.per_point,
                   [&] { write_columns(command.per_point, diagnosis.columns, points.ids.empty() ? ids : points.ids); });
    }
    const Json quality = quality_of(command, std::move(each));
    spent.write = watch.lap();
    spent.total = watch.total();
    const ScoredOn where{scores.front().device, scores.front().gpu_memory};
    return finish_scores(command, where, input_of(command.input, points), command.options, options, quality, spent,
                         written, diagnosis.seconds);
}

int score_layout(ScoreCommand& command) {
    prepare(command.common);
    Stopwatch watch;
    command.network.decimal = command.common.read.decimal;
    command.network.lengths = command.layout.lengths;
    const io::Network network = read_as_guessed(command.common, command.input, [&] {
        const WhileReading reading;
        return io::read_network(command.input, command.network, command.common.run);
    });
    require_read(command.common, network.graph.size() == 0);
    print_notes(command.common, command.input, network);
    std::vector<Map> maps;
    maps.reserve(command.maps.size());
    for (const fs::path& path : command.maps)
        maps.push_back(in_order_of(command.common, read_map(command, path), path, network, command.input).map);
    StageSeconds spent{.read = watch.lap()};
    std::vector<Json> each;
    each.reserve(maps.size());
    for (const Map& map : maps) each.push_back(evaluate_layout(network.graph, map, command.layout, command.common.run));
    const Json quality = quality_of(command, std::move(each));
    spent.score = watch.lap();
    spent.total = watch.total();
    return finish_scores(command, {}, input_of(command.input, network), command.layout, fields_as_json(command.network),
                         quality, spent, {});
}

/// Sets sizes that are not given to those of a thorough score.
void settle_sizes(ScoreCommand& command, bool graph) {
    graph ? options::check(command.layout) : options::check(command.options);
    if (command.scores != scores::Extent::sampled) return;
    const scores::Options points = scores::thorough();
    for (const auto size : {&scores::Options::exact_rows, &scores::Options::exact_votes, &scores::Options::sample})
        if (!(command.options.*size)) command.options.*size = points.*size;
    const scores::LayoutOptions drawing = scores::thorough_layout();
    if (!command.layout.exact_sources) command.layout.exact_sources = drawing.exact_sources;
    if (!command.layout.exact_edges) command.layout.exact_edges = drawing.exact_edges;
    if (!command.layout.exact_neighborhoods) command.layout.exact_neighborhoods = drawing.exact_neighborhoods;
    if (!command.layout.exact_angles) command.layout.exact_angles = drawing.exact_angles;
}

/// Throws for flags of --per-point without it, and for a file that cannot hold its table.
void check_per_point(const ScoreCommand& command) {
    if (command.per_point.empty()) {
        for (const CLI::Option* option : command.per_point_flags->get_options()) {
            if (option->count() == 0) continue;
            throw Error(Fault::bad_input,
                        fmt::format("{} is for --per-point FILE; give the file, or leave it out", option->get_name()));
        }
        return;
    }
    constexpr std::string_view tables[] = {".csv", ".tsv"};
    require_output("--per-point", command.per_point, "a table of points is", tables);
    if (command.maps.size() > 1) {
        throw Error(Fault::bad_input, fmt::format("--per-point is of one map, and {} are given; score them one by one",
                                                  command.maps.size()));
    }
    options::check(command.reliability);
}

/// --basis is of the maps in .h5ad files.
void settle_basis(ScoreCommand& command) {
    if (command.basis.empty()) return;
    if (std::ranges::none_of(command.maps, is_annotated))
        throw Error(Fault::bad_input,
                    fmt::format("--basis is {}, and {} is no .h5ad with several maps; leave --basis out", command.basis,
                                command.maps.front().string()),
                    {.option = "basis"});
    for (fs::path& map : command.maps)
        if (is_annotated(map)) map = array_of_map(map, command.basis);
}

/// Scores by the kind of --of. Throws for flags of the other kind.
int score(ScoreCommand& command) {
    settle_basis(command);
    std::vector<fs::path> read = command.maps;
    read.insert(read.end(), {command.input, file_of(command.files, "neighbors")});
    require_apart(read, command.common, {{"--curve", command.curve}, {"--per-point", command.per_point}});
    check_per_point(command);
    settle_holds(command.common, command.input);
    const bool graph = command.common.guess.holds == io::Holds::graph;
    if (command.common.guess.holds == io::Holds::dissimilarities) {
        throw Error(
            Fault::bad_input,
            fmt::format("--of {} holds dissimilarities, whose maps dunlin mds scores itself; say --holds points "
                        "if its rows are points",
                        command.input.string()));
    }
    std::vector<const CLI::Option*> others = (graph ? command.points_flags : command.graph_flags)->get_options();
    if (graph) {
        const auto more = command.per_point_flags->get_options();
        others.insert(others.end(), more.begin(), more.end());
    }
    for (const CLI::Option* option : others) {
        if (option->count() == 0) continue;
        throw Error(Fault::bad_input,
                    fmt::format("{} is for {}, and {} is read as {}; leave it out, or say --holds {}",
                                option->get_name(), graph ? "points" : "graphs", command.input.string(),
                                graph ? "a graph" : "points", graph ? "points" : "graph"));
    }
    if (command.scores == scores::Extent::none && (command.per_point.empty() || !command.curve.empty())) {
        throw Error(Fault::bad_input, command.curve.empty()
                                          ? "--scores none leaves dunlin score nothing to do; use sampled or full"
                                          : "--scores none leaves nothing for --curve; use sampled or full");
    }
    command.options.extent = command.layout.extent = command.scores;
    settle_sizes(command, graph);
    return graph ? score_layout(command) : score_map(command);
}

}  // namespace

void add_score(CLI::App& app, Action& action) {
    auto command = std::make_shared<ScoreCommand>();
    CLI::App* sub = app.add_subcommand("score", "scores of a map, made by dunlin or another program");
    sub->add_option("MAP", command->maps,
                    "the map: " + formats::help_of(formats::map) + "; several are compared in one pass")
        ->required();
    sub->add_option("--basis", command->basis, "name of the map in an .h5ad with several: tsne is obsm/X_tsne")
        ->type_name("NAME");
    sub->add_option("--of", command->input, "the points or the graph it was made from")->required();
    add_flags(*sub, command->common.read,
              {"labels", "ids", "transpose", "array", "columns", "drop-rows-with-gaps", "fill", "text"});
    add_common_flags(*sub, command->common, false);
    add_scores_flag(*sub, command->scores);
    CLI::App* points = sub->add_option_group("points", "of points");
    command->points_flags = points;
    add_flags(*points, command->common.read, {"holds", "decimal"});
    add_normalize_flag(*points, command->common);
    add_flags(*points, command->options, {"scores"});
    points->add_option("--curve", command->curve, "write the neighbors kept at every scale, k and R_NX(k), as CSV");
    add_flags(*points, command->kl, {}, &command->files);
    points->add_option("--per-point", command->per_point,
                       "write how far each point can be trusted (kl, intruders, lost, singularity, home, gap), .csv or "
                       ".tsv");
    CLI::App* per_point = points->add_option_group("per point", "of --per-point");
    command->per_point_flags = per_point;
    add_flags(*per_point, command->reliability, {"perplexity", "metric", "neighbors", "recall"});
    CLI::App* graph = sub->add_option_group("graph", "of a graph");
    command->graph_flags = graph;
    add_flags(*graph, command->network, {"labels", "decimal"});
    add_flags(*graph, command->layout, {"scores"});
    sub->callback([&action, command] { action = [command] { return score(*command); }; });
}

}  // namespace dunlin::app

// SPDX-License-Identifier: Apache-2.0
#include <dunlin/mds.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <dunlin/arrays.hpp>
#include <dunlin/check.hpp>
#include <dunlin/error.hpp>
#include <dunlin/known_pairs.hpp>
#include <dunlin/map_origin.hpp>
#include <dunlin/partial_map.hpp>
#include <dunlin/shepard.hpp>
#include <dunlin/square.hpp>

#include "colors.hpp"
#include "commands.hpp"
#include "dissimilarities.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "item_names.hpp"
#include "matched.hpp"
#include "network.hpp"
#include "report.hpp"
#include "say.hpp"
#include "streams.hpp"
#include "watch.hpp"

namespace dunlin::app {

namespace {

struct MdsCommand {
    std::string name = "mds";
    fs::path input;
    CommonOptions common;
    InputOptions reading;
    mds::Options options;
    mds::StressOptions stress;
    picture::Options picture;
    std::string fixed, weights_file;
    Files files;
    Matrix weights;  ///< contents of weights_file
    fs::path per_point, shepard;
};

/// What lines call an item: its id, or its row from 0.
auto names_of_rows(const std::vector<std::string>& ids) {
    return [&ids](Index row) {
        return ids.empty() ? fmt::format("row {}", row) : fmt::format("'{}'", ids[static_cast<std::size_t>(row)]);
    };
}

mds::Result place(MdsCommand& command, const Input& input) {
    const CommonOptions& common = command.common;
    const io::NamedRows rows{command.input.string(), input.items.size(), input.about.ids};
    Map start, fixed;
    mds::Given given;
    io::CommonOrigin origin;
    if (!command.fixed.empty()) {
        const io::MapFile some = io::read_partial_map(command.fixed, common.run);
        require_read(common, some.map.size() == 0);
        print_notes(common, command.fixed, some.notes);
        fixed = map_of_some(common, "--fixed", some, command.fixed, rows);
        given.fixed = &fixed;
        origin.take(fixed);
    }
    if (const fs::path path = file_of(command.files, "start"); !path.empty()) {
        io::MapFile file = io::read_map(path, common.run, origin.given());
        origin.take(file.map);
        require_read(common, file.map.size() == 0);
        print_notes(common, path, file.notes);
        start = matched_map(common, std::move(file), path, rows).map;
        given.start = &start;
    }
    if (!command.weights_file.empty()) {
        command.weights = matched_square(common, command.weights_file, rows);
        given.weights = &command.weights;
    }
    mds::Result result = mds::place(input.items, command.options, run_of_method(command.common), given);
    result.map.origin = origin.of_result();
    for (const std::string& sentence :
         mds::sentences_of(mds::open_places(input.items, result.map.dim, given), names_of_rows(input.about.ids)))
        say(common, fmt::format("{}: {}", command.input.string(), sentence));
    return result;
}

/// A picture, or a table of the pairs.
void require_diagram(const fs::path& path) {
    const std::string extension = path.extension().string();
    if (extension == ".csv" || extension == ".tsv")
        require_table("--shepard", path);
    else
        require_picture("--shepard", path);
}

/// Puts a score unless it is NaN, which means that a stop omitted it.
void put_known(Json& quality, const std::string& key, scores::Score score) {
    if (std::isfinite(score.value)) put_score(quality, key, score);
}

/// Stress after the transform, of the map and of classical scaling. Other stresses do not apply, because the scale of
/// the map is arbitrary.
void put_transformed_stress(Json& quality, const MdsCommand& command, const mds::Dissimilarities& items,
                            const mds::Result& result, const Run& run) {
    const mds::Transform transform = result.options.transform;
    std::string name(name_of(transform));
    std::replace(name.begin(), name.end(), '-', '_');
    const Matrix* weights = command.weights_file.empty() ? nullptr : &command.weights;
    const auto put = [&](const Map& map, std::string_view of) {
        put_known(quality, fmt::format("stress1_{}{}", name, of),
                  {mds::transformed_stress1(items, map, transform, weights, run), 0});
    };
    put(result.map, "");
    if (items.missing() > 0 || items.size() < 2) return;
    const mds::Result axes = mds::place(items, {.dim = result.map.dim, .method = mds::Method::classical}, run);
    if (axes.stopped != Stopped::cancelled) put(axes.map, "_classical");
}

/// Whether classical scaling is as cheap as a score: for points by their principal axes, else for few items.
bool has_axes(const mds::Dissimilarities& items) {
    constexpr Index most = 10000;
    const bool cheap = items.metric() == neighbors::Metric::euclidean || items.size() <= most;
    return cheap && items.missing() == 0 && items.size() > 1 && items.on_demand() == nullptr;
}

/// The stress of the map, and for comparison those of classical scaling and of a regular simplex.
Json quality_of(const MdsCommand& command, const mds::Dissimilarities& items, const mds::Result& result) {
    auto quality = Json::object();
    if (command.stress.extent == scores::Extent::none || result.stopped == Stopped::cancelled) return quality;
    Run run = on_first_gpu(command.common.run);
    run.on_progress = {};
    if (result.options.transform != mds::Transform::ratio) {
        put_transformed_stress(quality, command, items, result, run);
        return quality;
    }
    const mds::Stress stress = mds::stress(items, result.map, command.stress, run);
    put_known(quality, "normalized_stress", stress.normalized_stress);
    put_known(quality, "map_normalized_stress", stress.map_normalized_stress);
    put_known(quality, "stress1", stress.stress1);
    put_known(quality, "scaled_stress1", stress.scaled_stress1);
    if (!command.weights_file.empty() && items.on_demand() == nullptr) {
        put_known(quality, "normalized_stress_weighted",
                  {mds::weighted_stress(items, result.map, command.weights, run), 0});
    }
    if (run.stop.stop_requested()) return quality;  // without the comparisons
    if (has_axes(items)) {
        const mds::Result axes = mds::place(items, {.dim = result.map.dim, .method = mds::Method::classical}, run);
        if (axes.stopped == Stopped::cancelled) return quality;
        put_known(quality, "normalized_stress_classical",
                  mds::stress(items, axes.map, command.stress, run).normalized_stress);
    }
    put_known(quality, "normalized_stress_simplex", {mds::simplex_stress(items.size(), result.map.dim, run), 0});
    return quality;
}

/// The colors of the items, matched by id.
PictureColors colors_of(MdsCommand& command, const Input& input) {
    const std::vector<ColorChoice> choices =
        color_of(command.common, command.input, command.common.read.labels, command.picture);
    if (!input.network) {
        refuse_graph_colors(choices, command.input);
        refuse_graph_style(command.picture, command.input);
    }
    return colors_of(command.common, choices, {command.input.string(), input.items.size(), input.about.ids},
                     input.about.labels);
}

std::string title_of(const MdsCommand& command, Index items, const Json& quality) {
    std::string title = fmt::format("MDS of {}, {} items", stem_of(command.input), items);
    if (quality.contains("normalized_stress"))
        title += fmt::format(", stress {:.3g}", quality["normalized_stress"].get<double>());
    return title;
}

/// Returns the files written; a stop omits pictures.
std::vector<fs::path> write_outputs(const MdsCommand& command, const std::vector<fs::path>& paths, const Input& input,
                                    const PictureColors& colors, const Map& map, const Json& quality) {
    picture::Options style = command.picture;
    if (style.title.empty()) style.title = title_of(command, map.size(), quality);
    const Run run = run_of_picture(command.common);
    const std::vector<std::string>& ids = input.network ? input.network->ids : input.about.ids;
    std::vector<fs::path> written;
    for (const fs::path& path : paths) {
        add_output(command.common, written, path, [&] {
            if (is_picture(path))
                return draw(path, colors, input.network ? input.network->graph : Graph{}, map, ids, style, run);
            if (input.network)
                write_drawing(path, *input.network, map);
            else
                write_map_file(command.common, path, input.about, map, command.input, "mds");
            return true;
        });
    }
    return written;
}

/// Writes the file of --per-point; false if a stop left it out.
bool write_per_point(const MdsCommand& command, const Input& input, const Map& map, const Run& run) {
    const std::vector<double> stress = mds::stress_per_point(input.items, map, command.stress, run);
    if (run.stop.stop_requested()) return false;
    io::write_columns(command.per_point, {{"stress"}, {stress}}, input.about.ids);
    return true;
}

/// Writes the file of --shepard; false if a stop left it out.
bool write_shepard(const MdsCommand& command, const Input& input, const mds::Result& result, const Run& run) {
    const mds::ShepardPairs pairs =
        mds::shepard_pairs(input.items, result.map, mds::most_drawn_pairs, command.stress, run);
    const Matrix* weights = command.weights_file.empty() ? nullptr : &command.weights;
    const mds::ShepardFit fit = mds::shepard_fit(pairs, result.options.transform, weights);
    if (run.stop.stop_requested()) return false;
    if (!is_picture(command.shepard)) {
        mds::write_shepard(command.shepard, pairs, fit, input.about.ids);
        return true;
    }
    picture::Options style = command.picture;
    style.title = fmt::format("{}: {}", stem_of(command.input), mds::shepard_title(pairs, fit, input.items.size()));
    return picture::draw(command.shepard, mds::shepard_scatter(pairs, fit, input.about.ids), style, run);
}

/// Writes the files of --per-point and --shepard, and adds them to `written`.
void write_diagnoses(const MdsCommand& command, const Input& input, const mds::Result& result,
                     std::vector<fs::path>& written) {
    Run run = on_first_gpu(command.common.run);
    run.on_progress = {};
    run.device = Device::automatic;  // neither is available on a GPU
    if (!command.per_point.empty())
        add_output(command.common, written, command.per_point,
                   [&] { return write_per_point(command, input, result.map, run); });
    if (!command.shepard.empty() && !run.stop.stop_requested())
        add_output(command.common, written, command.shepard,
                   [&] { return write_shepard(command, input, result, run); });
}

Json json_of(const mds::DistanceUsage& distances) {
    return {{"requested", distances.requested},
            {"computed", distances.computed},
            {"share", distances.share},
            {"exhausted", distances.exhausted}};
}

Json input_of(const MdsCommand& command, const Input& input) {
    Json json = app::input_of(command.input, input.about);
    json["rows"] = input.items.size();
    json["missing"] = input.items.missing();
    if (input.network) json["edges"] = input.network->graph.edges() / 2;
    if (input.network) put_notes(json, *input.network);
    put_guess(json, command.common.guess);
    return json;
}

Json report_on(const MdsCommand& command, const Input& input, const mds::Result& result, const Json& quality,
               const StageSeconds& spent) {
    Outcome<Json> outcome = outcome_as_json(result, command.files);
    outcome.options["scores"] = std::string(name_of(command.stress.extent));
    put_input_options(outcome.options, command.reading, input);
    const std::string method(name_of(result.options.method));
    Json report = report_of({command.name, method, input_of(command, input)}, outcome, spent, quality);
    if (input.items.on_demand() != nullptr) report["distances"] = json_of(input.items.usage());
    put_device_of_distances(report, input);
    if (result.options.starts) {
        report["starts"] = {
            {"tried", result.starts.tried}, {"won", result.starts.won}, {"from", name_of(result.starts.from)}};
    }
    return report;
}

/// Prints stresses with significant digits.
void print_stress(const Json& quality) {
    for (const auto& [key, value] : quality.items()) {
        if (key.ends_with("_se")) continue;
        const std::string se =
            quality.contains(key + "_se") ? fmt::format(" +- {:.1g}", quality[key + "_se"].get<double>()) : "";
        put("{:<27} {:.4g}{}\n", key, value.get<double>(), se);
    }
}

/// Prints the number of distances that were computed, or read from a matrix in its file, and whether the limit was
/// reached.
void print_distances(const mds::Dissimilarities& items) {
    if (items.on_demand() == nullptr) return;
    const mds::DistanceUsage distances = items.usage();
    put("distances: {} {}, {:.3g}% of all{}\n", distances.computed, items.values().rows() > 0 ? "read" : "computed",
        100 * distances.share, distances.exhausted ? "; the budget is spent" : "");
}

int scale(MdsCommand& command) {
    prepare(command.common);
    options::check(command.stress);
    const Inputs inputs{command.input, file_of(command.files, "start"), command.fixed, command.weights_file};
    const std::vector<fs::path> paths = outputs_of(command.common, inputs, true);
    if (!command.per_point.empty()) require_table("--per-point", command.per_point);
    if (!command.shepard.empty()) require_diagram(command.shepard);
    std::vector<Output> all = as_outputs(paths);
    all.push_back({"--per-point", command.per_point});
    all.push_back({"--shepard", command.shepard});
    require_apart(inputs, command.common, all);
    Stopwatch watch;
    const Input input = read_dissimilarities(command.input, command.reading, command.common);
    const PictureColors colors = colors_of(command, input);
    outputs_of(command.common, inputs,
               input.network && command.options.dim <= 3);  // graph formats have at most three coordinates
    read_item_names(command.common, command.picture, {command.input.string(), input.items.size(), input.about.ids},
                    input.network ? input.network->names : std::vector<std::string>());
    StageSeconds spent{.read = watch.lap()};
    const Graph no_edges;
    WatchedPoints watched{input.items.size(), input.about.ids, colors.values ? input.about.labels : colors.labels,
                          input.network ? input.network->graph : no_edges};
    if (input.items.has_points() && input.items.metric()) {
        watched.data = input.items.values();
        watched.metric = *input.items.metric();
    }
    Watch watching(command.common, watched, command.picture, title_of(command, input.items.size(), {}));
    const mds::Result result = place(command, input);
    watch.lap();
    const Json quality = quality_of(command, input.items, result);
    spent.score = watch.lap();
    std::vector<fs::path> written;
    if (result.map.size() == input.items.size()) {  // else stopped before there was a map
        written = write_outputs(command, paths, input, colors, result.map, quality);
        write_diagnoses(command, input, result, written);
        watching.finish(result.map, title_of(command, result.map.size(), quality));
    }
    spent.write = watch.lap();
    spent.total = watch.total();
    Json report = report_on(command, input, result, quality, spent);
    for (const fs::path& log : watching.write_log(report, stem_of(command.input))) written.push_back(log);
    return watching.stay(finish(command.common, report, written, result.stopped, [&] {
        print_stress(quality);
        print_distances(input.items);
    }));
}

}  // namespace

int scale_matrix(const fs::path& input, const CommonOptions& common, const picture::Options& picture, int dim,
                 scores::Extent scores) {
    MdsCommand command;
    command.name = "map";
    command.input = input;
    command.common = common;
    command.options.dim = dim;
    command.picture = picture;
    command.stress.extent = scores;
    return scale(command);
}

void add_mds(CLI::App& app, Action& action) {
    auto command = std::make_shared<MdsCommand>();
    CLI::App* sub = app.add_subcommand(
        "mds", "a map by multidimensional scaling, of points, dissimilarities, strings, tracks or a graph");
    sub->add_option("INPUT", command->input, dissimilarities_help())->required();
    add_common_flags(*sub, command->common);
    add_read_flags(*sub, command->common);
    add_input_flags(*sub, command->reading);
    add_flags(*sub, command->options, {}, &command->files);
    add_checkpoint_flags(*sub, command->common);
    add_watch_flags(*sub, command->common);
    sub->add_option(
           "--fixed", command->fixed,
           "dunlin, smacof: a map of some of the items, which are fixed there; matched by id, else INPUT's first "
           "rows")
        ->type_name("FILE");
    sub->add_option("--weights", command->weights_file, "dunlin, smacof: file with a square matrix of weights")
        ->type_name("FILE");
    add_flags(*sub, command->stress);
    add_picture_flags(*sub, command->picture, command->common);
    sub->add_option("--per-point", command->per_point, "write the stress of each item: .csv .tsv .npy")
        ->type_name("FILE");
    sub->add_option("--shepard", command->shepard,
                    "the Shepard diagram with its fitted line: .png .svg .pdf .html; its pairs: .csv .tsv")
        ->type_name("FILE");
    sub->callback([&action, command] { action = [command] { return scale(*command); }; });
}

}  // namespace dunlin::app

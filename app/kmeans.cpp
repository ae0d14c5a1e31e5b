// SPDX-License-Identifier: Apache-2.0
#include <dunlin/distinct.hpp>
#include <dunlin/kmeans.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <dunlin/error.hpp>

#include "colors.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "flags.hpp"
#include "matched.hpp"
#include "report.hpp"
#include "say.hpp"
#include "streams.hpp"

namespace dunlin::app {

namespace {

/// Options of the command beyond those of the library.
struct KmeansExtras {
    std::optional<std::string> from, weights;
    std::optional<Index> up_to;
    std::optional<kmeans::Criterion> criterion;
};

template <class Visit>
void fields(Visit&& visit, KmeansExtras& o) {
    visit(field("from", o.from, "centroids to start from; with --iterations 0 points are assigned to them"));
    visit(field("weights", o.weights, "a file with one weight a row, or FILE:COLUMN"));
    visit(
        field("up-to", o.up_to, "try all numbers of clusters from --clusters to this, and keep the best by --criterion")
            .at_least(1));
    visit(field("criterion", o.criterion, "with --up-to: criterion that selects the best number")
              .otherwise(kmeans::Criterion::bic));
}

struct KmeansCommand {
    fs::path input;
    CommonOptions common;
    kmeans::Options options;
    KmeansExtras extras;
    std::string centroids;
    std::vector<kmeans::Choice::Tried> curve;  ///< empty: --clusters is a single number
    std::string last_tried;                    ///< kmeans::sentence_of_choice
};

/// Reads initial centroids, or centroids to assign points to (`only_assigns`; then there may be fewer points), and
/// puts them into the frame of the points: their shift and scales.
std::vector<float> read_in_frame(const KmeansCommand& command, const io::Points& frame, bool only_assigns,
                                 Index& rows) {
    const fs::path path = *command.extras.from;
    CommonOptions common = command.common;
    common.read = {};
    common.read.shift = frame.shift;
    common.guess = {};
    const io::Points file = read_input_like(path, common, command.input, frame.columns);
    const MatrixView<const float> values = file.values.view();
    if (values.cols != frame.values.cols()) {
        throw Error(Fault::bad_file, fmt::format("{} has {} columns and the points have {}; they must be the same",
                                                 path.string(), values.cols, frame.values.cols()));
    }
    if (values.rows > frame.values.rows() && !only_assigns) {
        throw Error(Fault::bad_file, fmt::format("{} has {} centroids, but there are {} points; it must have at most "
                                                 "that many; with --iterations 0 they may be more",
                                                 path.string(), values.rows, frame.values.rows()));
    }
    require_up_to(kmeans::largest_number, path, file);
    std::vector<float> moved;
    for (Index r = 0; r < values.rows; ++r) {
        for (Index c = 0; c < values.cols; ++c) {
            const auto at = static_cast<std::size_t>(c);
            const double offset = file.shift.empty() ? 0 : file.shift[at];
            const double less = frame.shift.empty() ? 0 : frame.shift[at],
                         by = frame.scale.empty() ? 1 : frame.scale[at];
            moved.push_back(static_cast<float>((static_cast<double>(values(r, c)) + (offset - less)) * by));
        }
    }
    rows = values.rows;
    return moved;
}

std::vector<float> read_weights(const KmeansCommand& command, const io::Points& points) {
    const io::FileColumn column = column_named("--weights", *command.extras.weights);
    const auto refuse = [&](const std::string& why) {
        throw Error(Fault::bad_file, fmt::format("{}{}", column.file.string(), why));
    };
    const std::vector<double> read =
        matched_column(command.common, column, rows_of(command.input, points), io::Lonely::refused).values;
    std::vector<float> weights;
    for (std::size_t r = 0; r < read.size(); ++r) {
        if (!std::isfinite(read[r])) refuse(fmt::format(": the weight of row {} is missing; give it one", r + 1));
        weights.push_back(static_cast<float>(read[r]));
        if (weights.back() < 0) refuse(fmt::format(": row {} is {}; a weight is at least 0", r + 1, weights.back()));
    }
    if (std::none_of(weights.begin(), weights.end(), [](float weight) { return weight > 0; }))
        refuse(": all weights are 0; some row must count");
    return weights;
}

/// Workers of a cluster are reached from Python; this program opens no sockets.
[[noreturn]] void refuse_scheduler(const std::string& address) {
    throw Error(Fault::bad_input,
                fmt::format("--scheduler {} is for the command of the Python package: pip install 'dunlin-maps[dask]', "
                            "then its dunlin kmeans (docs/machines.md)",
                            address));
}

kmeans::Result cluster(KmeansCommand& command, const io::Points& points) {
    if (command.extras.up_to) {
        if (!command.extras.criterion) command.extras.criterion = kmeans::Criterion::bic;
        kmeans::Choice choice = kmeans::choose(points.values.view(), *command.extras.up_to, *command.extras.criterion,
                                               command.options, run_of_method(command.common));
        command.last_tried = kmeans::sentence_of_choice(choice, *command.extras.up_to);
        command.curve = std::move(choice.curve);
        return std::move(choice.best);
    }
    std::vector<float> centroids, weights;
    kmeans::Given given;
    const bool is_scaled = command.common.points.normalize != Normalize::none;
    if (is_scaled && command.extras.from && command.options.iterations == 0) {
        throw Error(
            Fault::bad_input,
            "--normalize scales these rows by themselves, and with --iterations 0 they are only assigned to the "
            "centroids, whose scales are not known; cluster the old and the new rows together, or leave it out",
            {.option = "normalize"});
    }
    if (is_scaled && command.extras.weights)
        say(command.common, "--normalize scales columns by all rows alike, whatever their weights");
    if (command.extras.from) {
        Index rows = 0;
        centroids = read_in_frame(command, points, command.options.iterations == 0, rows);
        command.options.clusters = rows;
        given.centroids = {centroids.data(), rows, points.values.cols()};
    }
    if (command.extras.weights) given.weights = weights = read_weights(command, points);
    return kmeans::cluster(points.values.view(), command.options, run_of_method(command.common), given);
}

Json report_on(const KmeansCommand& command, const io::Points& points, const kmeans::Result& result,
               const StageSeconds& spent) {
    Outcome<Json> outcome = outcome_as_json(result);
    outcome.options.update(fields_as_json(command.extras));
    if (command.extras.from) outcome.options["start"] = *command.extras.from;
    const std::string method(name_of(result.options.method));
    Json report =
        report_of({"kmeans", method, input_of(command.input, points)}, outcome, spent, {{"inertia", result.inertia}});
    report["counts"] = result.counts;
    const bool has_model = command.extras.up_to && *command.extras.criterion != kmeans::Criterion::silhouette;
    if (has_model) report["criterion_model"] = "spherical Gaussians of one variance";
    for (const auto& tried : command.curve) {
        report["curve"].push_back({{"clusters", tried.clusters},
                                   {"inertia", tried.inertia},
                                   {std::string(name_of(*command.extras.criterion)), tried.value}});
    }
    return report;
}

int write_kmeans(KmeansCommand& command) {
    prepare(command.common);
    std::vector<std::string> outputs = command.common.outputs;
    if (outputs.empty()) outputs = {stem_of(command.input) + ".clusters.csv"};
    if (command.centroids.empty()) command.centroids = stem_of(command.input) + ".centroids.csv";
    for (const std::string& output : outputs) require_table("--output", output);
    require_table("--centroids", command.centroids);
    std::vector<Output> all = as_outputs(outputs);
    all.push_back({"--centroids", command.centroids});
    require_apart({command.input, command.extras.from.value_or(""), command.extras.weights.value_or("")},
                  command.common, all);
    Stopwatch watch;
    const bool is_euclidean = command.options.metric == kmeans::Metric::euclidean;
    const io::Points points =
        read_input(command.input, command.common, is_euclidean ? ColumnOffsets::subtract : ColumnOffsets::keep);
    StageSeconds spent{.read = watch.lap()};
    const kmeans::Result result =
        blame_file(command.input, points, kmeans::largest_number, [&] { return cluster(command, points); });
    watch.lap();
    if (result.labels.empty()) return interrupted;  // stopped before the first assignment
    if (!command.last_tried.empty())
        say(command.common, fmt::format("{}: {}", command.input.string(), command.last_tried));
    say_if_few_distinct(command.common, command.input, distinct_rows(points.values.view(), result.options.clusters),
                        result.options.clusters, "clusters");
    std::vector<fs::path> written;
    for (const std::string& output : outputs)
        add_output(command.common, written, output, [&] { io::write_clusters(output, result.labels, points.ids); });
    add_output(command.common, written, command.centroids,
               [&] { io::write_points(command.centroids, in_units_of(points, result.centroids)); });
    spent.write = watch.lap();
    spent.total = watch.total();
    return finish(command.common, report_on(command, points, result, spent), written, result.stopped, [&] {
        for (const auto& tried : command.curve) {
            put("{:6} clusters, inertia {:.6g}, {} {}\n", tried.clusters, tried.inertia,
                name_of(*command.extras.criterion),
                std::isnan(tried.value) ? "none: no variance" : fmt::format("{:.6g}", tried.value));
        }
        const Seconds& seconds = result.seconds;
        put("{} clusters of {} points, inertia {:.6g}, {} after {} iterations, {:.2f} s\n", result.options.clusters,
            points.values.rows(), result.inertia, name_of(result.stopped), result.iterations,
            seconds["start"] + seconds["optimize"]);
    });
}

}  // namespace

void add_kmeans(CLI::App& app, Action& action) {
    auto command = std::make_shared<KmeansCommand>();
    command->common.refuses_dissimilarities = true;
    CLI::App* sub = app.add_subcommand("kmeans", "k-means clustering of points");
    add_points(*sub, "POINTS", command->input, command->common);
    add_flags(*sub, command->options);
    add_checkpoint_flags(*sub, command->common);
    sub->add_option("--centroids", command->centroids,
                    "output file of the centroids (default: POINTS' stem .centroids.csv)")
        ->type_name("FILE");
    add_flags(*sub, command->extras);
    sub->get_option("--from")->type_name("FILE");
    sub->get_option("--weights")->type_name("FILE|FILE:COLUMN");
    sub->add_option_function<std::string>("--scheduler", refuse_scheduler,
                                          "of a Dask cluster; only in the command of the Python package")
        ->type_name("ADDRESS")
        ->trigger_on_parse();
    CLI::Option* from = sub->get_option("--from");
    from->excludes(sub->get_option("--clusters"))->excludes(sub->get_option("--start"));
    sub->get_option("--up-to")->excludes(from)->excludes(sub->get_option("--weights"));
    sub->get_option("--criterion")->needs(sub->get_option("--up-to"));
    sub->callback([&action, command] { action = [command] { return write_kmeans(*command); }; });
}

}  // namespace dunlin::app

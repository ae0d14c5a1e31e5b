// SPDX-License-Identifier: Apache-2.0
#include "dissimilarities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <span>
#include <utility>

#include <dunlin/error.hpp>
#include <dunlin/formats.hpp>
#include <dunlin/square.hpp>

#include "flags.hpp"
#include "interrupt.hpp"
#include "matched.hpp"
#include "matrix_points.hpp"
#include "network.hpp"

namespace dunlin::app {

namespace {

void refuse(bool given, std::string_view option, const fs::path& path, std::string_view holds) {
    if (!given) return;
    throw Error(Fault::bad_input, fmt::format("--{}: {} holds {}, to which the option does not apply; leave it out",
                                              option, path.string(), holds));
}

/// Options of tables of points.
void refuse_options_of_tables(const CommonOptions& common, const fs::path& path, std::string_view holds) {
    refuse(common.read.transpose, "transpose", path, holds);
    refuse(!common.read.columns.empty(), "columns", path, holds);
    refuse(common.read.drop_rows_with_gaps, "drop-rows-with-gaps", path, holds);
    refuse(!common.read.fill.empty(), "fill", path, holds);
    refuse(!common.read.text.empty(), "text", path, holds);
}

void refuse_options_of_points(const InputOptions& options, const CommonOptions& common, const fs::path& path,
                              std::string_view holds) {
    refuse(options.points.metric != neighbors::Metric::euclidean, "metric", path, holds);
    refuse(options.points.normalize != mds::Normalize::none, "normalize", path, holds);
    refuse(!common.read.ids.empty(), "ids", path, holds);
    refuse_options_of_tables(common, path, holds);
}

void refuse_options_of_graphs(const InputOptions& options, const fs::path& path, std::string_view holds) {
    refuse(!options.network.weights_from.empty(), "weights-from", path, holds);
    refuse(options.network.graph != 0, "graph", path, holds);
    refuse(options.network.header != io::Header::automatic, "header", path, holds);
}

/// Refuses options of strings and tracks.
void refuse_options_of_sequences(const InputOptions& options, const fs::path& path, std::string_view holds) {
    const sequences::Options none;
    refuse(options.sequences.band.has_value(), "band", path, holds);
    refuse(options.sequences.cost != none.cost, "cost", path, holds);
    refuse(options.sequences.pairs != none.pairs, "pairs", path, holds);
    refuse(options.strings.unit != io::StringOptions{}.unit, "unit", path, holds);
    refuse(!options.strings.strings_from.empty(), "strings-from", path, holds);
}

/// Reads the file of --labels, if it is given, for `items` items.
void read_labels(Input& input, const fs::path& path, Index items, const CommonOptions& common) {
    if (common.read.labels.empty()) return;
    input.about.labels = matched_labels(common, common.read.labels, {path.string(), items, input.about.ids});
}

Input of_matrix(const fs::path& path, const InputOptions& options, const CommonOptions& common, io::Square square) {
    refuse_options_of_points(options, common, path, "dissimilarities");
    refuse_options_of_graphs(options, path, "dissimilarities");
    Input input;
    input.about.kind = square.kind;
    input.about.ids = std::move(square.ids);
    input.about.values = square.values;
    input.about.notes = std::move(square.notes);
    input.about.labels = std::move(square.labels);
    const bool labels_elsewhere = input.about.labels.empty() || !io::split_file_column(common.read.labels).file.empty();
    if (labels_elsewhere) read_labels(input, path, square.values.rows(), common);
    try {
        input.items = mds::Dissimilarities::of_matrix(std::move(square.values), common.run);
    } catch (const Error& error) {
        throw Error(Fault::bad_file, fmt::format("{}: {}", path.string(), error.what()));
    }
    return input;
}

Input of_points(const fs::path& path, const InputOptions& options, const CommonOptions& common) {
    refuse_options_of_graphs(options, path, "points");
    Input input;
    CommonOptions reading = common;
    reading.points.normalize = options.points.normalize;
    input.about = read_input(path, reading, offsets_of(options.points.metric));
    input.items = mds::Dissimilarities::of_points(input.about.values, {.metric = options.points.metric}, common.run);
    return input;
}

/// Reads a graph whose weights are lengths of edges.
Input of_graph(const fs::path& path, const InputOptions& options, const CommonOptions& common) {
    refuse_options_of_points(options, common, path, "a graph");
    io::NetworkOptions how = options.network;
    how.labels = common.read.labels;
    how.decimal = common.read.decimal;
    how.lengths = true;
    Input input;
    const WhileReading reading;
    input.network = io::read_network(path, how, common.run);
    require_read(common, input.network->graph.size() == 0);
    print_notes(common, path, *input.network);
    input.about.kind = input.network->kind;
    input.about.ids = input.network->ids;
    input.about.labels = input.network->labels;
    input.items = mds::Dissimilarities::of_graph(input.network->graph, common.run);
    return input;
}

/// Strings or tracks, as the metric says; tracks if none is given.
Input read_sequences(const fs::path& path, const InputOptions& options, const CommonOptions& common) {
    const bool strings = options.sequences.metric == sequences::Metric::edit;
    const std::string_view holds = strings ? "strings" : "tracks";
    refuse_options_of_graphs(options, path, holds);
    refuse(options.points.normalize != mds::Normalize::none, "normalize", path, holds);
    refuse_options_of_tables(common, path, holds);
    refuse(common.read.holds != io::Holds::automatic, "holds", path, holds);
    refuse(!common.read.array.empty(), "array", path, holds);
    Input input;
    input.of_sequences = true;
    const bool labels_elsewhere = !io::split_file_column(common.read.labels).file.empty();
    if (strings) {
        refuse(common.read.decimal != io::Decimal::automatic, "decimal", path, holds);
        io::StringOptions how = options.strings;
        how.ids = common.read.ids;
        if (!labels_elsewhere) how.labels = common.read.labels;
        io::StringFile file = io::read_strings(path, how, common.run);
        require_read(common, file.items.size() == 0);
        print_notes(common, path, file.notes);
        input.about.kind = file.kind;
        input.about.ids = std::move(file.ids);
        input.about.labels = std::move(file.labels);
        input.about.notes = std::move(file.notes);
        if (labels_elsewhere) read_labels(input, path, file.items.size(), common);
        input.items = mds::Dissimilarities::of_strings(file.items, options.sequences, common.run);
    } else {
        refuse(options.strings.unit != io::StringOptions{}.unit, "unit", path, holds);
        refuse(!options.strings.strings_from.empty(), "strings-from", path, holds);
        io::ReadOptions how = common.read;
        if (labels_elsewhere) how.labels.clear();
        io::TrackFile file = io::read_tracks(path, how, common.run);
        require_read(common, file.items.size() == 0);
        print_notes(common, path, file.notes);
        input.about.kind = file.kind;
        input.about.ids = std::move(file.ids);
        input.about.labels = std::move(file.labels);
        input.about.notes = std::move(file.notes);
        if (labels_elsewhere) read_labels(input, path, file.items.size(), common);
        input.items = mds::Dissimilarities::of_tracks(file.items, options.sequences, common.run);
    }
    require_read(common, input.items.size() == 0);
    return input;
}

/// Reads one name per line; lines end with LF, CR LF or CR.
std::vector<std::string> read_names(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(Fault::bad_file, fmt::format("cannot open '{}'", path.string()));
    std::vector<std::string> names;
    std::string line;
    const auto take = [&] {
        names.push_back(std::exchange(line, {}));
        if (!names.back().empty()) return;
        throw Error(Fault::bad_file, fmt::format("{}:{}: the line is empty; with --feed it has the name of an item",
                                                 path.string(), names.size()));
    };
    for (char c = 0; file.get(c);) {
        if (c == '\r' && file.peek() == '\n') file.get(c);
        if (c != '\n' && c != '\r')
            line += c;
        else
            take();
    }
    if (!line.empty()) take();
    return names;
}

Input of_feed(const fs::path& path, const InputOptions& options, const CommonOptions& common) {
    refuse_options_of_points(options, common, path, "names");
    refuse_options_of_graphs(options, path, "names");
    refuse(common.read.holds != io::Holds::automatic, "holds", path, "names");
    Input input;
    input.about.kind = "feed";
    input.about.ids = read_names(path);
    const auto n = static_cast<Index>(input.about.ids.size());
    read_labels(input, path, n, common);
    input.items =
        mds::Dissimilarities::of_callback(n, io::distances_from_process(options.feed, options.feeding, common.run));
    return input;
}

Input read(const fs::path& path, const InputOptions& options, CommonOptions& common) {
    const bool of_sequences = options.sequences.metric.has_value() || io::is_track_file(path);
    if (of_sequences) {
        refuse(!options.feed.empty(), "feed", path, "strings or tracks");
        return read_sequences(path, options, common);
    }
    refuse_options_of_sequences(options, path, "neither strings nor tracks by --metric");
    if (!options.feed.empty()) return of_feed(path, options, common);
    settle_holds(common, path);
    if (common.guess.holds == io::Holds::graph)
        return read_as_guessed(common, path, [&] { return of_graph(path, options, common); });
    if (common.guess.holds != io::Holds::dissimilarities) return of_points(path, options, common);
    return read_as_guessed(common, path, [&] {
        io::Square square = io::read_square(path, common.read, common.run);
        require_read(common, square.values.rows() == 0);
        print_notes(common, path, square.notes);
        return of_matrix(path, options, common, std::move(square));
    });
}

}  // namespace

namespace {

/// --metric: of points, or of strings or tracks, which it makes of INPUT.
void add_metric_flag(CLI::App& app, InputOptions& options) {
    std::vector<std::string_view> all;
    for (const std::string_view name : names(neighbors::Metric{})) all.push_back(name);
    for (const std::string_view name : names(sequences::Metric{})) all.push_back(name);
    const auto take = [&options](const std::string& word) {
        options.sequences.metric = value_named<sequences::Metric>(word);
        options.points.metric = value_named<neighbors::Metric>(word).value_or(neighbors::Metric::euclidean);
    };
    app.add_option_function<std::string>("--metric", take,
                                         "dissimilarity of two items; edit reads INPUT as strings, the four after it "
                                         "as tracks (default: points euclidean, tracks frechet)")
        ->check(one_of(all))
        ->type_name(listed(all));
}

}  // namespace

std::string dissimilarities_help() {
    return "dissimilarities: " + formats::help_of(formats::dissimilarities) +
           "; points as for tsne; a graph as for layout, whose weights are lengths; with metric edit a text with one "
           "string per line; with a metric of tracks a table with id, time, x, y or lat, lon, a .gpx, or a folder of "
           ".gpx";
}

void add_input_flags(CLI::App& app, InputOptions& options) {
    add_metric_flag(app, options);
    add_flags(app, options.points, {"metric"});
    add_flags(app, options.sequences, {"metric"});
    add_flags(app, options.strings);
    add_flags(app, options.network, {"labels", "decimal"});
    CLI::Option* feed = app.add_option("--feed", options.feed,
                                       "command of a process that computes distances; INPUT has one line per item")
                            ->type_name("COMMAND");
    app.add_option("--distances", options.distances,
                   "--feed, graphs, and pairs on-demand: maximum number of distances to compute")
        ->check(CLI::NonNegativeNumber)
        ->type_name("N");
    CLI::App* group = app.add_option_group("feed");
    add_flags(*group, options.feeding);
    for (CLI::Option* option : group->get_options()) option->needs(feed);
}

void put_input_options(nlohmann::ordered_json& options, const InputOptions& reading, const Input& input) {
    if (input.items.has_points()) options.update(fields_as_json(reading.points));
    if (!input.of_sequences) return;
    sequences::Options sequences = reading.sequences;
    if (!sequences.metric) sequences.metric = sequences::Metric::frechet;
    options.update(fields_as_json(sequences));
    if (sequences.metric == sequences::Metric::edit) options.update(fields_as_json(reading.strings));
}

namespace {

enum class Look { points, dissimilarities, condensed, similarities };

/// Whether rows and columns have the same names in different orders.
bool names_are_permuted(const io::Points& points) {
    if (points.ids.size() != points.columns.size() || points.ids == points.columns) return false;
    std::vector<std::string> rows = points.ids, columns = points.columns;
    std::sort(rows.begin(), rows.end());
    std::sort(columns.begin(), columns.end());
    return rows == columns;
}

/// What a file that was read as points may be: a matrix of dissimilarities, also one with names in a first column, or
/// condensed.
Look look_of(const CommonOptions& common, const fs::path& path, const io::Points& points) {
    const MatrixView<const float> stored = points.values.view();
    if (io::resembles_dissimilarities(points)) {
        const double corner = stored(0, 0) + (points.shift.empty() ? 0 : points.shift.front());
        return std::abs(corner) > 1e-3 * std::abs(stored(0, 1)) ? Look::similarities : Look::dissimilarities;
    }
    const bool with_ids = stored.cols == stored.rows + 1, in_another_order = names_are_permuted(points);
    if (stored.rows < 3 || (stored.cols != 1 && !with_ids && !in_another_order)) return Look::points;
    if (points.kind == "csv" && stored.cols == 1) {
        const auto n = static_cast<Offset>(std::lround(0.5 + std::sqrt(0.25 + 2.0 * stored.rows)));
        const double shift = points.shift.empty() ? 0 : points.shift.front();
        const auto negative = [shift](float value) { return value + shift < 0; };
        const std::span<const float> all(stored.data, static_cast<std::size_t>(stored.rows));
        return n * (n - 1) / 2 == stored.rows && std::none_of(all.begin(), all.end(), negative) ? Look::condensed
                                                                                                : Look::points;
    }
    io::ReadOptions guessed = common.read;
    guessed.holds = io::Holds::automatic;
    const bool matrix = io::guess(path, guessed, common.run).holds == io::Holds::dissimilarities;
    return matrix ? Look::dissimilarities : Look::points;
}

constexpr const char* takers = "dunlin mds and kmedoids, and tsne, umap and neighbors with --holds dissimilarities";

/// Note on points that look like a matrix.
std::string sentence_of(Look look) {
    constexpr const char* said = "read as points, but looks like";
    if (look == Look::similarities) {
        return fmt::format(
            "{} a matrix of similarities, square and symmetric with a diagonal that is not 0: dissimilarities "
            "such as 1 - s are for {}",
            said, takers);
    }
    const char* const what = look == Look::condensed
                                 ? "a condensed matrix of dissimilarities, one number in each of n (n - 1) / 2 rows"
                                 : "a matrix of dissimilarities, square and symmetric or with zeros on its diagonal";
    return fmt::format("{} {}: --holds dissimilarities takes it as one, in mds, kmedoids, tsne, umap and neighbors",
                       said, what);
}

}  // namespace

void throw_of_points(const CommonOptions& common, const fs::path& path, const Error& error) {
    const auto add = [&](const std::string& remedy) {
        throw Error(error.fault(), fmt::format("{} ({})", error.what(), remedy), error.place());
    };
    if (holds_matrix(common)) add(fmt::format("dissimilarities are for {}", takers));
    std::error_code unknown;
    const bool read = error.fault() == Fault::bad_file && fs::is_regular_file(path, unknown);
    if (!read || common.read.holds != io::Holds::automatic) throw;
    if (io::guess(path, common.read, common.run).holds == io::Holds::dissimilarities)
        add(fmt::format("{} looks like a matrix of dissimilarities, which is for {}", path.string(), takers));
    throw;
}

void note_dissimilarities(const CommonOptions& common, const fs::path& path, io::Points& points) {
    const bool said = common.read.holds != io::Holds::automatic && common.guess.reason.empty();
    if (said || common.read.transpose) return;
    const Look look = look_of(common, path, points);
    if (look == Look::points) return;
    if (common.refuses_dissimilarities && look != Look::condensed) {
        throw Error(Fault::bad_input,
                    fmt::format("{} looks like a matrix of {}: it is square, and symmetric or with zeros on its "
                                "diagonal; dunlin kmedoids clusters by dissimilarities, or say --holds points if its "
                                "rows are points",
                                path.string(), look == Look::similarities ? "similarities" : "dissimilarities"));
    }
    const io::Note note{sentence_of(look), "holds"};
    print_notes(common, path, {note});
    points.notes.push_back(note);
}

void put_device_of_distances(nlohmann::ordered_json& report, const Input& input) {
    if (!input.of_sequences) return;
    report["distances"]["device"] = std::string(name_of(input.items.gpu() ? Device::cuda : Device::cpu));
}

Input read_dissimilarities(const fs::path& path, const InputOptions& options, CommonOptions& common) {
    Input input = read(path, options, common);
    if (options.distances) input.items.set_budget(*options.distances);
    return input;
}

}  // namespace dunlin::app

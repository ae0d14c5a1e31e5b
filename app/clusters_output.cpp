// SPDX-License-Identifier: Apache-2.0
#include "clusters_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <dunlin/arrays.hpp>
#include <dunlin/group_tree_files.hpp>

#include "streams.hpp"

namespace dunlin::app {

ShownGroups shown_of(const clusters::Result& result) { return {result.tree.layers.front(), "clusters", "cluster"}; }

namespace {

/// What was measured of the clusters, by its names in tables.
std::vector<std::pair<std::string, std::vector<double>>> columns_of(const Measured& measured) {
    std::vector<std::pair<std::string, std::vector<double>>> columns;
    if (!measured.stabilities.empty()) columns.emplace_back("stability", measured.stabilities);
    if (!measured.has_separations()) return columns;
    std::vector<double> map_only;
    for (std::size_t c = 0; c < measured.separations.conductances.size(); ++c)
        map_only.push_back(measured.separations.map_only(static_cast<Index>(c)) ? 1 : 0);
    columns.emplace_back("conductance", measured.separations.conductances);
    columns.emplace_back("map_only", std::move(map_only));
    return columns;
}

/// The layers, from coarse to fine, as columns of the numbers of groups, and of their names if they have any.
void add_layers(const GroupTree& tree, std::vector<std::vector<double>>& values, io::Columns& columns) {
    const std::size_t count = tree.layers.size();
    for (std::size_t l = 0; l < count; ++l) {
        const std::vector<Index>& layer = tree.layers[count - 1 - l];
        const std::vector<Index> places = tree.labels_of(layer);
        std::vector<double>& numbers = values.emplace_back();
        std::vector<std::string> names;
        for (const Index place : places) {
            const auto group = static_cast<std::size_t>(place < 0 ? 0 : layer[static_cast<std::size_t>(place)]);
            numbers.push_back(place < 0 ? -1 : tree.groups[group].number);
            if (!tree.names.empty()) names.push_back(place < 0 ? "" : tree.names[group]);
        }
        columns.names.push_back(fmt::format("layer_{}", l + 1));
        if (!names.empty()) columns.words.push_back({fmt::format("layer_{}_name", l + 1), std::move(names)});
    }
}

/// .npy: the clusters alone, int32; tables: with the columns of a result, what was measured and the name of the point's
/// cluster, and its groups in all layers.
void write_labels(const fs::path& path, const ClustersCommand& command, const clusters::Result& result,
                  const Measured& measured, const std::vector<std::string>& ids) {
    if (path.extension() == ".npy") return io::write_clusters(path, result.labels, ids);
    const std::vector<double> labels(result.labels.begin(), result.labels.end());
    io::Columns columns{{"cluster", "strength", "outlier_score"}, {labels, result.strengths, result.outlier_scores}};
    if (!result.tree.names.empty())
        columns.words.push_back({"name", names_of_points(names_shown(result.tree, shown_of(result)), result.labels)});
    std::vector<std::vector<double>> more;
    for (const auto& [name, of_clusters] : columns_of(measured)) {
        columns.names.push_back(name);
        std::vector<double>& of_points = more.emplace_back();
        for (const Index label : result.labels)
            of_points.push_back(label < 0 ? std::nan("") : of_clusters[static_cast<std::size_t>(label)]);
    }
    if (command.options.layers > 1) add_layers(result.tree, more, columns);
    for (const std::vector<double>& values : more) columns.values.emplace_back(values);
    io::write_columns(path, columns, ids);
}

/// What was measured of the clusters, for each group of the tree; NaN: it is none.
io::GroupColumns group_columns(const clusters::Result& result, const Measured& measured) {
    io::GroupColumns columns;
    for (const auto& [name, of_clusters] : columns_of(measured)) {
        std::vector<double>& values = columns.emplace_back(name, std::vector<double>(result.tree.groups.size())).second;
        std::fill(values.begin(), values.end(), std::nan(""));
        for (std::size_t c = 0; c < of_clusters.size(); ++c)
            values[static_cast<std::size_t>(result.tree.layers.front()[c])] = of_clusters[c];
    }
    return columns;
}

void write_predicted(const fs::path& path, const clusters::Predicted& predicted, const std::vector<std::string>& ids) {
    if (path.extension() == ".npy") return io::write_clusters(path, predicted.labels, ids);
    const std::vector<double> labels(predicted.labels.begin(), predicted.labels.end());
    io::write_columns(path, {{"cluster", "strength"}, {labels, predicted.strengths}}, ids);
}

/// In SciPy's form: the sets that are merged, the level, the size of the new one.
void write_linkage(const fs::path& path, const std::vector<Merge>& linkage) {
    io::DoubleArray array{.shape = {linkage.size(), 4}, .values = {}};
    array.values.reserve(4 * linkage.size());
    for (const Merge& merge : linkage) {
        array.values.insert(array.values.end(), {static_cast<double>(merge.first), static_cast<double>(merge.second),
                                                 merge.level, static_cast<double>(merge.size)});
    }
    io::write_array(path, array);
}

std::vector<Index> counts_of(const clusters::Result& result) {
    std::vector<Index> counts(static_cast<std::size_t>(result.clusters), 0);
    for (const Index label : result.labels) {
        if (label >= 0) ++counts[static_cast<std::size_t>(label)];
    }
    return counts;
}

Index count_of_noise(const clusters::Result& result) {
    return static_cast<Index>(
        std::count_if(result.labels.begin(), result.labels.end(), [](Index label) { return label < 0; }));
}

/// ", stability 0.42: not stable, conductance 0.31: of the map only"; empty if nothing was measured.
std::string in_words(const Measured& measured, std::size_t cluster) {
    std::string words;
    if (!measured.stabilities.empty()) {
        const double value = measured.stabilities[cluster];
        words += fmt::format(", stability {:.2f}{}", value, value >= clusters::stable_from ? "" : ": not stable");
    }
    if (measured.has_separations()) {
        const bool map_only = measured.separations.map_only(static_cast<Index>(cluster));
        words += fmt::format(", conductance {:.3f}{}", measured.separations.conductances[cluster],
                             map_only ? ": of the map only" : "");
    }
    return words;
}

}  // namespace

std::vector<fs::path> write_all(const ClustersCommand& command, const std::vector<std::string>& outputs,
                                const ClusteredItems& items, const clusters::Result& result, const Measured& measured,
                                const clusters::Predicted& predicted) {
    std::vector<fs::path> written;
    const std::vector<std::string>& ids = items.points.ids;
    for (const std::string& output : outputs)
        add_output(command.common, written, output, [&] { write_labels(output, command, result, measured, ids); });
    if (!command.tree.empty())
        add_output(command.common, written, command.tree,
                   [&] { io::write_group_tree(command.tree, result.tree, ids, group_columns(result, measured)); });
    if (!command.linkage.empty())
        add_output(command.common, written, command.linkage, [&] { write_linkage(command.linkage, result.linkage); });
    if (!predicted.labels.empty()) {
        add_output(command.common, written, command.predicted,
                   [&] { write_predicted(command.predicted, predicted, items.queries.ids); });
    }
    return written;
}

Json report_on(const ClustersCommand& command, const ClusteredItems& items, const clusters::Result& result,
               const GroupsNamed& named, const Measured& measured, const StageSeconds& spent) {
    Outcome<Json> outcome = outcome_as_json(result);
    Json about = input_of(command.input, items.points);
    if (items.lists || items.of_matrix) {
        for (const char* name : {"metric", "method"}) outcome.options.erase(name);
        put_guess(about, command.common.guess);
    }
    if (items.lists) {
        about["rows"] = items.size();
        about.erase("cols");
        about["edges"] = items.lists->edges();
    }
    const double noise = count_of_noise(result);
    Json quality{{"clusters", result.clusters}, {"noise", noise / items.size()}, {"exact", result.exact}};
    Json report = report_of({"clusters", "hdbscan", about}, outcome, spent, quality);
    report["counts"] = counts_of(result);
    for (const Index group : result.tree.layers.front())
        report["persistences"].push_back(result.tree.groups[static_cast<std::size_t>(group)].persistence);
    const auto put = [&](const char* key, const std::vector<double>& values) {
        for (const double value : values) report[key].push_back(std::isnan(value) ? Json() : Json(value));
    };
    put("stabilities", measured.stabilities);
    put("conductances", measured.separations.conductances);
    put("grown_conductances", measured.separations.grown);
    if (measured.has_separations()) {
        report["map_only"] = Json::array();
        for (Index c = 0; c < result.clusters; ++c) {
            if (measured.separations.map_only(c)) report["map_only"].push_back(c);
        }
        report["of"] = {{"path", command.of.string()}, {"options", fields_as_json(command.separation)}};
    }
    if (command.options.layers > 1) {
        for (auto layer = result.tree.layers.rbegin(); layer != result.tree.layers.rend(); ++layer)
            report["layers"].push_back(layer->size());
    }
    put_names(report, named, result.tree, shown_of(result));
    if (!command.predict.empty())
        report["queries"] = {{"path", command.predict.string()}, {"rows", items.queries.values.rows()}};
    return report;
}

void print_summary(const ClusteredItems& items, const clusters::Result& result, const Measured& measured) {
    constexpr std::size_t most_lines = 20;
    const std::vector<Index> counts = counts_of(result);
    for (std::size_t c = 0; c < std::min(most_lines, counts.size()); ++c) {
        const auto group = static_cast<std::size_t>(result.tree.layers.front()[c]);
        put("{:6} points in cluster {}{}, persistence {:.3f}{}\n", counts[c], c,
            result.tree.names.empty() ? "" : ": " + result.tree.names[group], result.tree.groups[group].persistence,
            in_words(measured, c));
    }
    if (counts.size() > most_lines) put("and {} more\n", counts.size() - most_lines);
    const Index noise = count_of_noise(result);
    const Seconds& seconds = result.seconds;
    put("{} clusters of {} points, {} ({:.1f}%) in none; {}, {:.2f} s\n", result.clusters, items.size(), noise,
        100.0 * noise / std::max(items.size(), 1), result.exact ? "of all pairs" : "of pairs of neighbors",
        seconds["neighbors"] + seconds["spanning"] + seconds["tree"]);
}

}  // namespace dunlin::app

// SPDX-License-Identifier: Apache-2.0
#include "matched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/labels.hpp>
#include <dunlin/named_graph.hpp>
#include <dunlin/square.hpp>

namespace dunlin::app {

namespace {

io::NamedRows rows_of(const fs::path& path, std::size_t rows, const std::vector<std::string>& ids) {
    return {path.string(), static_cast<Index>(rows), ids};
}

/// Throws if two rows of the first input match the same row of the second: both would get its coordinates.
void require_apart(const io::RowMatch& match, const io::NamedRows& first, const fs::path& second) {
    std::vector<bool> used;
    for (std::size_t row = 0; row < match.partner.size(); ++row) {
        if (match.partner[row] == io::no_row) continue;
        const auto partner = static_cast<std::size_t>(match.partner[row]);
        if (partner >= used.size()) used.resize(std::max(partner + 1, 2 * used.size()));
        if (!used[partner]) {
            used[partner] = true;
            continue;
        }
        throw Error(Fault::bad_file, fmt::format("{} has the id '{}' twice, so that its rows cannot be matched with "
                                                 "those of {}; make its ids unique",
                                                 first.name, first.ids[row], second.string()));
    }
}

}  // namespace

io::NamedRows rows_of(const fs::path& path, const io::Points& points) {
    return {path.string(), points.values.rows(), points.ids};
}

io::NamedRows rows_of(const fs::path& path, const io::MapFile& map) { return {path.string(), map.map.size(), map.ids}; }

void tell(const CommonOptions& common, const fs::path& second, const io::RowMatch& match) {
    if (!match.how.empty()) print_notes(common, second, {{"matched " + match.how, ""}});
}

namespace {

/// Labels that were read from `path`, in the order of the first input.
Labels in_order_of(const CommonOptions& common, const fs::path& path, const io::LabelColumn& read,
                   const io::NamedRows& first) {
    require_read(common, read.labels.empty());
    print_notes(common, path, read.notes);
    const io::RowMatch match =
        io::match_rows(first, rows_of(path, read.labels.of.size(), read.ids), io::Lonely::allowed);
    tell(common, path, match);
    Labels labels = taken(read.labels, match);
    std::vector<io::Note> notes;
    note_unlabeled(labels, notes);
    print_notes(common, path, notes);
    return labels;
}

/// in_order_of() for a column of numbers.
io::NumberColumn in_order_of(const CommonOptions& common, const fs::path& path, io::NumberColumn read,
                             const io::NamedRows& first, io::Lonely lonely) {
    require_read(common, read.values.empty());
    print_notes(common, path, read.notes);
    const io::RowMatch match = io::match_rows(first, rows_of(path, read.values.size(), read.ids), lonely);
    tell(common, path, match);
    if (!match.in_order) read.values = taken(read.values, match, std::numeric_limits<double>::quiet_NaN());
    return read;
}

}  // namespace

Labels matched_labels(const CommonOptions& common, const std::string& file, const io::NamedRows& first) {
    const io::FileColumn at = io::split_file_column(file);
    if (at.file.empty()) {
        throw Error(Fault::bad_input, fmt::format("--labels: there is no file '{}'; give FILE or FILE:COLUMN", file),
                    {.option = "labels"});
    }
    const io::LabelColumn read = io::read_label_column(at.file, at.column, common.run);
    return in_order_of(common, at.file, read, first);
}

io::ColorColumn matched_color(const CommonOptions& common, const io::FileColumn& column, const io::NamedRows& first) {
    io::ColorColumn read = io::read_color_column(column.file, column.column, common.run);
    if (read.numbers)
        read.numbers = in_order_of(common, column.file, std::move(*read.numbers), first, io::Lonely::allowed);
    else
        read.classes.labels = in_order_of(common, column.file, read.classes, first);
    return read;
}

io::NumberColumn matched_column(const CommonOptions& common, const io::FileColumn& column, const io::NamedRows& first,
                                io::Lonely lonely) {
    return in_order_of(common, column.file, io::read_column(column.file, column.column, common.run), first, lonely);
}

io::MapFile matched_map(const CommonOptions& common, io::MapFile map, const fs::path& path,
                        const io::NamedRows& first) {
    const io::RowMatch match = io::match_rows(first, rows_of(path, map));
    tell(common, path, match);
    if (match.in_order) return map;
    require_apart(match, first, path);
    io::MapFile ordered{
        {map.map.dim, {}, map.map.origin}, {first.ids.begin(), first.ids.end()}, taken(map.labels, match), map.notes};
    ordered.map.coordinates.reserve(match.partner.size() * static_cast<std::size_t>(map.map.dim));
    for (const Index row : match.partner) {
        const auto place = map.map.view().row(row);
        ordered.map.coordinates.insert(ordered.map.coordinates.end(), place.begin(), place.end());
    }
    return ordered;
}

Map map_of_some(const CommonOptions& common, const std::string& flag, const io::MapFile& some, const fs::path& path,
                const io::NamedRows& first) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Fault::bad_file, fmt::format("{} {}: {}", flag, path.string(), why));
    };
    const auto dim = static_cast<std::size_t>(some.map.dim);
    Map all{some.map.dim,
            std::vector<float>(static_cast<std::size_t>(first.rows) * dim, std::numeric_limits<float>::quiet_NaN()),
            some.map.origin};
    if (some.ids.empty()) {
        if (some.map.size() > first.rows)
            refuse(fmt::format("it has {} points and {} has {}", some.map.size(), first.name, first.rows));
        if (!first.ids.empty()) {
            tell(common, path,
                 {.how = fmt::format("by order, as the first {} rows of {}, since it has no ids", some.map.size(),
                                     first.name)});
        }
        std::copy(some.map.coordinates.begin(), some.map.coordinates.end(), all.coordinates.begin());
        return all;
    }
    if (first.ids.empty())
        refuse(fmt::format("it has ids and {} has none; name the column of ids with --ids", first.name));
    const io::RowMatch match = io::match_rows(first, rows_of(path, some), io::Lonely::allowed);
    require_apart(match, first, path);
    tell(common, path, match);
    for (std::size_t row = 0; row < match.partner.size(); ++row) {
        if (match.partner[row] == io::no_row) continue;
        const auto place = some.map.view().row(match.partner[row]);
        std::copy(place.begin(), place.end(), all.coordinates.begin() + static_cast<std::ptrdiff_t>(row * dim));
    }
    return all;
}

Matrix taken_rows(const Matrix& matrix, const io::RowMatch& match) {
    if (match.in_order) return matrix;
    std::vector<float> values;
    values.reserve(match.partner.size() * static_cast<std::size_t>(matrix.cols()));
    for (const Index row : match.partner) values.insert(values.end(), matrix.row(row).begin(), matrix.row(row).end());
    return {static_cast<Index>(match.partner.size()), matrix.cols(), std::move(values)};
}

Matrix matched_square(const CommonOptions& common, const fs::path& path, const io::NamedRows& first) {
    const io::Square square = io::read_square(path, {}, common.run);
    require_read(common, square.values.rows() == 0);
    print_notes(common, path, square.notes);
    const io::RowMatch match =
        io::match_rows(first, rows_of(path, static_cast<std::size_t>(square.values.rows()), square.ids));
    tell(common, path, match);
    if (match.in_order) return square.values;
    std::vector<float> values;
    values.reserve(match.partner.size() * match.partner.size());
    for (const Index row : match.partner) {
        for (const Index column : match.partner) values.push_back(square.values.view()(row, column));
    }
    const auto n = static_cast<Index>(match.partner.size());
    return {n, n, std::move(values)};
}

namespace {

/// Throws unless a graph without names has as many rows as the first input.
void require_rows(const Graph& graph, const fs::path& path, const io::NamedRows& first) {
    if (graph.size() == first.rows) return;
    throw Error(Fault::bad_file,
                fmt::format("{} has lists of {} points and {} has {} rows; give the lists of these rows{}",
                            path.string(), graph.size(), first.name, first.rows,
                            graph.size() == first.rows + 1 ? " (ids in a table count from 0)" : ""));
}

}  // namespace

Graph matched_graph(const CommonOptions& common, const fs::path& path, const io::NamedRows& first) {
    io::NamedGraph file = io::read_named_graph(path, common.run);
    require_read(common, file.graph.size() == 0);
    if (file.ids.empty() || first.ids.empty()) {
        if (!file.ids.empty() || !first.ids.empty()) {
            tell(common, path,
                 {.how = fmt::format("by order, since {} has no ids", first.ids.empty() ? first.name : path.string())});
        }
        require_rows(file.graph, path, first);
        return std::move(file.graph);
    }
    const io::RowMatch match =
        io::match_rows(first, rows_of(path, static_cast<std::size_t>(file.graph.size()), file.ids));
    if (match.unused > 0) {
        throw Error(Fault::bad_file, fmt::format("{} is {}: edges to them would be lost; give the file of these rows",
                                                 path.string(), match.how));
    }
    if (match.in_order) return std::move(file.graph);
    require_apart(match, first, path);
    std::vector<Index> row_of(match.partner.size());
    for (std::size_t row = 0; row < match.partner.size(); ++row)
        row_of[static_cast<std::size_t>(match.partner[row])] = static_cast<Index>(row);
    Graph graph;
    for (const Index there : match.partner) {
        const auto begin = static_cast<std::size_t>(file.graph.offsets[static_cast<std::size_t>(there)]),
                   end = static_cast<std::size_t>(file.graph.offsets[static_cast<std::size_t>(there) + 1]);
        for (std::size_t e = begin; e < end; ++e) {
            graph.targets.push_back(row_of[static_cast<std::size_t>(file.graph.targets[e])]);
            graph.weights.push_back(file.graph.weights[e]);
        }
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    return graph;
}

}  // namespace dunlin::app

// SPDX-License-Identifier: Apache-2.0
#include "io/network/labels.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <dunlin/match.hpp>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/interner.hpp"
#include "io/network/edge_schema.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr std::array<std::string_view, 6> label_names = {"label", "class", "community", "group", "cluster", "category"};

/// The column of classes: of two the second, else the one with a usual name.
std::size_t label_column(const std::vector<std::string_view>& header, const std::string& file) {
    for (std::size_t c = 1; c < header.size(); ++c) {
        if (std::find(label_names.begin(), label_names.end(), lower(unquoted(header[c]))) != label_names.end())
            return c;
    }
    if (header.size() == 2) return 1;
    std::vector<std::string> names;
    names.reserve(header.size());
    for (const std::string_view name : header) names.push_back(unquoted(name));
    bad_file("'{}' has the columns {} and none is called label; name one: {}:COLUMN", file, fmt::join(names, ", "),
             file);
}

/// Whether a word in lower case is a usual title of the names of vertices.
bool names_vertices(const std::string& word) {
    constexpr std::array<std::string_view, 7> titles = {"id", "node", "nodeid", "vertex", "name", "node_id", "index"};
    return std::find(titles.begin(), titles.end(), word) != titles.end();
}

/// Reads rows of an id and a class, in any order, below a header or not.
LabelColumn read_pairs(const Bytes& bytes, Dialect dialect, const std::vector<std::string>& vertices) {
    FieldReader fields(bytes, dialect, next_edge_row(bytes, text_of(bytes)));
    LabelColumn read;
    StringInterner words;
    std::size_t column = 0;
    for (std::vector<std::string_view> row = raw_fields(fields); !row.empty(); row = raw_fields(fields)) {
        if (column == 0) {
            column = label_column(row, bytes.name());
            const std::string id = unquoted(row[0]);
            if (std::find(vertices.begin(), vertices.end(), id) == vertices.end()) {
                if (!names_vertices(lower(id)))
                    read.notes.push_back({fmt::format("its first row is a header, since no vertex is '{}'", id), ""});
                continue;
            }
        }
        if (row.size() <= column)
            bad_file("{}: '{}' has no class; give every vertex one",
                     at_line(bytes.name(), line_of(bytes, row[0].data())), shown(row[0]));
        read.ids.push_back(unquoted(row[0]));
        words.add(unquoted(row[column]));
    }
    read.labels = std::move(words).labels();
    return read;
}

LabelColumn read_column_of(const Bytes& bytes, const std::string& column, const std::vector<std::string>& vertices) {
    const std::string extension = extension_of(bytes.name());
    const bool may_be_table = extension == ".csv" || extension == ".tsv" || extension == ".txt";
    if (!column.empty() || !may_be_table) return read_label_column(bytes, column);
    const char* const body = next_edge_row(bytes, text_of(bytes));
    const Dialect dialect = edge_dialect(bytes, body);
    FieldReader fields(bytes, dialect, body, false);
    return raw_fields(fields).size() > 1 ? read_pairs(bytes, dialect, vertices) : read_label_column(bytes, "");
}

}  // namespace

void read_network_labels(const Bytes& bytes, const std::string& column, const std::string& graph, Network& network) {
    const std::vector<std::string> vertices = vertex_names(network);
    const LabelColumn read = read_column_of(bytes, column, vertices);
    const RowMatch match =
        match_rows({graph, network.graph.size(), vertices},
                   {bytes.name(), static_cast<Index>(read.labels.of.size()), read.ids}, Lonely::allowed);
    network.labels = taken(read.labels, match);
    for (const Note& note : read.notes)
        network.notes.push_back({fmt::format("labelled from {}, {}", bytes.name(), note.what), ""});
    if (!match.how.empty()) network.notes.push_back({fmt::format("labelled from {} {}", bytes.name(), match.how), ""});
}

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#include "io/network/labels.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/interner.hpp"
#include "io/network/edge_schema.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr std::array<std::string_view, 6> label_names = {"label", "class", "community", "group", "cluster", "category"};

/// Finds vertices by name.
class VertexLookup {
public:
    explicit VertexLookup(const Network& network) : names_(network.ids) {
        if (names_.empty()) {
            for (Index v = 0; v < network.graph.size(); ++v) names_.push_back(std::to_string(v));
        }
        for (std::size_t v = 0; v < names_.size(); ++v) numbers_.emplace(names_[v], v);
    }
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] const std::string& name(std::size_t vertex) const { return names_[vertex]; }

    /// The vertex of this name; size() if there is none.
    [[nodiscard]] std::size_t operator[](const std::string& name) const {
        const auto found = numbers_.find(name);
        return found == numbers_.end() ? size() : found->second;
    }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string_view, std::size_t> numbers_;
};

/// The column of classes: the first with a usual name, else the second.
std::size_t label_column(const std::vector<std::string_view>& header) {
    for (std::size_t c = 1; c < header.size(); ++c) {
        if (std::find(label_names.begin(), label_names.end(), lower(unquoted(header[c]))) != label_names.end())
            return c;
    }
    return 1;
}

/// Reads rows of an id and a class, in any order.
Labels labels_by_id(const Bytes& bytes, Dialect dialect, const Network& network) {
    const VertexLookup vertices(network);
    std::vector<std::string> labels(vertices.size());
    std::vector<std::uint8_t> seen(vertices.size(), 0);
    FieldReader fields(bytes, dialect, next_edge_row(bytes, text_of(bytes)));
    std::size_t column = 1;
    bool first = true;
    for (std::vector<std::string_view> row = raw_fields(fields); !row.empty();
         row = raw_fields(fields), first = false) {
        const std::size_t vertex = vertices[unquoted(row[0])];
        if (first && vertex == vertices.size()) column = label_column(row);
        if (vertex == vertices.size()) continue;  // a header, or a vertex without edges
        if (row.size() <= column)
            bad_file("'{}': '{}' has no class; give every vertex one", bytes.name(), shown(row[0]));
        if (std::exchange(seen[vertex], 1) != 0)
            bad_file("'{}' gives '{}' a class twice; keep one of the rows", bytes.name(), shown(row[0]));
        labels[vertex] = unquoted(row[column]);
    }
    const auto unseen = static_cast<std::size_t>(std::find(seen.begin(), seen.end(), 0) - seen.begin());
    if (unseen < seen.size()) {
        bad_file("'{}' has no row for the vertex '{}'; add one with its id and class", bytes.name(),
                 shown(vertices.name(unseen)));
    }
    StringInterner words;
    for (std::string& label : labels) words.add(std::move(label));
    return std::move(words).labels();
}

}  // namespace

Labels read_network_labels(const Bytes& bytes, const Network& network) {
    const std::string extension = extension_of(bytes.name());
    if (extension == ".csv" || extension == ".tsv" || extension == ".txt") {
        const char* const body = next_edge_row(bytes, text_of(bytes));
        const Dialect dialect = edge_dialect(bytes, body);
        FieldReader fields(bytes, dialect, body, false);
        if (raw_fields(fields).size() > 1) return labels_by_id(bytes, dialect, network);
    }
    Labels labels = read_labels(bytes);
    if (labels.of.size() != static_cast<std::size_t>(network.graph.size())) {
        bad_file(
            "'{}' has {} labels for {} vertices; give one per vertex, in their order, or rows of an id and a class",
            bytes.name(), labels.of.size(), network.graph.size());
    }
    return labels;
}

}  // namespace dunlin::io

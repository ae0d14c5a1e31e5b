// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "io/interner.hpp"
#include "io/network/named_edges.hpp"
#include "io/network/node_boxes.hpp"
#include "io/network/text_lines.hpp"
#include "io/network/vertex_names.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t missing = ~std::size_t{0};

/// Removes the first field of a row with commas between fields; ' or " may enclose it, and is doubled or behind a
/// backslash inside.
std::string_view take_field(std::string_view& rest) {
    std::size_t from = 0;
    const char quote = rest.empty() ? '\0' : rest[0];
    if (quote == '\'' || quote == '"') {
        for (std::size_t p = 1; p < rest.size(); ++p) {
            if (rest[p] == '\\' || (rest[p] == quote && p + 1 < rest.size() && rest[p + 1] == quote)) {
                ++p;
            } else if (rest[p] == quote) {
                from = p;
                break;
            }
        }
    }
    const std::size_t end = std::min(rest.find(',', from), rest.size());
    const std::string_view field = without_blanks(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return field;
}

bool is_quoted(std::string_view field) {
    return field.size() > 1 && (field[0] == '\'' || field[0] == '"') && field.back() == field[0];
}

/// A field without its quotes, as it is in the file.
std::string_view inside(std::string_view field) { return is_quoted(field) ? field.substr(1, field.size() - 2) : field; }

/// The text of a field.
std::string text_in(std::string_view field) {
    if (!is_quoted(field)) return std::string(field);
    std::string text;
    const std::string_view raw = inside(field);
    for (std::size_t p = 0; p < raw.size(); ++p) {
        if ((raw[p] == '\\' || raw[p] == field[0]) && p + 1 < raw.size()) ++p;
        text += raw[p];
    }
    return text;
}

/// The names of the columns that follow "nodedef>": each may have a type and a default.
std::vector<std::string> columns_in(std::string_view head) {
    std::vector<std::string> columns;
    while (!head.empty()) {
        std::string_view column = take_field(head);
        columns.push_back(is_quoted(column) ? text_in(column) : std::string(take_word(column)));
    }
    return columns;
}

/// The position of a column, in upper or lower case; `missing` if it is not there.
std::size_t column_called(const std::vector<std::string>& columns, std::string_view name) {
    const auto called = [&](const std::string& column) { return lower(column) == lower(name); };
    const auto found = std::find_if(columns.begin(), columns.end(), called);
    return found == columns.end() ? missing : static_cast<std::size_t>(found - columns.begin());
}

/// Parser of the two tables of a GDF file.
class GdfReader {
public:
    GdfReader(const Bytes& bytes, const NetworkOptions& options)
        : bytes_(bytes), options_(options), edges_(bytes, options) {
        parsed_.network.kind = "gdf";
    }

    ParsedNetwork read() && {
        TextLines lines(bytes_);
        for (std::string_view line; lines.next_but("#", line);) {
            if (lower(line.substr(0, 8)) == "nodedef>")
                begin_vertices(line);
            else if (lower(line.substr(0, 8)) == "edgedef>")
                begin_edges(line);
            else
                read_row(line);
        }
        settle();
        return std::move(parsed_);
    }

private:
    enum class Table : unsigned char { none, vertices, edges };

    struct VertexColumns {
        std::size_t name = 0, label = missing, x = missing, y = missing, z = missing, width = missing, height = missing,
                    classes = missing;
    };
    struct EdgeColumns {
        std::size_t source = 0, target = 1, directed = missing;
    };

    void begin_vertices(std::string_view line) {
        if (has_vertices_) fail(line, "there is a second nodedef>; keep each graph in a file of its own");
        has_vertices_ = true;
        table_ = Table::vertices;
        names_ = columns_in(without_blanks(line.substr(8)));
        const auto column = [&](std::string_view name) { return column_called(names_, name); };
        of_vertex_ = {column("name"), column("label"), column("x"),      column("y"),
                      column("z"),    column("width"), column("height"), missing};
        if (of_vertex_.name == missing) of_vertex_.name = 0;
        if (options_.labels.empty()) return;
        of_vertex_.classes = column(options_.labels);
        has_classes_ = of_vertex_.classes != missing;
    }

    void begin_edges(std::string_view line) {
        if (has_edges_) fail(line, "there is a second edgedef>; keep each graph in a file of its own");
        has_edges_ = true;
        table_ = Table::edges;
        edge_names_ = columns_in(without_blanks(line.substr(8)));
        of_edge_ = {column_called(edge_names_, "node1"), column_called(edge_names_, "node2"),
                    column_called(edge_names_, "directed")};
        if (of_edge_.source == missing || of_edge_.target == missing) of_edge_.source = 0, of_edge_.target = 1;
    }

    void read_row(std::string_view line) {
        if (table_ == Table::none) fail(line, "a row is below neither nodedef> nor edgedef>, which name its columns");
        const std::vector<std::string>& columns = table_ == Table::vertices ? names_ : edge_names_;
        row_.clear();
        for (std::string_view rest = line; !rest.empty();) row_.push_back(take_field(rest));
        if (row_.size() > columns.size()) {
            fail(line, fmt::format("'{}' has {} columns, and the line with > names {}; correct the row", shown(line),
                                   row_.size(), columns.size()));
        }
        row_.resize(columns.size());
        table_ == Table::vertices ? read_vertex(line) : read_edge(line);
    }

    [[nodiscard]] std::string_view field(std::size_t column) const {
        return column < row_.size() ? row_[column] : std::string_view{};
    }

    [[nodiscard]] double number(std::size_t column) const {
        double value = 0;
        const bool is_value = parse_field(inside(field(column)), '.', value);
        return is_value && std::isfinite(static_cast<float>(value)) ? value : std::numeric_limits<double>::quiet_NaN();
    }

    void read_vertex(std::string_view line) {
        const std::string_view id = inside(field(of_vertex_.name));
        if (id.empty()) fail(line, "a node has no name; give it one");
        if (vertices_.find(id) != VertexTable::none)
            fail(line, fmt::format("there is a second node with the name '{}'; names have to differ", shown(id)));
        vertices_.of(id);
        ids_.push_back(text_in(field(of_vertex_.name)));
        labels_.push_back(text_in(field(of_vertex_.label)));
        NodeBoxes::NodeBox box;
        box.place = {number(of_vertex_.x), number(of_vertex_.y), number(of_vertex_.z)};
        const auto width = static_cast<float>(number(of_vertex_.width));
        const auto height = static_cast<float>(number(of_vertex_.height));
        box.size = {width, std::isnan(height) ? width : height};
        placed_.add(box);
        if (has_classes_) classes_.add(text_in(field(of_vertex_.classes)));
    }

    void read_edge(std::string_view line) {
        NamedEdge edge;
        edge.place = line.data();
        edge.source = inside(field(of_edge_.source));
        edge.target = inside(field(of_edge_.target));
        const std::string directed = lower(inside(field(of_edge_.directed)));
        parsed_.network.directed |= directed == "true" || directed == "1";
        for (std::size_t c = 0; c < row_.size(); ++c) {
            const std::string_view text = inside(row_[c]);
            if (c == of_edge_.source || c == of_edge_.target || c == of_edge_.directed || text.empty()) continue;
            double value = 0;
            edges_.offer(edge, edge_names_[c],
                         parse_field(text, '.', value) ? value : std::numeric_limits<double>::quiet_NaN(), text);
        }
        edges_.add(edge);
    }

    /// The vertices of a file without their table.
    void add_ends() {
        for (const NamedEdge& edge : edges_.all()) {
            for (const std::string_view end : {edge.source, edge.target}) {
                if (!end.empty()) vertices_.of(end);
            }
        }
    }

    void settle() {
        if (!has_vertices_) add_ends();
        edges_.join(vertices_, parsed_);
        if (!has_vertices_) {
            parsed_.network.ids = vertices_.names();
            parsed_.network.warnings.push_back("there is no nodedef>, so the vertices are those that edges name");
            return;
        }
        name_vertices(parsed_.network, std::move(ids_), std::move(labels_));
        placed_.flatten();
        placed_.settle(parsed_.network, placed_.mean_size());
        if (has_classes_) parsed_.network.labels = std::move(classes_).labels();
    }

    [[noreturn]] void fail(std::string_view line, const std::string& what) const {
        bad_file("{}: {}", place_of(bytes_, line), what);
    }

    const Bytes& bytes_;
    const NetworkOptions& options_;
    ParsedNetwork parsed_;
    VertexTable vertices_;
    NamedEdges edges_;
    Table table_ = Table::none;
    bool has_vertices_ = false, has_edges_ = false, has_classes_ = false;
    std::vector<std::string> names_, edge_names_;
    VertexColumns of_vertex_;
    EdgeColumns of_edge_;
    std::vector<std::string_view> row_;  ///< fields of the row that is read
    std::vector<std::string> ids_, labels_;
    NodeBoxes placed_;
    StringInterner classes_;
};

}  // namespace

ParsedNetwork parse_gdf(const Bytes& bytes, const NetworkOptions& options) {
    require_memory(8 * bytes.size(), "the graph of '" + bytes.name() + "'");
    return GdfReader(bytes, options).read();
}

}  // namespace dunlin::io

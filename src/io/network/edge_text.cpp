// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "io/dialect.hpp"
#include "io/network/edge_ids.hpp"
#include "io/network/edge_layout.hpp"
#include "io/reading.hpp"

namespace dunlin::io {

namespace {

constexpr Offset rows_between_points = 4096;

/// Reads the rows of a list of edges.
template <class Ids>
class EdgeRows {
public:
    EdgeRows(const Bytes& bytes, const EdgeLayout& layout, Draft& draft)
        : bytes_(bytes), layout_(layout), last_(layout.last()), draft_(draft) {}

    /// Reads all rows; false if an id is not of the kind that Ids takes.
    bool read(Ids& ids) {
        Cells cells(bytes_, layout_.dialect, layout_.body);
        Pace pace("read", bytes_.view());
        for (const char* p = layout_.body; p != bytes_.end(); p = next_edge_row(bytes_, cells.at())) {
            pace.reach(p);
            cells.go_to(p);
            if (!row(cells, ids, p)) return false;
        }
        return true;
    }

private:
    bool row(Cells& cells, Ids& ids, const char* line) {
        typename Ids::Id source{}, target{};
        for (std::size_t column = 0;; ++column) {
            cells.skip_blanks();
            if (column == layout_.source || column == layout_.target) {
                if (!ids.parse(cells, column == layout_.source ? source : target)) {
                    if (Ids::takes_all) no_name(line, column + 1);
                    return false;
                }
            } else if (column == layout_.weight) {
                add_weight(cells, line);
            } else {
                cells.raw();
            }
            if (column == last_) break;
            if (!cells.next_cell()) ragged(line, column + 1);
        }
        if (++rows_ % rows_between_points == 0) device::cancellation_point();
        ids.add(draft_, source, target);
        if (!cells.ends_row(cells.at())) pass_over(cells, line);
        return true;
    }

    void add_weight(Cells& cells, const char* line) {
        double value = 0;
        if (!cells.number(value)) value = unusual_weight(cells, line);
        draft_.source->edges.weights.push_back(
            weight_of(value, [&] { return place(line); }, [&] { return fmt::format("'{}'", row_text(line)); }));
    }

    /// A weight with blanks around it or in quotes.
    double unusual_weight(Cells& cells, const char* line) {
        const std::string_view raw = cells.raw();
        double value = 0;
        if (parse_cell(raw, cells.point(), value)) return value;
        bad_file(
            "{}: '{}' is no weight of the edge '{}'; write a number > 0, or read the edges without (weights-from: "
            "none)",
            place(line), shown(raw), row_text(line));
    }

    /// Cells that are not used have to be there in every row.
    void pass_over(Cells& cells, const char* line) {
        std::size_t columns = last_ + 1;
        for (; cells.next_cell(); ++columns) {
            const bool empty = cells.raw().empty();
            if (empty && cells.ends_row(cells.at())) --columns;  // a delimiter that ends the row
        }
        if (columns != layout_.columns) ragged(line, columns);
    }

    [[noreturn]] void ragged(const char* line, std::size_t columns) const {
        bad_file("{}: '{}' has {} columns where the first row has {}; correct the row", place(line), row_text(line),
                 columns, layout_.columns);
    }
    [[noreturn]] void no_name(const char* line, std::size_t column) const {
        bad_file("{}: '{}' has no name of a vertex in column {}; correct the row", place(line), row_text(line), column);
    }
    [[nodiscard]] Spot place(const char* line) const { return at_line(bytes_.name(), line_of(bytes_, line)); }
    [[nodiscard]] std::string row_text(const char* line) const {
        const char* const end = std::find_if(line, bytes_.end(), [](char c) { return c == '\n' || c == '\r'; });
        return shown({line, static_cast<std::size_t>(end - line)});
    }

    const Bytes& bytes_;
    const EdgeLayout& layout_;
    std::size_t last_;
    Draft& draft_;
    Offset rows_ = 0;
};

/// All edges with ids of one kind; nothing if they are of another.
template <class Ids>
std::optional<Draft> draft_with(const Bytes& bytes, const EdgeLayout& layout) {
    Draft draft;
    Ids ids(layout.dialect.delimiter);
    if (!EdgeRows<Ids>(bytes, layout, draft).read(ids) || ids.are_sparse(draft)) return std::nullopt;
    ids.finish(draft);
    return draft;
}

}  // namespace

/// Ids are taken for small integers as long as they are, then for 64-bit integers, then for names: the text is read
/// again from its beginning at each turn.
Draft draft_edge_text(const Bytes& bytes, const NetworkOptions& options) {
    const EdgeLayout layout = look_at_edges(bytes, options);
    std::optional<Draft> draft = draft_with<NarrowIds>(bytes, layout);
    if (!draft) draft = draft_with<WideIds>(bytes, layout);
    if (!draft) draft = draft_with<NameIds>(bytes, layout);
    Network& network = draft->network;
    const char delimiter = layout.dialect.delimiter;
    network.kind = delimiter == ' ' || delimiter == '\t' ? "edges" : "csv";
    network.notes = notes_of(layout.dialect, options.decimal);
    network.weighted = layout.weight != EdgeLayout::none;
    if (!layout.left_out.empty()) {
        network.warnings.push_back(fmt::format("columns that are not used: {}", layout.left_out));
    }
    if (layout.counts) network.warnings.push_back("the first line is read as the numbers of vertices and edges");
    return std::move(*draft);
}

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "io/dialect.hpp"
#include "io/network/edge_ids.hpp"
#include "io/network/edge_schema.hpp"
#include "io/network/header_rows.hpp"
#include "io/number_text.hpp"
#include "io/read_progress.hpp"
#include "io/remedy.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

constexpr Offset rows_between_points = 4096;

/// Reads the rows of an edge list.
template <class Ids>
class EdgeRows {
public:
    EdgeRows(const Bytes& bytes, const EdgeSchema& schema, ParsedNetwork& parsed)
        : bytes_(bytes), schema_(schema), last_(schema.last()), parsed_(parsed), header_(bytes, schema) {}

    /// Reads all rows; false if an id is not of the kind Ids.
    bool read(Ids& ids) {
        FieldReader fields(bytes_, schema_.dialect, schema_.body);
        ReadProgress progress("read", bytes_.view());
        for (const char* p = schema_.body; p != bytes_.end(); p = next_row(fields.at())) {
            progress.advance(p);
            if (header_.repeats(p)) header_.refuse_repeated(p);
            fields.go_to(p);
            if (row(fields, ids, p)) continue;
            if (rows_ > 0) header_.refuse_names_of_ends(p);
            return false;
        }
        return true;
    }

private:
    const char* next_row(const char* end) {
        if (*end == '\n' && end[1] > '%') return end + 1;  // neither a blank nor a comment
        return next_edge_row(bytes_, end, &parsed_.comments);
    }

    bool row(FieldReader& fields, Ids& ids, const char* line) {
        typename Ids::Id source{}, target{};
        for (std::size_t column = 0;; ++column) {
            fields.skip_blanks();
            if (column == schema_.source || column == schema_.target) {
                if (!ids.parse(fields, column == schema_.source ? source : target)) {
                    if constexpr (Ids::takes_all) no_name(line, column + 1, ids.missing());
                    return false;
                }
            } else if (column == schema_.weight) {
                add_weight(fields, line);
            } else {
                fields.raw();
            }
            if (column == last_) break;
            if (!fields.next_field()) ragged(line, column + 1);
        }
        if (++rows_ % rows_between_points == 0) progress::cancellation_point();
        ids.add(parsed_, source, target);
        if (!fields.ends_row(fields.at()))
            pass_over(fields, line);
        else if (last_ + 1 < schema_.columns)
            ++parsed_.short_rows;
        return true;
    }

    void add_weight(FieldReader& fields, const char* line) {
        const char* const text = fields.at();
        double value = 0;
        if (!fields.number(value)) value = unusual_weight(fields, line);
        const float weight =
            weight_of(value, [&] { return place(line); }, [&] { return fmt::format("'{}'", shown_row(line)); });
        parsed_.source->edges.weights.push_back(weight);
        constexpr std::ptrdiff_t always_kept = 7;  // characters, of which six are digits that a float keeps
        if (fields.at() - text > always_kept && rounded_.empty()) note_rounded({text, fields.at()}, weight);
    }

    /// Notes the first weight that loses digits.
    void note_rounded(std::string_view text, float weight) {
        if (!loses_digits(text, weight)) return;
        rounded_ = text;
        parsed_.network.notes.push_back(
            {fmt::format("read with weights as 32-bit floats: {} is {}", shown(text), plain_decimal(weight)), ""});
    }

    /// Reads a weight with blanks or quotes around it.
    double unusual_weight(FieldReader& fields, const char* line) {
        const std::string_view raw = fields.raw();
        double value = 0;
        if (parse_field(raw, fields.point(), value)) return value;
        no_weight(raw, place(line), fmt::format("'{}'", shown_row(line)));
    }

    /// Skips unused fields, which every row must have.
    void pass_over(FieldReader& fields, const char* line) {
        std::size_t columns = last_ + 1;
        for (; fields.next_field(); ++columns) {
            const bool empty = fields.raw().empty();
            if (empty && fields.ends_row(fields.at())) --columns;  // trailing delimiter
        }
        if (columns != schema_.columns) ragged(line, columns);
    }

    [[noreturn]] void ragged(const char* line, std::size_t columns) const {
        bad_file("{}: '{}' has {} columns where the first row has {}; correct the row", place(line), shown_row(line),
                 columns, schema_.columns);
    }
    [[noreturn]] void no_name(const char* line, std::size_t column, std::string_view missing) const {
        if (missing.empty()) {
            bad_file("{}: '{}' has no name of a vertex in column {}; correct the row", place(line), shown_row(line),
                     column);
        }
        bad_file(
            "{}: '{}' in column {} stands for a missing value; remove the row, or quote the name, \"{}\", if a "
            "vertex is called so",
            place(line), missing, column, missing);
    }
    [[nodiscard]] FileLocation place(const char* line) const { return at_line(bytes_.name(), line_of(bytes_, line)); }
    [[nodiscard]] std::string shown_row(const char* line) const { return shown(row_text(bytes_, line)); }

    const Bytes& bytes_;
    const EdgeSchema& schema_;
    std::size_t last_;
    ParsedNetwork& parsed_;
    HeaderRows header_;
    std::string_view rounded_;  ///< the first weight that loses digits; empty: none
    Offset rows_ = 0;
};

/// Parses all edges with ids of one kind; empty if an id is of another kind.
template <class Ids>
std::optional<ParsedNetwork> draft_with(const Bytes& bytes, const EdgeSchema& schema) {
    ParsedNetwork parsed;
    Ids ids(schema.dialect.delimiter);
    if (!EdgeRows<Ids>(bytes, schema, parsed).read(ids) || ids.are_unsuited(parsed)) return std::nullopt;
    ids.finish(parsed);
    return parsed;
}

/// Whether the ends of the first edge are the ends of no other: the row may name columns.
bool is_first_edge_apart(const ParsedNetwork& parsed) {
    const std::span<const graph::Edge> edges = parsed.source->edges.all();
    if (edges.size() < 2) return false;
    const graph::Edge first = edges[0];
    const auto is_end = [&](Index v) { return v == first.source || v == first.target; };
    return std::none_of(edges.begin() + 1, edges.end(),
                        [&](graph::Edge e) { return is_end(e.source) || is_end(e.target); });
}

/// Warns where ends of two kinds have numbers in common.
void warn_of_kinds(const EdgeSchema& schema, ParsedNetwork& parsed) {
    if (schema.kinds.empty()) return;
    std::vector<bool> sources(at(parsed.source->vertices)), both(sources.size());
    for (const graph::Edge edge : parsed.source->edges.all()) sources[at(edge.source)] = true;
    for (const graph::Edge edge : parsed.source->edges.all()) both[at(edge.target)] = sources[at(edge.target)];
    const auto count = std::count(both.begin(), both.end(), true);
    if (count == 0) return;
    parsed.network.warnings.push_back(
        fmt::format("numbers in both columns, {}, which are one vertex each: {}; if the columns count on their own, "
                    "write a letter before each number",
                    schema.kinds, count));
}

void say_what_was_taken(const Bytes& bytes, const EdgeSchema& schema, ParsedNetwork& parsed) {
    Network& network = parsed.network;
    for (const Note& note : schema.notes) network.notes.push_back(note);
    if (schema.may_be_header && is_first_edge_apart(parsed)) {
        network.notes.push_back(
            {fmt::format("read with its first row, {}, as an edge", at_line(bytes.name(), line_of(bytes, schema.body))),
             "header"});
    }
    if (!schema.left_out.empty()) {
        network.warnings.push_back(fmt::format("columns that are not used: {}", schema.left_out));
    }
    const Offset comments = schema.comments + parsed.comments;
    if (comments == 0) return;
    network.warnings.push_back(fmt::format(
        "lines like edges, or among them, that begin with # or % are comments: {}; quote a name that begins so",
        comments));
}

}  // namespace

/// Tries ids as small integers, as 64-bit integers, as integers with a fraction of zeros, then as strings; each attempt
/// reads the text from its start.
ParsedNetwork parse_edge_text(const Bytes& bytes, const NetworkOptions& options) {
    const EdgeSchema schema = detect_edge_schema(bytes, options);
    if (schema.triples) return parse_sif(bytes, options);
    std::optional<ParsedNetwork> parsed = draft_with<NarrowIds>(bytes, schema);
    if (!parsed) parsed = draft_with<WideIds>(bytes, schema);
    if (!parsed) parsed = draft_with<DecimalIds>(bytes, schema);
    if (parsed) warn_of_kinds(schema, *parsed);
    if (!parsed) parsed = draft_with<NameIds>(bytes, schema);
    Network& network = parsed->network;
    const char delimiter = schema.dialect.delimiter;
    network.kind = delimiter == ' ' || delimiter == '\t' ? "edges" : "csv";
    for (Note& note : notes_of(schema.dialect, options.decimal)) network.notes.push_back(std::move(note));
    network.weighted = schema.weight != EdgeSchema::none;
    say_what_was_taken(bytes, schema, *parsed);
    return std::move(*parsed);
}

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
// Strings in a column of a table.
#include <algorithm>
#include <array>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/interner.hpp"
#include "io/readers.hpp"
#include "io/remedy.hpp"
#include "io/string_rows.hpp"
#include "io/table_header.hpp"
#include "io/table_schema.hpp"
#include "io/track_columns.hpp"

namespace dunlin::io {

namespace {

constexpr std::size_t none = no_column;
constexpr std::array<std::string_view, 12> text_names = {"sequence", "sequences", "seq",  "seqs",  "string", "strings",
                                                         "word",     "words",     "text", "texts", "aaseq",  "peptide"};
constexpr std::array<std::string_view, 4> second_names = {"name", "names", "title", "titles"};
constexpr std::array<std::string_view, 8> key_names = {"id",  "ids",        "",          "unnamed0",
                                                       "key", "identifier", "accession", "index"};

/// Whether a file is a table by its name.
bool has_table_name(const std::string& name) {
    const std::string extension = extension_of(name);
    return extension == ".csv" || extension == ".tsv";
}

std::vector<RawRow> first_rows(const Bytes& bytes, const char* from, char delimiter) {
    constexpr std::size_t most = 32;
    FieldReader fields(bytes, {delimiter, '.'}, from, false);
    std::vector<RawRow> rows;
    while (rows.size() < most) {
        RawRow row = raw_fields(fields);
        if (row.empty()) break;
        rows.push_back(std::move(row));
    }
    return rows;
}

/// The delimiter that gives all first rows the same number of fields, and the most; a byte of no text if a row is a
/// field.
char delimiter_of(const Bytes& bytes, const char* from) {
    char chosen = '\1';
    std::size_t most = 1;
    for (const char delimiter : {'\t', ',', ';', '|'}) {
        const std::vector<RawRow> rows = first_rows(bytes, from, delimiter);
        if (rows.empty()) continue;
        const std::size_t width = rows.front().size();
        const bool equal =
            std::all_of(rows.begin(), rows.end(), [width](const RawRow& row) { return row.size() == width; });
        if (!equal || width <= most) continue;
        chosen = delimiter;
        most = width;
    }
    return chosen;
}

class StringTable {
public:
    StringTable(const Bytes& bytes, const StringOptions& options)
        : bytes_(bytes), options_(options), fields_(bytes, {delimiter_of(bytes, text_of(bytes)), '.'}, text_of(bytes)) {
        const std::vector<RawRow> rows = first_rows(bytes, fields_.at(), fields_.delimiter());
        if (rows.empty()) return;
        for (const std::string_view name : rows.front()) {
            names_.push_back(unquoted(name));
            plain_.push_back(plain_name(name));
        }
    }

    [[nodiscard]] bool is_asked() const {
        return !options_.strings_from.empty() || !options_.ids.empty() || !options_.labels.empty();
    }
    [[nodiscard]] std::size_t width() const { return names_.size(); }
    [[nodiscard]] bool has_tabs() const { return width() > 1 && fields_.delimiter() == '\t'; }

    /// Whether all titles of the first row are usual ones, among them one of strings: it is the header of a table.
    [[nodiscard]] bool has_certain_header() const {
        const bool are_known = std::all_of(plain_.begin(), plain_.end(), [](const std::string& name) {
            return among(text_names, name) || among(second_names, name) || among(key_names, name) ||
                   among(label_names, name);
        });
        return width() > 1 && are_known && !called(text_names).empty();
    }

    [[nodiscard]] const std::string& first() const { return names_.front(); }

    /// Whether the first row has usual names, or one that an option has.
    [[nodiscard]] bool has_header() const {
        for (const std::string& name : {options_.strings_from, options_.ids, options_.labels}) {
            if (!name.empty() && std::find(names_.begin(), names_.end(), name) != names_.end()) return true;
        }
        // A lone word such as "class" may be an item
        const bool has_many = width() > 1;
        return std::any_of(plain_.begin(), plain_.end(), [has_many](const std::string& name) {
            if (among(text_names, name) || among(second_names, name)) return true;
            return has_many && !name.empty() && (among(key_names, name) || among(label_names, name));
        });
    }

    StringRows read() && {
        const bool header = has_header();
        if (header)
            raw_fields(fields_);
        else
            plain_.assign(plain_.size(), "?");
        if (!header) names_.assign(names_.size(), "");
        StringRows rows;
        rows.kind = "csv";
        const std::size_t label = label_column(), id = id_column(), text = text_column(id, label, rows.notes);
        read_rows(rows, text, id, label, header ? 2 : 1);
        note_left_out(rows.notes, text, id, label);
        return rows;
    }

private:
    template <class Names>
    static bool among(const Names& names, std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    }

    template <class Names>
    [[nodiscard]] std::vector<std::size_t> called(const Names& names) const {
        std::vector<std::size_t> columns;
        for (std::size_t c = 0; c < plain_.size(); ++c) {
            if (among(names, plain_[c])) columns.push_back(c);
        }
        return columns;
    }

    [[nodiscard]] std::string title(std::size_t c) const {
        return names_[c].empty() ? fmt::format("{}", c + 1) : fmt::format("{} '{}'", c + 1, shown(names_[c]));
    }

    [[nodiscard]] std::size_t given(const std::string& name, const char* option) const {
        if (name.empty()) return none;
        for (std::size_t c = 0; c < width(); ++c) {
            if (names_[c] == name) return c;
        }
        for (std::size_t c = 0; c < width(); ++c) {
            if (fmt::format("{}", c + 1) == name) return c;
        }
        bad_option(option, "'{}' is no column of '{}'; give a column's name or its number from 1 to {}", name,
                   bytes_.name(), width());
    }

    [[nodiscard]] std::size_t label_column() const {
        const std::size_t column = given(options_.labels, "labels");
        const std::vector<std::size_t> usual = called(label_names);
        return column == none && usual.size() == 1 && width() > 1 ? usual.front() : column;
    }

    [[nodiscard]] std::size_t id_column() const {
        const std::size_t column = given(options_.ids, "ids");
        const std::vector<std::size_t> usual = called(key_names);
        return column == none && !usual.empty() && width() > 1 ? usual.front() : column;
    }

    [[nodiscard]] std::size_t text_column(std::size_t id, std::size_t label, std::vector<Note>& notes) const {
        const std::size_t column = given(options_.strings_from, "strings-from");
        if (column != none) return column;
        std::vector<std::size_t> found = called(text_names);
        if (found.empty()) found = called(second_names);
        if (found.empty()) {
            for (std::size_t c = 0; c < width(); ++c) {
                if (c != id && c != label) found.push_back(c);
            }
        }
        if (found.size() != 1) {
            std::string all;
            for (std::size_t c = 0; c < width(); ++c) all += fmt::format("{}{}", c == 0 ? "" : ", ", title(c));
            refuse_unless({"strings-from", "COLUMN"}, Fault::bad_file,
                          "'{}' is a table with the columns {}, and more than one may hold the strings; name one",
                          bytes_.name(), all);
        }
        notes.push_back({fmt::format("read with the strings of column {}", title(found.front())), "strings-from"});
        return found.front();
    }

    void read_rows(StringRows& rows, std::size_t text, std::size_t id, std::size_t label, std::size_t line) {
        StringInterner classes;
        for (; fields_.next_row(); ++line) {
            const char* const begin = fields_.at();
            std::vector<std::string> row;
            do {
                row.push_back(fields_.text());
            } while (fields_.next_field());
            if (row.size() != width()) {
                bad_file("{}: the row has {} columns where {} were expected; correct the row",
                         at_line(bytes_.name(), line_of(bytes_, begin)), row.size(), width());
            }
            if (row[text].empty()) {
                bad_file("{}: column {} is empty; remove the row or fill the string in",
                         at_line(bytes_.name(), line_of(bytes_, begin)), title(text));
            }
            if (id != none) rows.ids.push_back(row[id]);
            if (label != none) classes.add(row[label]);
            rows.texts.push_back(std::move(row[text]));
        }
        if (rows.texts.empty()) bad_file("'{}' has a header and no rows; add rows", bytes_.name());
        if (label != none) rows.labels = std::move(classes).labels();
    }

    void note_left_out(std::vector<Note>& notes, std::size_t text, std::size_t id, std::size_t label) const {
        std::string left;
        for (std::size_t c = 0; c < width(); ++c) {
            if (c != text && c != id && c != label) left += (left.empty() ? "" : ", ") + title(c);
        }
        if (!left.empty()) notes.push_back({"read without column " + left, ""});
    }

    const Bytes& bytes_;
    const StringOptions& options_;
    FieldReader fields_;
    std::vector<std::string> names_, plain_;  ///< of the first row
};

}  // namespace

std::optional<StringRows> read_string_table(const Bytes& bytes, const StringOptions& options) {
    StringTable table(bytes, options);
    if (table.width() == 0) return std::nullopt;
    const bool is_named = has_table_name(bytes.name());
    const bool is_table = is_named ? table.has_header() || table.width() > 1
                                   : table.has_certain_header() || (table.has_tabs() && table.has_header());
    return table.is_asked() || is_table ? std::optional(std::move(table).read()) : std::nullopt;
}

}  // namespace dunlin::io

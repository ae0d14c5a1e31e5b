// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include <dunlin/json_depth.hpp>
#include "io/as_text.hpp"

#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/json_keys.hpp"
#include "io/read_progress.hpp"

namespace dunlin::io {

namespace {

using Record = nlohmann::ordered_json;

std::string cell_of(const Record& value) {
    if (value.is_null()) return "";
    return value.is_string() ? table_cell(value.get<std::string>()) : value.dump();
}

/// Columns of all records, in the order in which they come.
class MemberColumns {
public:
    /// The place of a column, which becomes one if `is_first`.
    std::size_t place(const std::string& name) {
        const auto [found, is_new] = place_of_.emplace(name, names_.size());
        if (is_new) names_.push_back(name);
        return found->second;
    }
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::size_t> place_of_;
};

/// A line with NaN as null and infinities as text, as Python's json.dumps writes these.
std::string with_json_numbers(std::string_view line) {
    std::string out;
    bool in_text = false;
    while (!line.empty()) {
        std::size_t length = 1;
        const auto is_next = [&](std::string_view word) { return !in_text && line.starts_with(word); };
        if (is_next("NaN")) {
            out += "null", length = 3;
        } else if (is_next("Infinity") || is_next("-Infinity")) {
            length = line[0] == '-' ? 9 : 8;
            out += line[0] == '-' ? "\"-inf\"" : "\"inf\"";
        } else {
            if (line[0] == '"') in_text = !in_text;
            if (in_text && line[0] == '\\') length = std::min<std::size_t>(2, line.size());
            out += line.substr(0, length);
        }
        line.remove_prefix(length);
    }
    return out;
}

Record record_of(std::string_view line) {
    Record record = Record::parse(line, nullptr, false);
    return record.is_discarded() ? Record::parse(with_json_numbers(line), nullptr, false) : record;
}

/// Calls use(record, line) for each line that is not blank.
template <class Use>
void each_record(const Bytes& lines, const Use& use) {
    std::string_view rest = lines.view();
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
    ReadProgress progress("read", lines.view());
    for (std::size_t line = 1; !rest.empty(); ++line) {
        progress.advance(rest.data());
        const std::string_view text = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), text.size() + 1));
        if (text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (nests_too_deeply(text))
            bad_file("{}: the line has lists in lists, which are no table", at_line(lines.name(), line));
        const Record record = record_of(text);
        if (!record.is_object() && !record.is_array())
            bad_file("{}: the line is no object or array of JSON; write one record a line",
                     at_line(lines.name(), line));
        require_distinct_keys(text, lines.name(), line);
        use(record, line);
    }
}

/// Calls take(column name, value) for the cells of a record; an array of an object is several.
template <class Take>
void each_cell(const Record& record, const std::string& file, std::size_t line, const Take& take) {
    const auto one = [&](const std::string& name, const Record& value) {
        if (value.is_object() || value.is_array())
            bad_file("{}: {} holds {}; write numbers and words", at_line(file, line), shown(name),
                     value.is_object() ? "an object" : "an array in an array");
        take(name, value);
    };
    for (std::size_t i = 0; record.is_array() && i < record.size(); ++i) one(std::to_string(i), record[i]);
    if (record.is_array()) return;
    for (const auto& [name, value] : record.items()) {
        if (!value.is_array()) {
            one(name, value);
            continue;
        }
        for (std::size_t i = 0; i < value.size(); ++i) one(name + "." + std::to_string(i), value[i]);
    }
}

}  // namespace

Bytes table_of_json_lines(const Bytes& lines) {
    MemberColumns columns;
    bool has_names = false, has_rows = false;
    each_record(lines, [&](const Record& record, std::size_t line) {
        (record.is_object() ? has_names : has_rows) = true;
        if (has_names && has_rows)
            bad_file("{}: some records are objects and some are arrays; write one kind", at_line(lines.name(), line));
        each_cell(record, lines.name(), line, [&](const std::string& name, const Record&) { columns.place(name); });
    });

    GrowableBuffer<char> text("the table of '" + lines.name() + "'");
    const auto put_row = [&](const std::vector<std::string>& cells) {
        for (std::size_t c = 0; c < cells.size(); ++c) append(text, (c == 0 ? "" : "\t") + cells[c]);
        append(text, "\n");
    };
    if (has_names) {
        std::vector<std::string> names;
        for (const std::string& name : columns.names()) names.push_back(table_cell(name));
        put_row(names);
    }
    each_record(lines, [&](const Record& record, std::size_t line) {
        std::vector<std::string> cells(columns.names().size());
        each_cell(record, lines.name(), line,
                  [&](const std::string& name, const Record& value) { cells[columns.place(name)] = cell_of(value); });
        put_row(cells);
    });
    return padded(text, lines.name());
}

}  // namespace dunlin::io

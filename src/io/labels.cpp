// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "io/fail.hpp"
#include "io/interner.hpp"
#include "io/npy.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

std::string_view trimmed(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
    if (line.size() > 1 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
    return line;
}

/// Calls use(line, number) for the trimmed lines of a text, without trailing blank ones. data() of a blank line is
/// null.
template <class Use>
void each_line(const Bytes& bytes, const Use& use) {
    std::string_view rest = bytes.view();
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
    rest = rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1);
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
        const std::string_view line = trimmed(rest.substr(0, end));
        const bool two = rest.substr(end).starts_with("\r\n");
        rest.remove_prefix(std::min(end + (two ? 2 : 1), rest.size()));
        use(line, number);
    }
}

/// Names of the clusters 0, 1, ... in "%Clusters 5 business,sport,...".
std::vector<std::string> cluster_names(std::string_view line) {
    std::vector<std::string> names;
    line.remove_prefix(std::min(line.size(), line.find_last_of(' ') + 1));
    for (std::size_t comma = 0; comma != std::string_view::npos; line.remove_prefix(std::min(line.size(), comma + 1))) {
        comma = line.find(',');
        names.emplace_back(line.substr(0, comma));
    }
    return names;
}

/// Format of the BBC documents: "%%Clustering hard", comments, then lines of "object cluster" in ascending order.
Labels read_clustering(const Bytes& bytes) {
    StringInterner words;
    std::vector<std::string> names;
    each_line(bytes, [&](std::string_view line, std::size_t number) {
        if (line.starts_with("%Clusters")) names = cluster_names(line);
        if (line.starts_with('%')) return;
        std::size_t object = 0, cluster = 0;
        const char* const end = line.data() + line.size();
        const auto first = std::from_chars(line.data(), end, object);
        const bool spaced = first.ec == std::errc() && first.ptr != end && *first.ptr == ' ';
        const auto second = spaced ? std::from_chars(first.ptr + 1, end, cluster) : first;
        if (!spaced || second.ec != std::errc() || second.ptr != end || cluster >= names.size() ||
            object != words.size()) {
            bad_file("{}: '{}' is not object {} and one of {} clusters; correct the line",
                     at_line(bytes.name(), number), shown(line), words.size(), names.size());
        }
        words.add(names[cluster]);
    });
    return std::move(words).labels();
}

/// Reads one label per line.
Labels read_lines(const Bytes& bytes) {
    StringInterner words;
    each_line(bytes, [&](std::string_view label, std::size_t line) {
        if (label.data() == nullptr)
            bad_file("{}: the line is empty; write NA for a row without a label", at_line(bytes.name(), line));
        if (label.find('\0') != std::string_view::npos)
            bad_file("'{}' is not text; give one label per line", bytes.name());
        const bool header = line == 1 && (label == "label" || label == "labels" || label == "class");
        if (!header) words.add(std::string(label));
    });
    return std::move(words).labels();
}

/// Whether every line has a tab: a label has none.
bool has_tabs(const Bytes& bytes) {
    bool tabs = bytes.size() > 0;
    each_line(bytes, [&](std::string_view line, std::size_t) { tabs = tabs && line.find('\t') != line.npos; });
    return tabs;
}

bool is_label_table(const Bytes& bytes) {
    const std::string extension = extension_of(bytes.name());
    return extension == ".csv" || extension == ".tsv" || has_tabs(bytes);
}

/// Labels of a format without columns.
Labels read_plain(const Bytes& bytes) {
    if (is_npy(bytes)) return labels_of(parse_npy(bytes), bytes.name());
    if (is_idx(bytes)) return labels_of(parse_idx(bytes), bytes.name());
    if (bytes.view().starts_with("%%Clustering")) return read_clustering(bytes);
    return read_lines(bytes);
}

bool is_plain(const Bytes& bytes) {
    return is_npy(bytes) || is_idx(bytes) || bytes.view().starts_with("%%Clustering") || !is_label_table(bytes);
}

/// Says that a first line which may be a header is a label: no other line is like it, while other labels repeat.
void note_first_line(const Labels& labels, std::vector<Note>& notes) {
    const bool repeat = labels.names.size() < labels.of.size();
    if (!repeat || labels.of.size() < 3 || std::count(labels.of.begin(), labels.of.end(), labels.of.front()) > 1)
        return;
    const std::string& first = labels.names[static_cast<std::size_t>(std::max<Index>(labels.of.front(), 0))];
    if (labels.of.front() == no_label || is_number(first)) return;
    notes.push_back(
        {fmt::format("read with its first line '{}' as a label; call it label if it is a header", shown(first)), ""});
}

}  // namespace

LabelColumn read_words(const Bytes& bytes, const std::string& column) {
    const bool plain = is_plain(bytes);
    if (plain && !column.empty())
        bad_file("'{}' has labels without columns, and '{}' is named; leave the column out", bytes.name(), column);
    LabelColumn read = plain ? LabelColumn{read_plain(bytes)} : read_label_table(bytes, column);
    if (read.labels.empty()) bad_file("'{}' is empty; give one label per line", bytes.name());
    if (plain && !is_npy(bytes) && !is_idx(bytes)) note_first_line(read.labels, read.notes);
    return read;
}

LabelColumn read_label_column(const Bytes& bytes, const std::string& column) {
    LabelColumn read = read_words(bytes, column);
    if (read.labels.of.size() > 2 && read.labels.names.size() == read.labels.of.size()) {
        read.notes.push_back(
            {fmt::format("read with another label in every row, such as '{}'{}", shown(read.labels.names.front()),
                         is_plain(bytes) ? "; a table needs the extension .csv or .tsv" : ""),
             ""});
    }
    return read;
}

Labels read_labels(const Bytes& bytes) { return read_label_column(bytes, "").labels; }

}  // namespace dunlin::io

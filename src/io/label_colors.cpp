// SPDX-License-Identifier: Apache-2.0
#include "io/label_colors.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "io/fail.hpp"

namespace dunlin::io {

namespace {

std::string_view without_blanks(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// A field without its quotes, of which two within are one.
std::string without_quotes(std::string_view field) {
    if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::string(field);
    std::string text;
    for (std::size_t at = 1; at + 1 < field.size(); ++at) {
        text += field[at];
        if (field[at] == '"' && field[at + 1] == '"') ++at;
    }
    return text;
}

/// The label and the color of a line; an empty color if nothing separates them.
LabelAndColor parted(std::string_view line) {
    const std::size_t mark = line.find_last_of(",;\t");
    if (mark == std::string_view::npos) return {std::string(line), ""};
    return {without_quotes(without_blanks(line.substr(0, mark))),
            without_quotes(without_blanks(line.substr(mark + 1)))};
}

}  // namespace

std::vector<LabelAndColor> read_label_colors(const Bytes& bytes) {
    std::vector<LabelAndColor> colors;
    std::map<std::string, std::string> seen;
    std::string_view rest = bytes.view();
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = without_blanks(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (line.empty()) continue;
        LabelAndColor row = parted(line);
        const bool is_color = row.second.starts_with('#');
        if (!is_color && number == 1) continue;  // a header
        if (!is_color || row.first.empty())
            bad_file("{}: '{}' is no label and a color such as A,#1a2b3c; correct the line",
                     at_line(bytes.name(), number), shown(line));
        const auto [known, is_new] = seen.try_emplace(row.first, row.second);
        if (!is_new && known->second != row.second)
            bad_file("{}: '{}' has the color {} and had {}; give it one", at_line(bytes.name(), number),
                     shown(row.first), shown(row.second), known->second);
        if (is_new) colors.push_back(std::move(row));
    }
    if (colors.empty()) bad_file("'{}' has no colors; give a label and a color such as #1a2b3c a line", bytes.name());
    return colors;
}

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#include "io/network/edge_header.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "io/network/triples.hpp"
#include "io/network/weight_names.hpp"
#include "io/number.hpp"
#include "io/table_header.hpp"
#include "io/table_schema.hpp"
#include "io/track_columns.hpp"

namespace dunlin::io {

namespace {

struct EndNames {
    std::string_view source, target;
};

/// Usual names of the two ends of an edge, in lower case without punctuation (from_node_id is fromnodeid).
constexpr std::array<EndNames, 22> end_names = {{{"source", "target"},
                                                 {"source", "destination"},
                                                 {"src", "dst"},
                                                 {"src", "dest"},
                                                 {"from", "to"},
                                                 {"fromid", "toid"},
                                                 {"fromnode", "tonode"},
                                                 {"fromnodeid", "tonodeid"},
                                                 {"srcid", "dstid"},
                                                 {"srcnid", "dstnid"},
                                                 {"sourceid", "targetid"},
                                                 {"sourcenode", "targetnode"},
                                                 {"node1", "node2"},
                                                 {"nodeid1", "nodeid2"},
                                                 {"nodea", "nodeb"},
                                                 {"nodeid", "nodeid"},
                                                 {"id1", "id2"},
                                                 {"vertex1", "vertex2"},
                                                 {"origin", "destination"},
                                                 {"head", "tail"},
                                                 {"subject", "object"},
                                                 {"startid", "endid"}}};
/// Parts that tell two ends of one kind apart: source_word and target_word, protein1 and protein2.
constexpr std::array<EndNames, 7> end_parts = {
    {{"source", "target"}, {"src", "dst"}, {"from", "to"}, {"1", "2"}, {"a", "b"}, {"i", "j"}, {"left", "right"}}};

/// Position of `name` in `names`, from column `from` on; names.size() if there is none.
std::size_t position(const std::vector<std::string>& names, std::string_view name, std::size_t from = 0) {
    const auto begin = names.begin() + static_cast<std::ptrdiff_t>(std::min(from, names.size()));
    return static_cast<std::size_t>(std::find(begin, names.end(), name) - names.begin());
}

std::string letters(std::string_view name) {
    std::string out = plain_name(name);
    std::erase_if(out, is_digit);
    return out;
}

std::string_view cell(const RawRow& row, std::size_t column) {
    return column < row.size() ? row[column] : std::string_view{};
}

/// Whether a column has vertices in both rows, such as "node1 node2" above "node2 node3", and hence no header.
bool numbers_vertices(const RawRow& first, const std::vector<RawRow>& below, std::size_t column) {
    return !below.empty() && column < below[0].size() && letters(first[column]) == letters(below[0][column]);
}

/// Whether a column has words in all rows.
bool has_words(const std::vector<RawRow>& rows, std::size_t column, char point) {
    return !rows.empty() && std::all_of(rows.begin(), rows.end(), [&](const RawRow& row) {
        return !cell(row, column).empty() && !is_number(row[column], point);
    });
}

/// Whether a column has whole numbers in all rows.
bool has_whole(const std::vector<RawRow>& rows, std::size_t column, char point) {
    return !rows.empty() && std::all_of(rows.begin(), rows.end(), [&](const RawRow& row) {
        return !whole_part(cell(row, column), point).empty();
    });
}

/// Whether a word of the first row in one of these two columns is there in a row below: then it is a vertex.
bool recurs(const RawRow& first, const std::vector<RawRow>& below, std::size_t source, std::size_t target) {
    const auto is_there = [&](std::string_view end) { return end == first[source] || end == first[target]; };
    return std::any_of(below.begin(), below.end(),
                       [&](const RawRow& row) { return is_there(cell(row, source)) || is_there(cell(row, target)); });
}

/// Whether two names differ in the part that tells the ends apart alone.
bool are_two_ends(const std::string& a, const std::string& b) {
    return std::any_of(end_parts.begin(), end_parts.end(), [&](const EndNames& parts) {
        const auto rest = [](std::string_view name, std::string_view part) {
            if (name.size() <= part.size()) return std::string_view{};
            if (name.ends_with(part)) return name.substr(0, name.size() - part.size());
            return part.size() > 2 && name.starts_with(part) ? name.substr(part.size()) : std::string_view{};
        };
        const std::string_view left = rest(a, parts.source);
        return !left.empty() && left == rest(b, parts.target);
    });
}

/// Whether a column has a word above numbers alone, or one without a digit above dates and the like alone.
bool differs_below(const RawRow& first, const std::vector<RawRow>& below, std::size_t column, char point) {
    const bool without_digit = std::none_of(first[column].begin(), first[column].end(), is_digit);
    std::size_t numbers = 0, dates = 0;
    for (const RawRow& row : below) {
        const std::string_view raw = cell(row, column);
        if (is_missing(raw)) continue;
        const bool number = is_number(raw, point);
        numbers += number ? 1 : 0;
        dates += !number && is_digit(raw[0]) ? 1 : 0;
        if (!number && !(without_digit && column > 1 && is_digit(raw[0]))) return false;
    }
    return numbers + dates > 0;
}

/// Whether strings above integers name a column.
bool is_above_integers(const RawRow& first, const std::vector<RawRow>& below, char point) {
    return !below.empty() && is_whole(cell(below[0], 0)) && is_whole(cell(below[0], 1)) &&
           !is_number(first[0], point) && !is_number(first[1], point);
}

bool types_differ(const RawRow& first, const std::vector<RawRow>& below, char point) {
    if (is_above_integers(first, below, point)) return true;
    const auto names = [&](std::string_view raw) { return raw.empty() || is_word(raw, point); };
    if (!std::all_of(first.begin(), first.end(), names)) return false;
    if (recurs(first, below, 0, 1)) return false;
    for (std::size_t c = 0; c < first.size(); ++c) {
        if (differs_below(first, below, c, point)) return true;
    }
    return false;
}

/// Whether a first row may name an end in this column: a number, such as 001, is a vertex.
bool may_name_end(const RawRow& first, std::size_t column, char point) {
    return !letters(first[column]).empty() && !is_number(first[column], point);
}

/// Ends of one kind in two columns, such as gene1 and gene2; not found if the rows below do not fit.
EdgeHeader ends_of_one_kind(const RawRow& first, const std::vector<RawRow>& below, std::size_t source,
                            std::size_t target, char point) {
    if (!are_two_ends(plain_name(first[source]), plain_name(first[target]))) return {};
    if (!may_name_end(first, source, point) || !may_name_end(first, target, point)) return {};
    const bool words = has_words(below, source, point) && has_words(below, target, point);
    const bool vertices = numbers_vertices(first, below, source) || numbers_vertices(first, below, target);
    const bool whole = has_whole(below, source, point) && has_whole(below, target, point);
    if (words ? vertices || recurs(first, below, source, target) : !whole) return {};
    return {.found = true, .certain = !words, .ends = true, .usual = words, .source = source, .target = target};
}

/// Whether a header of unusual names has relations in its second column, and hence ends in its first and third.
bool has_relations_between(const RawRow& first, const std::vector<RawRow>& below, char point) {
    if (first.size() < 3 || below.empty() || !names_relation(first[0], first[1], first[2])) return false;
    if (weight_rank(first[2], {.lengths = true}) != no_weights || is_no_weight(first[2], {.lengths = true}) ||
        is_strength(first[2]))
        return false;
    return has_words(below, 2, point) || has_whole(below, 2, point);
}

}  // namespace

std::string_view whole_part(std::string_view raw, char point) {
    const std::string_view whole = raw.substr(0, raw.find(point)), fraction = raw.substr(whole.size());
    const bool is_round = fraction.find_first_not_of('0', 1) == std::string_view::npos;
    return is_whole(whole) && is_round ? whole : std::string_view{};
}

bool are_usual_ends(const RawRow& row, std::size_t source, std::size_t target) {
    const std::string a = plain_name(row[source]), b = plain_name(row[target]);
    return std::any_of(end_names.begin(), end_names.end(),
                       [&](const EndNames& names) { return names.source == a && names.target == b; });
}

EdgeHeader named_ends(const RawRow& first, const std::vector<RawRow>& below, char point) {
    std::vector<std::string> names;
    for (const std::string_view name : first) names.push_back(plain_name(name));
    for (const EndNames& ends : end_names) {
        const std::size_t source = position(names, ends.source);
        const std::size_t target = position(names, ends.target, ends.source == ends.target ? source + 1 : 0);
        if (source == names.size() || target == names.size()) continue;
        if (numbers_vertices(first, below, source) && numbers_vertices(first, below, target)) return {};
        return {.found = true, .certain = true, .ends = true, .usual = true, .source = source, .target = target};
    }
    for (std::size_t c = 1; c < names.size(); ++c) {
        if (const EdgeHeader ends = ends_of_one_kind(first, below, c - 1, c, point); ends.found) return ends;
    }
    for (std::size_t c = 2; c < names.size(); ++c) {
        if (!names_relation(first[c - 2], first[c - 1], first[c])) continue;
        if (const EdgeHeader ends = ends_of_one_kind(first, below, c - 2, c, point); ends.found) return ends;
    }
    return {};
}

EdgeHeader judge_header(const RawRow& first, const std::vector<RawRow>& below, char point) {
    EdgeHeader header = named_ends(first, below, point);
    if (header.certain) return header;
    header.certain = types_differ(first, below, point);
    header.found = header.found || header.certain;
    // A first column without a name is an index, as pandas writes it
    if (header.found && !header.ends && first.size() > 2 && first[0].empty()) header.source = 1, header.target = 2;
    header.relations = header.found && !header.ends && has_relations_between(first, below, point);
    if (header.relations) header.target = 2;
    return header;
}

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#include "io/network/triples.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "io/fail.hpp"
#include "io/network/parsed_network.hpp"
#include "io/network/weight_names.hpp"
#include "io/number.hpp"
#include "io/remedy.hpp"
#include "io/table_schema.hpp"
#include "io/track_columns.hpp"

namespace dunlin::io {

namespace {

constexpr auto relation_names = std::to_array<std::string_view>(
    {"relation", "relations", "rel", "relationship", "relationtype", "predicate", "interaction", "interactiontype",
     "edge", "edgetype", "type", "interactiontypes", "kind", "verb", "link", "linktype", "property"});

/// Signs and codes of relations (SIF), in lower case.
constexpr auto codes = std::to_array<std::string_view>({"->", "-->", "=>", "==>", "<-", "<--", "<->", "<-->", "--",
                                                        "-",  "~",   ">",  "<",   ":",  "|",   "pp",  "pd",   "pr",
                                                        "rc", "cr",  "gl", "pm",  "mp", "dp",  "xx",  "to"});

/// Words that are usual for relations, as plain_name() has them.
constexpr auto verbs = std::to_array<std::string_view>(
    {"knows",      "friend",     "friends",         "friendof",   "family",        "colleague",
     "colleagues", "likes",      "follows",         "isa",        "partof",        "haspart",
     "has",        "cites",      "citedby",         "interacts",  "interactswith", "relatedto",
     "activates",  "activation", "inhibits",        "inhibition", "binds",         "binding",
     "regulates",  "expression", "phosphorylation", "parentof",   "childof",       "marriedto",
     "siblingof",  "linksto",    "dependson",       "imports",    "calls",         "sameas",
     "subclassof"});

template <class Words>
bool is_among(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_usual_relation(std::string_view word) {
    return is_among(codes, lower(word)) || is_among(verbs, plain_name(word));
}

/// What rows have in a column of words and in two others, one of which has whole numbers.
struct Relations {
    std::set<std::string_view> words, sources, targets;
    std::size_t rows = 0;
    bool whole_sources = true;  ///< whole numbers alone
    bool loops = false;         ///< the two others are equal in a row

    /// False if the row is none of a relation between vertices.
    bool add(const RawRow& row, std::size_t word, std::size_t source, std::size_t target, char point) {
        if (row.size() <= std::max({word, source, target})) return false;
        const std::string_view end = whole_part(row[target], point), number = whole_part(row[source], point);
        if (end.empty() || row[word].empty() || is_number(row[word], point)) return false;
        words.insert(row[word]), sources.insert(number.empty() ? row[source] : number), targets.insert(end);
        whole_sources = whole_sources && !number.empty();
        loops = loops || number == end;
        ++rows;
        return true;
    }
    [[nodiscard]] bool are_usual() const { return std::all_of(words.begin(), words.end(), is_usual_relation); }
    /// Whether a word is a vertex of another row.
    [[nodiscard]] bool have_vertices() const {
        return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return sources.contains(word); });
    }
    /// Whether a target is a source of another row, as of edges, and none of its own, as small counts are.
    [[nodiscard]] bool go_on() const {
        return !loops && std::any_of(targets.begin(), targets.end(),
                                     [&](std::string_view target) { return sources.contains(target); });
    }
    [[nodiscard]] bool repeat() const { return words.size() == 1 ? rows > 1 : 4 * words.size() <= rows; }
};

struct ThreeColumns {
    std::size_t word, source, target;
};

/// The relations in these columns of all rows; without rows if a row has none.
Relations relations_in(ThreeColumns at, const RawRow& edge, const std::vector<RawRow>& below, char point) {
    Relations found;
    bool fits = found.add(edge, at.word, at.source, at.target, point);
    for (std::size_t r = 0; fits && r < below.size(); ++r)
        fits = found.add(below[r], at.word, at.source, at.target, point);
    return fits ? found : Relations{};
}

[[noreturn]] void refuse(const Bytes& bytes, const RawRow& edge, ThreeColumns at) {
    refuse_unless({"weights-from", "3"}, Fault::bad_file,
                  "{}: '{}' in column {} is a relation and no vertex, as it seems, and '{}' the other end; name the "
                  "columns in a first row, such as source, relation, target, or say that column 3 has weights",
                  at_line(bytes.name(), line_of(bytes, edge[0].data())), shown(edge[at.word]), at.word + 1,
                  shown(edge[at.target]));
}

}  // namespace

bool names_relation(std::string_view before, std::string_view name, std::string_view after) {
    const std::string plain = plain_name(name);
    if (is_among(relation_names, plain)) return true;
    const std::string all = plain_name(before) + plain + plain_name(after);
    return plain.size() == 1 && (all == "hrt" || all == "spo");
}

void check_numbered_triples(const Bytes& bytes, const RawRow& edge, const std::vector<RawRow>& below,
                            const std::vector<std::string>& names, const NetworkOptions& options, EdgeSchema& schema) {
    const bool is_chosen = !options.weights_from.empty() && !ignores_weights(options);
    const bool by_place = schema.source == 0 && schema.target == 1;
    if (is_chosen || !by_place || schema.names_ends) return;
    const bool named = !names.empty();
    if (named && (names.size() < 3 || find_weights(names, options) < names.size() || is_strength(names[2]))) return;

    const char point = schema.dialect.point;
    const ThreeColumns middle{.word = 1, .source = 0, .target = 2}, front{.word = 0, .source = 1, .target = 2};
    const Relations between = relations_in(middle, edge, below, point);
    if (between.rows > 0 && !between.have_vertices()) {
        const bool are_edges = !named && between.whole_sources && between.go_on();
        if (between.are_usual() || are_edges) refuse(bytes, edge, middle);
        if (!named && (between.whole_sources || between.repeat())) {
            schema.notes.push_back({fmt::format("read with column 3 as the weights of edges to '{}' and the like; if "
                                                "these are relations, name the columns in a first row: source, "
                                                "relation, target",
                                                shown(edge[1])),
                                    "weights-from"});
        }
    }
    const Relations before = relations_in(front, edge, below, point);
    if (before.rows > 0 && before.whole_sources && before.are_usual()) refuse(bytes, edge, front);
}

}  // namespace dunlin::io

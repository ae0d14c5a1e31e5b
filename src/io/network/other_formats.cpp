// SPDX-License-Identifier: Apache-2.0
#include "io/network/other_formats.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include <dunlin/formats.hpp>

#include "io/fail.hpp"
#include "io/network/adjacency.hpp"
#include "io/network/konect.hpp"
#include "io/network/text_lines.hpp"
#include "io/number.hpp"
#include "io/readers.hpp"

namespace dunlin::io {

namespace {

constexpr OtherFormat parsed_by(std::string_view name, ParsedNetwork (*parse)(const Bytes&, const NetworkOptions&)) {
    return {formats::named(formats::known, name).name, "", parse};
}

constexpr OtherFormat refused(std::string_view name) {
    const formats::Refused& format = formats::named(formats::refused, name);
    return {format.name, format.remedy};
}

/// Entry of a format that only a file extension selects.
constexpr OtherFormat misnamed(std::string_view name, std::string_view remedy) {
    return {formats::named(formats::known, name).name, remedy};
}

constexpr OtherFormat pajek = parsed_by("Pajek", parse_pajek);
constexpr OtherFormat gdf = parsed_by("GDF (GUESS)", parse_gdf);
constexpr OtherFormat sif = parsed_by("SIF (Cytoscape)", parse_sif);
constexpr OtherFormat tgf = parsed_by("TGF", parse_tgf);
constexpr OtherFormat lgl = parsed_by("LGL", parse_lgl);
constexpr OtherFormat dimacs = parsed_by("DIMACS", parse_dimacs);
constexpr OtherFormat bipartite = parsed_by("KONECT", parse_bipartite);
constexpr OtherFormat adjacency = parsed_by("adjacency lists", parse_adjacency);
constexpr OtherFormat gexf = parsed_by("GEXF", parse_gexf);
constexpr OtherFormat xgmml = refused("XGMML");
constexpr OtherFormat other_xml = refused("XML other than GraphML and GEXF");
constexpr OtherFormat leda = refused("LEDA");
constexpr OtherFormat graph6 = refused("graph6, sparse6");
constexpr OtherFormat ucinet = refused("DL (UCINET)");
constexpr OtherFormat multiline = refused("multiline adjacency lists (NetworkX)");
constexpr OtherFormat vna = refused("VNA (NetDraw)");
constexpr OtherFormat lemon = refused("LGF (LEMON)");
constexpr OtherFormat graphml = misnamed("GraphML", "give its name the extension .graphml");
constexpr OtherFormat gml = misnamed("GML", "give its name the extension .gml");
constexpr OtherFormat dot = misnamed("DOT", "give its name the extension .dot");

/// Formats whose extension alone tells them. Others, such as .net, are told by their keywords too.
constexpr std::array<std::pair<std::string_view, OtherFormat>, 11> by_extension{{{".adjlist", adjacency},
                                                                                 {".gdf", gdf},
                                                                                 {".sif", sif},
                                                                                 {".paj", pajek},
                                                                                 {".tgf", tgf},
                                                                                 {".lgl", lgl},
                                                                                 {".xgmml", xgmml},
                                                                                 {".g6", graph6},
                                                                                 {".s6", graph6},
                                                                                 {".vna", vna},
                                                                                 {".dl", ucinet}}};

/// Whether "dl" begins UCINET's data language: a size follows, such as n=3, or a format, on this line or the next.
bool begins_ucinet(const std::string& start, TextLines lines) {
    std::string below = start.substr(2);
    std::string_view line;
    if (without_blanks(below).empty() && lines.next_but("", line)) below = lower(line.substr(0, 80));
    const std::string_view words = without_blanks(below);
    return words.find('=') != std::string_view::npos && (words.starts_with('n') || words.starts_with("format"));
}

/// By the first line of the file, or the first that is no comment.
OtherFormat by_first_line(const Bytes& bytes) {
    std::string_view line;
    if (!TextLines(bytes).next_but("", line)) return {};
    if (line.starts_with("<")) {
        const std::string_view head(line.data(),
                                    std::min<std::size_t>(4096, static_cast<std::size_t>(bytes.end() - line.data())));
        if (head.find("<graphml") != std::string_view::npos) return graphml;
        if (head.find("<gexf") != std::string_view::npos) return gexf;
        return head.find("XGMML") != std::string_view::npos ? xgmml : other_xml;
    }
    if (line.starts_with(">>graph6<<") || line.starts_with(">>sparse6<<")) return graph6;
    if (line == "LEDA.GRAPH") return leda;
    TextLines lines(bytes);
    do {
        if (!lines.next_but("#%", line)) return {};
    } while (line.starts_with("/*"));
    const std::string start = lower(line.substr(0, 80)), word(word_of(start));
    if (start.starts_with("nodedef>") || start.starts_with("edgedef>")) return gdf;
    if (is_one_of(word, {"*vertices", "*network", "*arcs", "*edges", "*arcslist", "*edgeslist", "*matrix", "*partition",
                         "*vector", "*permutation", "*cluster", "*hierarchy"}))
        return pajek;
    if (start.starts_with("*node data") || start.starts_with("*tie data")) return vna;
    if (is_one_of(word, {"@nodes", "@arcs", "@edges"})) return lemon;
    if (word == "dl" && begins_ucinet(start, lines)) return ucinet;
    if (start.starts_with("graph [") || start == "graph[" || (start == "graph" && line.data()[5] != ' ')) {
        std::string_view below;
        if (start != "graph" || (lines.next_but("", below) && below.starts_with("["))) return gml;
    }
    if (is_one_of(word, {"graph", "digraph", "strict"}) && start.find('{') != std::string::npos) return dot;
    return {};
}

/// Whether each of the first lines is "e 1 2" or "a 1 2 5", as in DIMACS' format without its first line.
bool lists_dimacs_edges(const Bytes& bytes) {
    constexpr int enough = 32;
    TextLines lines(bytes);
    std::string_view line;
    int rows = 0;
    for (; rows < enough && lines.next_but("", line); ++rows) {
        const std::string_view more = word_of(line, 3);
        const bool ends =
            is_one_of(lower(word_of(line)), {"e", "a"}) && is_whole(word_of(line, 1)) && is_whole(word_of(line, 2));
        if (!ends || !(more.empty() || is_number(more, '.'))) return false;
    }
    return rows > 1;
}

/// "p sp 4 4" below lines of comments that begin with c.
bool is_dimacs(const Bytes& bytes) {
    if (lists_dimacs_edges(bytes)) return true;
    TextLines lines(bytes);
    for (std::string_view line; lines.next_but("", line);) {
        const std::string word = lower(word_of(line));
        if (word == "c") continue;
        return word == "p" && !word_of(line, 1).empty() && is_whole(word_of(line, 2)) &&
               (word_of(line, 3).empty() || is_whole(word_of(line, 3)));
    }
    return false;
}

/// A vertex and the number of its neighbors, each of which follows on a line of its own with a dictionary.
bool is_multiline(const Bytes& bytes) {
    TextLines lines(bytes);
    for (std::string_view line; lines.next_but("#", line);) {
        const std::string_view neighbors = word_of(line, 1);
        if (!is_whole(neighbors) || !word_of(line, 2).empty()) return false;
        if (neighbors == "0") continue;
        return lines.next_but("#", line) && word_of(line, 1).starts_with('{') && line.ends_with('}');
    }
    return false;
}

/// Lines of an id and a name, a line #, and edges between these ids.
bool is_tgf(const Bytes& bytes) {
    std::set<std::string_view> ids;
    bool below = false;
    TextLines lines(bytes);
    for (std::string_view line; lines.next(line);) {
        if (line.empty()) continue;
        if (line == "#") {
            if (below || ids.empty()) return false;
            below = true;
        } else if (below ? !ids.contains(word_of(line)) || !ids.contains(word_of(line, 1))
                         : line[0] == '#' || line[0] == '%' || !ids.insert(word_of(line)).second) {
            return false;
        }
    }
    return below;
}

/// Lines "# vertex", each above its neighbors.
bool is_lgl(const Bytes& bytes) {
    std::set<std::string_view> heads, neighbors;
    TextLines lines(bytes);
    for (std::string_view line; lines.next(line);) {
        if (line.empty()) continue;
        if (line[0] == '#') {
            if (!line.starts_with("# ") || word_of(line, 1).empty() || !word_of(line, 2).empty()) return false;
            heads.insert(word_of(line, 1));
        } else {
            if (heads.empty() || !word_of(line, 2).empty()) return false;
            neighbors.insert(word_of(line));
        }
    }
    const auto is_neighbor = [&](std::string_view head) { return neighbors.contains(head); };
    return heads.size() > 1 && std::any_of(heads.begin(), heads.end(), is_neighbor);
}

}  // namespace

OtherFormat other_format(const Bytes& bytes) {
    const std::string extension = extension_of(bytes.name());
    for (const auto& [of, format] : by_extension) {
        if (extension == of) return format;
    }
    if (const OtherFormat format = by_first_line(bytes); !format.name.empty()) return format;
    if (is_multiline(bytes)) return multiline;
    return is_dimacs(bytes) ? dimacs : konect_head(bytes).form == "bip" ? bipartite : OtherFormat{};
}

OtherFormat marked_format(const Bytes& bytes) { return is_tgf(bytes) ? tgf : is_lgl(bytes) ? lgl : OtherFormat{}; }

OtherFormat adjacency_format(const Bytes& bytes) { return lists_neighbors(bytes) ? adjacency : OtherFormat{}; }

std::optional<ParsedNetwork> parsed_as(const OtherFormat& format, const Bytes& bytes, const NetworkOptions& options) {
    if (format.name.empty()) return std::nullopt;
    if (format.parse == nullptr)
        bad_file("'{}' is in {}, which is not read here; {}", bytes.name(), format.name, format.remedy);
    return format.parse(bytes, options);
}

void refuse_other_format(const Bytes& bytes) {
    const OtherFormat format = other_format(bytes);
    if (format.name.empty()) return;
    bad_file("'{}' is in {}, which is not read here; {}", bytes.name(), format.name,
             format.remedy.empty() ? "give edges as .csv, .tsv, .mtx or .npz" : format.remedy);
}

bool are_triples(const RawRow& first, const std::vector<RawRow>& below, char point) {
    std::set<std::string_view> sources, relations, targets;
    const auto add = [&](const RawRow& row) {
        if (row.size() < 3 || row[2].empty() || is_number(row[2], point)) return false;
        sources.insert(row[0]), relations.insert(row[1]), targets.insert(row[2]);
        return true;
    };
    if (!add(first) || !std::all_of(below.begin(), below.end(), add)) return false;
    const auto is_vertex = [&](std::string_view word) { return sources.contains(word) || targets.contains(word); };
    if (std::any_of(relations.begin(), relations.end(), is_vertex)) return false;
    const auto is_usual = [](std::string_view word) {
        return is_one_of(word, {"pp", "pd", "pr", "rc", "cr", "gl", "pm", "mp", "xx", "->", "--", "<-", "<->"});
    };
    const bool continues =
        std::any_of(sources.begin(), sources.end(), [&](std::string_view word) { return targets.contains(word); });
    return continues || std::all_of(relations.begin(), relations.end(), is_usual);
}

}  // namespace dunlin::io

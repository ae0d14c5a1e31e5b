// SPDX-License-Identifier: Apache-2.0
#include "io/network/other_formats.hpp"
#include "io/number.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "io/fail.hpp"
#include "io/field_reader.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

constexpr OtherFormat pajek{"Pajek's format", "convert it: networkx.write_graphml(networkx.read_pajek(FILE), NEW)"};
constexpr OtherFormat gdf{"GUESS's format (GDF)", "convert it: open it in Gephi and export GraphML"};
constexpr OtherFormat sif{"Cytoscape's SIF, whose second column has kinds of relations",
                          "write its first and third columns, or name the columns in a first row: source, relation, "
                          "target"};
constexpr OtherFormat tgf{"the trivial graph format (TGF)", "keep the lines below its line #, which are edges"};
constexpr OtherFormat lgl{"LGL's format",
                          "convert it: igraph.Graph.Read_Lgl(FILE).write_graphml(NEW), in python-igraph"};
constexpr OtherFormat dimacs{"DIMACS' format",
                             "keep its lines of edges, without their first column: grep '^[ae] ' "
                             "FILE | cut -d' ' -f2-"};
constexpr OtherFormat bipartite{
    "KONECT's format of bipartite graphs (% bip), whose two columns count from 1 on their "
    "own",
    "name the two sides apart: awk '!/^%/ {$1 = \"u\" $1; $2 = \"v\" $2; print}' FILE"};
constexpr OtherFormat adjacency{"the format of adjacency lists, whose lines have a vertex and its neighbors",
                                "convert it: networkx.write_graphml(networkx.read_adjlist(FILE), NEW)"};
constexpr OtherFormat gexf{"GEXF", "convert it: networkx.write_graphml(networkx.read_gexf(FILE), NEW)"};
constexpr OtherFormat xgmml{"XGMML", "convert it: open it in Cytoscape and export GraphML"};
constexpr OtherFormat other_xml{"XML other than GraphML", "convert it to GraphML"};
constexpr OtherFormat leda{"LEDA's format", "convert it: networkx.write_graphml(networkx.read_leda(FILE), NEW)"};
constexpr OtherFormat graph6{"graph6 or sparse6",
                             "convert it: networkx.write_graphml(networkx.read_graph6(FILE), NEW), or read_sparse6"};
constexpr OtherFormat ucinet{"UCINET's DL format",
                             "convert it: igraph.Graph.Read_DL(FILE).write_graphml(NEW), in python-igraph"};
constexpr OtherFormat vna{"NetDraw's VNA format", "keep the rows below its line *Tie data, with their header"};
constexpr OtherFormat lemon{"LEMON's graph format (LGF)", "keep the rows below its line @arcs or @edges"};
constexpr OtherFormat graphml{"GraphML", "give its name the extension .graphml"};
constexpr OtherFormat gml{"GML", "give its name the extension .gml"};
constexpr OtherFormat dot{"DOT", "give its name the extension .dot"};

/// Formats whose extension alone tells them. Others, such as .net, are told by their keywords too.
constexpr std::array<std::pair<std::string_view, OtherFormat>, 10> by_extension{{{".adjlist", adjacency},
                                                                                 {".gdf", gdf},
                                                                                 {".sif", sif},
                                                                                 {".tgf", tgf},
                                                                                 {".lgl", lgl},
                                                                                 {".gexf", gexf},
                                                                                 {".xgmml", xgmml},
                                                                                 {".g6", graph6},
                                                                                 {".s6", graph6},
                                                                                 {".vna", vna}}};

/// Iterates over the lines of a text, without blanks around them.
class Lines {
public:
    explicit Lines(const Bytes& bytes) : at_(text_of(bytes)), end_(bytes.end()) {}

    bool next(std::string_view& line) {
        if (at_ == end_) return false;
        const char* const stop = std::find_if(at_, end_, [](char c) { return c == '\n' || c == '\r'; });
        line = {at_, static_cast<std::size_t>(stop - at_)};
        at_ = stop == end_ ? end_ : stop + 1;
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        line = line.substr(0, line.find_last_not_of(" \t") + 1);
        return true;
    }
    /// The next line that is not empty and does not begin with one of `comments`.
    bool next_but(std::string_view comments, std::string_view& line) {
        while (next(line)) {
            if (!line.empty() && comments.find(line[0]) == std::string_view::npos) return true;
        }
        return false;
    }

private:
    const char* at_;
    const char* end_;
};

std::string_view word_of(std::string_view line, std::size_t number = 0) {
    for (;; --number) {
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        if (number == 0) return line.substr(0, end);
        line.remove_prefix(end);
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    }
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// By the first line of the file, or the first that is no comment.
OtherFormat by_first_line(const Bytes& bytes) {
    std::string_view line;
    if (!Lines(bytes).next_but("", line)) return {};
    if (line.starts_with("<")) {
        const std::string_view head(line.data(),
                                    std::min<std::size_t>(4096, static_cast<std::size_t>(bytes.end() - line.data())));
        if (head.find("<graphml") != std::string_view::npos) return graphml;
        if (head.find("<gexf") != std::string_view::npos) return gexf;
        return head.find("XGMML") != std::string_view::npos ? xgmml : other_xml;
    }
    if (line.starts_with(">>graph6<<") || line.starts_with(">>sparse6<<")) return graph6;
    if (line == "LEDA.GRAPH") return leda;
    if (!Lines(bytes).next_but("#%", line)) return {};
    const std::string start = lower(line.substr(0, 80)), word(word_of(start));
    if (start.starts_with("nodedef>") || start.starts_with("edgedef>")) return gdf;
    if (is_one_of(word, {"*vertices", "*network", "*arcs", "*edges", "*arcslist", "*edgeslist", "*matrix"}))
        return pajek;
    if (start.starts_with("*node data") || start.starts_with("*tie data")) return vna;
    if (is_one_of(word, {"@nodes", "@arcs", "@edges"})) return lemon;
    if (word == "dl" && start.find('n') != std::string::npos && start.find('=') != std::string::npos) return ucinet;
    if (start.starts_with("graph [") || start == "graph[" || (start == "graph" && line.data()[5] != ' ')) {
        std::string_view below;
        Lines lines(bytes);
        lines.next_but("#%", below);
        if (start != "graph" || (lines.next_but("", below) && below.starts_with("["))) return gml;
    }
    if (is_one_of(word, {"graph", "digraph", "strict"}) && start.find('{') != std::string::npos) return dot;
    return {};
}

/// Whether each of the first lines is "e 1 2" or "a 1 2 5", as in DIMACS' format without its first line.
bool lists_dimacs_edges(const Bytes& bytes) {
    constexpr int enough = 32;
    Lines lines(bytes);
    std::string_view line;
    int rows = 0;
    for (; rows < enough && lines.next_but("", line); ++rows) {
        const std::string_view more = word_of(line, 3);
        const bool ends =
            is_one_of(word_of(line), {"e", "a"}) && is_whole(word_of(line, 1)) && is_whole(word_of(line, 2));
        if (!ends || !(more.empty() || is_number(more, '.'))) return false;
    }
    return rows > 1;
}

/// "p sp 4 4" below lines of comments that begin with c.
bool is_dimacs(const Bytes& bytes) {
    if (lists_dimacs_edges(bytes)) return true;
    Lines lines(bytes);
    for (std::string_view line; lines.next_but("", line);) {
        if (word_of(line) == "c") continue;
        return word_of(line) == "p" && !word_of(line, 1).empty() && is_whole(word_of(line, 2)) &&
               (word_of(line, 3).empty() || is_whole(word_of(line, 3)));
    }
    return false;
}

/// "% bip" among the comments at the beginning.
bool is_bipartite(const Bytes& bytes) {
    Lines lines(bytes);
    for (std::string_view line; lines.next(line) && (line.empty() || line[0] == '%');) {
        if (line.empty()) continue;
        line.remove_prefix(1);
        if (word_of(line.substr(std::min(line.find_first_not_of(' '), line.size()))) == "bip") return true;
    }
    return false;
}

/// Lines of an id and a name, a line #, and edges between these ids.
bool is_tgf(const Bytes& bytes) {
    std::set<std::string_view> ids;
    bool below = false;
    Lines lines(bytes);
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
    Lines lines(bytes);
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

/// Rows of unequal length, each of another vertex and its neighbors, some of which stand elsewhere, too. Numbers that
/// stand nowhere else may be weights.
bool is_adjacency(const Bytes& bytes) {
    std::set<std::string_view> heads, lone, vertices, neighbors;
    std::vector<std::string_view> more;
    std::set<std::size_t> lengths;
    Lines lines(bytes);
    for (std::string_view line; lines.next_but("#%", line);) {
        const std::string_view head = word_of(line);
        if (!heads.insert(head).second) return false;
        std::size_t words = 0;
        for (; !line.empty(); ++words) {
            const std::string_view word = word_of(line);
            if (words > 0) neighbors.insert(word);
            if (words < 2)
                vertices.insert(word);
            else
                more.push_back(word);
            line.remove_prefix(word.size());
            line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        }
        if (words == 1) lone.insert(head);
        lengths.insert(words);
    }
    const auto stands_elsewhere = [&](std::string_view word) { return vertices.contains(word); };
    const auto is_neighbor = [&](std::string_view word) { return neighbors.contains(word); };
    const bool linked =
        std::any_of(more.begin(), more.end(), stands_elsewhere) || std::any_of(lone.begin(), lone.end(), is_neighbor);
    return lengths.size() > 1 && linked && std::all_of(more.begin(), more.end(), [&](std::string_view word) {
               return !is_number(word, '.') || stands_elsewhere(word);
           });
}

void refuse(const Bytes& bytes, OtherFormat format) {
    if (format.name == nullptr) return;
    bad_file("'{}' is in {}, which is not read here; {}", bytes.name(), format.name, format.remedy);
}

}  // namespace

OtherFormat other_format(const Bytes& bytes) {
    const std::string extension = extension_of(bytes.name());
    for (const auto& [of, format] : by_extension) {
        if (extension == of) return format;
    }
    if (const OtherFormat format = by_first_line(bytes); format.name != nullptr) return format;
    return is_dimacs(bytes) ? dimacs : is_bipartite(bytes) ? bipartite : OtherFormat{};
}

void refuse_other_format(const Bytes& bytes) { refuse(bytes, other_format(bytes)); }

void refuse_marked_format(const Bytes& bytes) {
    refuse(bytes, is_tgf(bytes) ? tgf : is_lgl(bytes) ? lgl : OtherFormat{});
}

void refuse_adjacency(const Bytes& bytes) { refuse(bytes, is_adjacency(bytes) ? adjacency : OtherFormat{}); }

void refuse_triples(const Bytes& bytes, const RawRow& first, const std::vector<RawRow>& below, char point) {
    std::set<std::string_view> sources, relations, targets;
    std::size_t rows = 0;
    const auto add = [&](const RawRow& row) {
        if (row.size() < 3 || row[2].empty() || is_number(row[2], point)) return false;
        sources.insert(row[0]), relations.insert(row[1]), targets.insert(row[2]), ++rows;
        return true;
    };
    if (!add(first) || !std::all_of(below.begin(), below.end(), add)) return;
    const auto is_vertex = [&](std::string_view word) { return sources.contains(word) || targets.contains(word); };
    if (std::any_of(relations.begin(), relations.end(), is_vertex)) return;
    const auto is_usual = [](std::string_view word) {
        return is_one_of(word, {"pp", "pd", "pr", "rc", "cr", "gl", "pm", "mp", "xx", "->", "--", "<-", "<->"});
    };
    const bool continues =
        std::any_of(sources.begin(), sources.end(), [&](std::string_view word) { return targets.contains(word); });
    if (!continues && !std::all_of(relations.begin(), relations.end(), is_usual)) return;
    bad_file("{}: '{}' in the second column is no vertex but a relation, as in {}; {}",
             at_line(bytes.name(), line_of(bytes, first[0].data())), shown(first[1]), sif.name, sif.remedy);
}

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "io/fail.hpp"
#include "io/map_origin.hpp"
#include "io/network/dot_file.hpp"
#include "io/network/writers.hpp"
#include "io/number_text.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

/// Bounding box of a drawing.
struct DotBounds {
    float left = std::numeric_limits<float>::infinity(), bottom = left, right = -left, top = -left;
    std::vector<double> origin = {};  ///< of the map

    void cover(std::span<const float> place, VertexSize size) {
        left = std::min(left, place[0] - size.width / 2);
        right = std::max(right, place[0] + size.width / 2);
        bottom = std::min(bottom, place[1] - size.height / 2);
        top = std::max(top, place[1] + size.height / 2);
    }
    /// "left,bottom,right,top"; an empty box is at the origin.
    [[nodiscard]] std::string text() const {
        if (left > right) return "0,0,0,0";
        const Map corners{2, {left, bottom, right, top}, {origin.begin(), origin.begin() + (origin.empty() ? 0 : 2)}};
        return fmt::format("{},{},{},{}", coordinate_text(corners, 0, 0), coordinate_text(corners, 0, 1),
                           coordinate_text(corners, 1, 0), coordinate_text(corners, 1, 1));
    }
};

constexpr float points_per_unit = 72;  ///< a map unit is an inch

/// The size of a vertex in points, in which DOT's own are.
VertexSize size_of(const Network& network, Index vertex) {
    if (network.sizes.empty()) return default_size;
    const VertexSize size = network.sizes[at(vertex)];
    const float scale = network.kind == "dot" ? 1 : points_per_unit;
    return {scale * size.width, scale * size.height};
}

bool is_pinned(const Network& network, Index vertex) {
    return !network.pinned.empty() && network.pinned[at(vertex)] != 0;
}

/// "x,y" or "x,y,z", with a ! for a pinned vertex.
std::string position_text(const Network& network, const Map& map, Index vertex) {
    std::string text;
    for (int axis = 0; axis < map.dim; ++axis) {
        if (axis > 0) text += ',';
        text += coordinate_text(map, vertex, axis);
    }
    if (is_pinned(network, vertex)) text += '!';
    return text;
}

Agsym_t* symbol_of(Agraph_t* graph, int kind, const char* name) {
    return agattr(graph, kind, text_for_cgraph(name), nullptr);
}

void set(void* object, Agsym_t* symbol, const std::string& value) {
    agxset(object, symbol, text_for_cgraph(value.c_str()));
}

/// Calls use(graph) for a graph and all its subgraphs.
template <class Use>
void each_graph(Agraph_t* graph, const Use& use) {
    use(graph);
    for (Agraph_t* sub = agfstsubg(graph); sub != nullptr; sub = agnxtsubg(sub)) each_graph(sub, use);
}

/// Removes attributes of an earlier drawing: paths of edges and positions of labels.
void forget_old_drawing(Agraph_t* graph) {
    for (const char* name : {"pos", "lp", "xlp", "head_lp", "tail_lp"}) {
        Agsym_t* const symbol = symbol_of(graph, AGEDGE, name);
        if (symbol == nullptr) continue;
        for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
            for (Agedge_t* edge = agfstout(graph, node); edge != nullptr; edge = agnxtout(graph, edge)) {
                set(edge, symbol, "");
            }
        }
    }
    if (Agsym_t* const symbol = symbol_of(graph, AGRAPH, "lp")) {
        each_graph(graph, [&](Agraph_t* any) {
            if (*agxget(any, symbol) != '\0') set(any, symbol, "");
        });
    }
}

/// Writes the drawing into one graph, whose first vertex has the number `first`.
class DotDrawing {
public:
    DotDrawing(Agraph_t* graph, const Network& network, const Map& map, Index first)
        : graph_(graph), network_(network), map_(map), first_(first) {}

    /// Returns the number after the last vertex.
    Index draw() {
        forget_old_drawing(graph_);
        const Index end = place_vertices();
        put_boxes();
        say_points(end);
        return end;
    }

private:
    /// pos is written in points. With pinned vertices inputscale=72 says so; neato reads inches otherwise.
    void say_points(Index end) {
        bool pinned = false;
        for (Index vertex = first_; vertex < end; ++vertex) pinned |= is_pinned(network_, vertex);
        Agsym_t* scale = symbol_of(graph_, AGRAPH, "inputscale");
        if (scale == nullptr && !pinned) return;
        if (scale == nullptr) scale = agattr(graph_, AGRAPH, text_for_cgraph("inputscale"), text_for_cgraph(""));
        if (pinned || *agxget(graph_, scale) != '\0') set(graph_, scale, "72");
    }

    Index place_vertices() {
        Agsym_t* const pos = agattr(graph_, AGNODE, text_for_cgraph("pos"), text_for_cgraph(""));
        Index vertex = first_;
        for (Agnode_t* node = agfstnode(graph_); node != nullptr; node = agnxtnode(graph_, node), ++vertex) {
            set(node, pos, position_text(network_, map_, vertex));
            numbers_.resize(std::max<std::size_t>(numbers_.size(), AGSEQ(node) + 1));
            numbers_[AGSEQ(node)] = vertex;
        }
        return vertex;
    }

    /// Sets bb of the graph, unless that would add it to every subgraph, and of every subgraph that had one.
    void put_boxes() {
        Agsym_t* symbol = symbol_of(graph_, AGRAPH, "bb");
        if (symbol == nullptr && agfstsubg(graph_) != nullptr) return;
        if (symbol == nullptr) symbol = agattr(graph_, AGRAPH, text_for_cgraph("bb"), text_for_cgraph(""));
        each_graph(graph_, [&](Agraph_t* any) {
            const bool stale = *agxget(any, symbol) != '\0';
            if (any == graph_ || stale) set(any, symbol, box_of(any).text());
        });
    }

    DotBounds box_of(Agraph_t* graph) const {
        DotBounds box{.origin = map_.origin};
        for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
            const Index vertex = numbers_[AGSEQ(node)];
            box.cover(map_.view().row(vertex), size_of(network_, vertex));
        }
        return box;
    }

    Agraph_t* graph_;
    const Network& network_;
    const Map& map_;
    Index first_;
    std::vector<Index> numbers_;  ///< vertex numbers by position in the graph
};

/// Whether a name in quotes is read as it is. Graphviz reads \" as a quote and \\ as two characters, so that an odd
/// number of backslashes cannot be written before a quote or the end, nor before the end of a line.
bool fits_in_quotes(std::string_view text) {
    std::size_t backslashes = 0;
    for (const char c : text) {
        if ((c == '"' || c == '\n' || c == '\r') && backslashes % 2 == 1) return false;
        backslashes = c == '\\' ? backslashes + 1 : 0;
    }
    return backslashes % 2 == 0;
}

/// Whether a name can stand between < and >, as HTML does.
bool fits_in_brackets(std::string_view text) {
    int open = 0;
    for (const char c : text) {
        open += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (open < 0) return false;
    }
    return open == 0;
}

/// Writes a name in quotes, or between < and > where quotes would change it.
void write_quoted(Output& out, std::string_view text) {
    if (!fits_in_quotes(text)) {
        if (!fits_in_brackets(text)) {
            bad_input(
                "DOT has no spelling of the name '{}', with its backslashes and brackets; write .graphml or .json",
                shown(text));
        }
        return out.text(fmt::format("<{}>", text));
    }
    out.character('"');
    for (const char c : text) {
        if (c == '"') out.character('\\');
        out.character(c);
    }
    out.character('"');
}

void write_name(Output& out, const Network& network, Index vertex) {
    if (network.ids.empty()) return out.number(vertex);
    write_quoted(out, network.ids[at(vertex)]);
}

/// Two vertices of one name would be one.
void require_distinct(const std::vector<std::string>& ids) {
    std::unordered_set<std::string_view> seen;
    for (const std::string& id : ids) {
        if (seen.insert(id).second) continue;
        bad_input("two vertices have the name '{}', and would be one in DOT; give them different names", shown(id));
    }
}

void write_vertices(Output& out, const Network& network, const Map& map) {
    for (Index v = 0; v < map.size(); ++v) {
        out.character('\t');
        write_name(out, network, v);
        out.text(fmt::format(" [pos=\"{}\"", position_text(network, map, v)));
        if (!network.sizes.empty()) {
            out.text(", width=");
            out.text(plain_decimal(size_of(network, v).width / points_per_unit));
            out.text(", height=");
            out.text(plain_decimal(size_of(network, v).height / points_per_unit));
        }
        if (!network.labels.empty() && network.labels.of[at(v)] != no_label) {
            out.text(", class=");
            write_quoted(out, network.labels.names[at(network.labels.of[at(v)])]);
        }
        out.text("];\n");
    }
}

void write_edges(Output& out, const Network& network, const EdgeList& edges) {
    for (std::size_t e = 0; e < edges.ends.size(); ++e) {
        out.character('\t');
        write_name(out, network, edges.all()[e].source);
        out.text(network.directed ? " -> " : " -- ");
        write_name(out, network, edges.all()[e].target);
        if (network.weighted) {
            out.text(" [weight=");
            out.text(plain_decimal(edges.all_weights()[e]));
            out.character(']');
        }
        out.text(";\n");
    }
}

}  // namespace

void write_dot(Output& out, const Network& network, const NetworkSource& source, const Map& map) {
    if (DotFile* const file = source.dot.get()) {
        const auto lock = DotFile::lock();
        Index first = 0;
        for (Agraph_t* const graph : file->graphs()) first = DotDrawing(graph, network, map, first).draw();
        file->write(out);
        return;
    }
    require_distinct(network.ids);
    DotBounds box{.origin = map.origin};
    for (Index v = 0; v < map.size(); ++v) box.cover(map.view().row(v), size_of(network, v));
    const bool pinned = std::any_of(network.pinned.begin(), network.pinned.end(), [](auto mark) { return mark != 0; });
    out.text(fmt::format("{} {{\n\tgraph [bb=\"{}\"{}];\n", network.directed ? "digraph" : "graph", box.text(),
                         pinned ? ", inputscale=72" : ""));
    write_vertices(out, network, map);
    write_edges(out, network, source.edges);
    out.text("}\n");
}

}  // namespace dunlin::io

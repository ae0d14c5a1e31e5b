// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "io/network/dot_file.hpp"
#include "io/network/writers.hpp"
#include "math/at.hpp"

namespace dunlin::io {

namespace {

/// Bounding box of a drawing.
struct DotBounds {
    float left = std::numeric_limits<float>::infinity(), bottom = left, right = -left, top = -left;

    void cover(std::span<const float> place, VertexSize size) {
        left = std::min(left, place[0] - size.width / 2);
        right = std::max(right, place[0] + size.width / 2);
        bottom = std::min(bottom, place[1] - size.height / 2);
        top = std::max(top, place[1] + size.height / 2);
    }
    /// "left,bottom,right,top"; an empty box is at the origin.
    [[nodiscard]] std::string text() const {
        return left > right ? "0,0,0,0" : fmt::format("{},{},{},{}", left, bottom, right, top);
    }
};

/// "x,y" or "x,y,z", with a ! for a pinned vertex.
std::string position_text(const Network& network, const Map& map, Index vertex) {
    std::string text = fmt::format("{}", fmt::join(map.view().row(vertex), ","));
    if (!network.pinned.empty() && network.pinned[at(vertex)] != 0) text += '!';
    return text;
}

VertexSize size_of(const Network& network, Index vertex) {
    return network.sizes.empty() ? default_size : network.sizes[at(vertex)];
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
        // pos is written in points
        Agsym_t* const scale = symbol_of(graph_, AGRAPH, "inputscale");
        if (scale != nullptr && *agxget(graph_, scale) != '\0') set(graph_, scale, "72");
        return end;
    }

private:
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
        DotBounds box;
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

/// Writes a quoted name. DOT cannot represent an odd number of backslashes before a quote or the end: one is added.
void write_quoted(Output& out, std::string_view text) {
    std::size_t backslashes = 0;
    const auto even = [&] {
        if (backslashes % 2 == 1) out.character('\\');
    };
    out.character('"');
    for (const char c : text) {
        if (c == '"' || c == '\n') even();
        if (c == '"') out.character('\\');
        out.character(c);
        backslashes = c == '\\' ? backslashes + 1 : 0;
    }
    even();
    out.character('"');
}

void write_name(Output& out, const Network& network, Index vertex) {
    if (network.ids.empty()) return out.number(vertex);
    write_quoted(out, network.ids[at(vertex)]);
}

void write_vertices(Output& out, const Network& network, const Map& map) {
    for (Index v = 0; v < map.size(); ++v) {
        out.character('\t');
        write_name(out, network, v);
        out.text(fmt::format(" [pos=\"{}\"", position_text(network, map, v)));
        const Index label = network.labels.empty() ? no_label : network.labels.of[at(v)];
        if (label != no_label) {
            out.text(", class=");
            write_quoted(out, network.labels.names[at(label)]);
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
            out.number(edges.all_weights()[e]);
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
    DotBounds box;
    for (Index v = 0; v < map.size(); ++v) box.cover(map.view().row(v), size_of(network, v));
    out.text(fmt::format("{} {{\n\tgraph [bb=\"{}\"];\n", network.directed ? "digraph" : "graph", box.text()));
    write_vertices(out, network, map);
    write_edges(out, network, source.edges);
    out.text("}\n");
}

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#include <graphviz/gvplugin.h>
#include <graphviz/gvplugin_layout.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/layout.hpp>
#include <dunlin/overlap.hpp>

/// The layout engine dunlin for Graphviz, `dot -Kdunlin`. It places the nodes. Sizes of nodes, edges and the bounding
/// box are computed by the functions that Graphviz' own spring engines call.

// Exported by libgvc and its neato plug-in without a header
extern "C" {
void setEdgeType(graph_t* g, int usual);
void common_init_edge(edge_t* e);
void dotneato_postprocess(graph_t* g);
extern int Ndim;
void neato_init_node(node_t* n);
void neato_cleanup(graph_t* g);
boolean user_pos(attrsym_t* pos, attrsym_t* pin, node_t* n, int nodes);
void spline_edges(graph_t* g);
}

namespace {

using dunlin::Index;

constexpr int straight_lines = 2;  // Graphviz' ET_LINE: edges are lines unless the graph sets `splines`

std::vector<node_t*> nodes_of(graph_t* g) {
    std::vector<node_t*> nodes;
    for (node_t* n = agfstnode(g); n != nullptr; n = agnxtnode(g, n)) nodes.push_back(n);
    return nodes;
}

/// Adds Graphviz' records to nodes and edges, which sets the sizes of nodes.
void prepare(graph_t* g, const std::vector<node_t*>& nodes) {
    setEdgeType(g, straight_lines);
    Ndim = GD_ndim(agroot(g)) = 2;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        neato_init_node(nodes[i]);
        ND_id(nodes[i]) = static_cast<int>(i);
    }
    for (node_t* n : nodes) {
        for (edge_t* e = agfstout(g, n); e != nullptr; e = agnxtout(g, e)) {
            agbindrec(e, const_cast<char*>("Agedgeinfo_t"), sizeof(Agedgeinfo_t), 1);
            common_init_edge(e);
        }
    }
}

/// The graph with every edge in both directions, without duplicates and loops.
dunlin::Graph graph_of(graph_t* g, const std::vector<node_t*>& nodes) {
    std::vector<std::pair<Index, Index>> edges;
    for (node_t* n : nodes) {
        for (edge_t* e = agfstout(g, n); e != nullptr; e = agnxtout(g, e)) {
            const Index from = ND_id(agtail(e)), to = ND_id(aghead(e));
            if (from == to) continue;
            edges.emplace_back(from, to);
            edges.emplace_back(to, from);
        }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    dunlin::Graph graph;
    graph.offsets.assign(nodes.size() + 1, 0);
    for (const auto& [from, to] : edges) {
        ++graph.offsets[static_cast<std::size_t>(from) + 1];
        graph.targets.push_back(to);
    }
    for (std::size_t v = 0; v < nodes.size(); ++v) graph.offsets[v + 1] += graph.offsets[v];
    graph.weights.assign(edges.size(), 1.0F);
    return graph;
}

/// The number in an attribute of the graph, or `usual`.
double number(graph_t* g, const char* name, double usual) {
    const char* text = agget(g, const_cast<char*>(name));
    if (text == nullptr || *text == '\0') return usual;
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (end != text && std::isfinite(value) && value > 0) return value;
    agerr(AGWARN, "dunlin: %s=\"%s\" is not a number above 0 and is left out\n", name, text);
    return usual;
}

bool may_overlap(graph_t* g) {
    const char* overlap = agget(g, const_cast<char*>("overlap"));
    return overlap != nullptr && std::string(overlap) == "true";
}

/// Radii of the circles around nodes, in inches.
std::vector<float> radii_of(const std::vector<node_t*>& nodes) {
    std::vector<float> radii;
    for (node_t* n : nodes) radii.push_back(static_cast<float>(std::hypot(ND_width(n), ND_height(n)) / 2));
    return radii;
}

/// Initial positions and pins of the nodes; empty unless all nodes have a `pos`.
struct Start {
    dunlin::Map map;
    std::vector<std::uint8_t> pinned;
};
Start start_of(graph_t* g, const std::vector<node_t*>& nodes) {
    Start start;
    attrsym_t* pos = agattr(g, AGNODE, const_cast<char*>("pos"), nullptr);
    attrsym_t* pin = agattr(g, AGNODE, const_cast<char*>("pin"), nullptr);
    std::size_t placed = 0;
    for (node_t* n : nodes) placed += user_pos(pos, pin, n, static_cast<int>(nodes.size())) ? 1 : 0;
    if (placed > 0 && placed < nodes.size())
        agerr(AGWARN, "dunlin: %zu of %zu nodes have a pos; it is used if all have one\n", placed, nodes.size());
    if (placed < nodes.size()) return start;
    for (node_t* n : nodes) {
        start.map.coordinates.push_back(static_cast<float>(ND_pos(n)[0]));
        start.map.coordinates.push_back(static_cast<float>(ND_pos(n)[1]));
        start.pinned.push_back(ND_pinned(n) == 3 ? 1 : 0);  // P_PIN
    }
    return start;
}

/// Places the nodes, in inches.
void place(graph_t* g, const std::vector<node_t*>& nodes) {
    const dunlin::Graph graph = graph_of(g, nodes);
    const Start start = start_of(g, nodes);
    dunlin::layout::Options options;
    options.length = static_cast<float>(number(g, "K", 1));
    options.pack = dunlin::layout::Pack::lengths;  // nodes have sizes
    dunlin::Run run;
    run.seed = static_cast<std::uint64_t>(number(g, "start", 1));
    dunlin::layout::Given given;
    if (start.map.size() > 0) {
        given.start = &start.map;
        given.pinned = start.pinned;
    }
    dunlin::Map map = dunlin::layout::place(graph, options, run, given).map;
    const bool any_pinned = std::find(start.pinned.begin(), start.pinned.end(), 1) != start.pinned.end();
    if (!any_pinned && !may_overlap(g)) dunlin::layout::remove_overlaps(map, radii_of(nodes));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        ND_pos(nodes[i])[0] = static_cast<double>(map.coordinates[2 * i]);
        ND_pos(nodes[i])[1] = static_cast<double>(map.coordinates[2 * i + 1]);
    }
}

void lay_out(graph_t* g) {
    const std::vector<node_t*> nodes = nodes_of(g);
    prepare(g, nodes);
    try {
        if (!nodes.empty()) place(g, nodes);
    } catch (const std::exception& error) {  // exceptions must not reach the C caller
        agerr(AGERR, "dunlin: %s\n", error.what());
    }
    if (!nodes.empty()) spline_edges(g);
    dotneato_postprocess(g);
}

gvlayout_engine_t engine = {lay_out, neato_cleanup};
gvlayout_features_t features = {0};
gvplugin_installed_t engines[] = {{0, "dunlin", 0, &engine, &features}, {0, nullptr, 0, nullptr, nullptr}};
gvplugin_api_t apis[] = {{API_layout, engines}, {static_cast<api_t>(0), nullptr}};

}  // namespace

/// The symbol that Graphviz looks up in libgvplugin_dunlin.so.
extern "C" __attribute__((visibility("default"))) gvplugin_library_t gvplugin_dunlin_LTX_library;
gvplugin_library_t gvplugin_dunlin_LTX_library = {const_cast<char*>("dunlin"), apis};

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/io.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// Contents of the source file that `Network::graph` lacks; write_network needs them.
struct NetworkSource;

/// Size of the box of a vertex, in the unit of `Network::start`.
struct VertexSize {
    float width = 0, height = 0;
};

/// A graph to draw, with the attributes of its file. Members are empty if the file has none.
struct Network {
    /// Undirected and simple: every edge is listed in both directions, targets ascend within a row, there are no
    /// self-loops and no duplicates. Weights are finite and > 0; 1 if the file has none.
    Graph graph;
    std::vector<std::string> ids;    ///< names of the vertices; empty: the file numbers them from 0
    std::vector<std::string> names;  ///< what a picture has beside vertices; empty: the ids
    Labels labels;                   ///< classes of the vertices, if options.labels is set
    bool directed = false;           ///< the edges of the file have a direction, which `graph` ignores
    bool weighted = false;           ///< the file has weights
    Offset self_loops = 0;           ///< number of edges from a vertex to itself, which `graph` omits
    Offset multi_edges = 0;          ///< number of repeated edges, in either direction; `graph` has one of them, with
                                     ///< the weight that options.lengths says
    int graphs = 1;                  ///< number of graphs of the file in `graph`, as separate components (DOT)
    /// "edges", "csv", "mtx", "metis", "gml", "graphml", "dot", "npz", "pajek", "gexf", "gdf", "sif", "dimacs",
    /// "konect", "node-link", "adjacency", "tgf", "lgl"
    std::string kind;

    Map start;                          ///< positions in the file, in its unit, of DOT in points (1/72 inch); NaN: none
    std::vector<std::uint8_t> pinned;   ///< per vertex: 1 if it is fixed at `start` (DOT: pos="x,y!", pin=true)
    std::vector<VertexSize> sizes;      ///< per vertex (DOT, GML, GEXF, GDF), in the unit of `start`
    std::vector<Note> notes;            ///< guesses of the reader
    std::vector<std::string> warnings;  ///< suspicious contents of the file, one sentence each

    std::shared_ptr<const NetworkSource> source;  ///< shared by copies; null: not read from a file
};

/// Whether the first row of a list of edges names its columns; automatic: by its words and the rows below.
enum class Header { automatic, yes, no };
constexpr std::array<std::string_view, 3> names(Header) { return {"auto", "yes", "no"}; }

struct NetworkOptions {
    std::string weights_from = {};  ///< see fields
    std::string labels = {};
    int graph = 0;
    Decimal decimal = Decimal::automatic;
    Header header = Header::automatic;
    /// Whether the weights are lengths. Repeated edges get the least of their lengths, but the sum of their strengths
    /// or conductances. Lengths are also found under the usual names of lengths.
    bool lengths = false;
};

template <class Visit>
void fields(Visit&& visit, NetworkOptions& o) {
    visit(field("weights-from", o.weights_from,
                "column (name or 1-based number) or edge attribute with the weights; none: every weight is 1")
              .by_rule("weight, weights, w or value, in upper or lower case, else a third column of numbers"));
    visit(field("labels", o.labels,
                "vertex attribute with the classes, or a file with a label per vertex, FILE or FILE:COLUMN"));
    visit(field("graph", o.graph,
                "number of the graph in a file of several, from 1; 0: all of them as separate components")
              .at_least(0));
    visit(field("decimal", o.decimal, "decimal mark of a text file; auto: detected from its rows"));
    visit(field("header", o.header,
                "whether the first row of a list of edges names its columns; auto: detected from the rows"));
}

/// Reads a graph to draw: edge lists (SNAP, KONECT, any text of two columns or more; .csv and .tsv with or without a
/// header), Matrix Market (.mtx), METIS (.graph, .metis), GML, GraphML, GEXF, DOT (.dot, .gv), Pajek (.net, .paj), GDF,
/// SIF, DIMACS, TGF, LGL, adjacency lists (.adjlist), node-link JSON and SciPy's sparse matrices (.npz), each also .gz
/// or .xz. See docs/formats.md for the rules. Throws Error{bad_file} with file, line and remedy if the file is
/// malformed, of another format of graphs, or if a weight is zero, negative or not finite.
///
/// Graphviz's libcgraph reads DOT and has global state. Dunlin serializes its own calls; a program that calls libcgraph
/// itself must not do so at the same time.
///
/// Uses threads, stop and on_progress of `run`. Returns an empty network if it is cancelled. (libcgraph and the XML
/// parser read a whole file in one call, which cannot be cancelled.)
DUNLIN_API Network read_network(const std::filesystem::path& path, const NetworkOptions& options = {},
                                const Run& run = {});

/// The texts that a picture has beside the vertices: names if there are any, otherwise ids.
inline const std::vector<std::string>& names_to_draw(const Network& network) {
    return network.names.empty() ? network.ids : network.names;
}

/// The names of the vertices: the ids, else their numbers from 0; nothing for .npz, whose rows have no names.
DUNLIN_API std::vector<std::string> vertex_names(const Network& network);

/// The graph of a network with its repeated edges joined again. lengths: whether the weights are lengths, if that
/// differs from NetworkOptions::lengths at the time of reading.
DUNLIN_API Graph joined(const Network& network, bool lengths, const Run& run = {});

/// Writes a graph with its drawing in the format of the extension:
///   .dot, .gv  with `pos` (with ! if pinned) and `bb`; the unit of coordinates is a point; a network read from DOT
///              keeps everything that Graphviz's nop keeps: attributes, subgraphs, ports, edges
///   .graphml   with x, y and z; a network read from GraphML keeps everything else
///   .gexf      with viz:position, viz:size and the colors of classes; a network read from GEXF keeps everything else
///   .json      as write_map, with `edges` (pairs of vertices, from 0), `weights` and `directed`
/// Self-loops and multi-edges of the source file are included. The write is atomic. Throws Error{bad_input} if the map
/// does not belong to this network.
DUNLIN_API void write_network(const std::filesystem::path& path, const Network& network, const Map& map);

}  // namespace dunlin::io

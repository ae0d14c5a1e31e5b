// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/io.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// What a file said that `Network::graph` does not hold, for write_network.
struct NetworkSource;

/// The box that a vertex is drawn in, in points (72 to the inch, as DOT's `pos`).
struct VertexSize {
    float width = 0, height = 0;
};

/// A graph to be drawn, as its file tells it. Empty members: the file had none.
struct Network {
    /// Undirected and simple: every edge in both directions, targets ascending in a row, no self-loops, no duplicates;
    /// weights finite and > 0, and 1 where the file has none.
    Graph graph;
    std::vector<std::string> ids;  ///< the name that the file gives each vertex; empty: it numbers them from 0
    Labels labels;                 ///< a class per vertex, where options.labels named one
    bool directed = false;         ///< the file says that its edges have a direction, which `graph` leaves out
    bool weighted = false;         ///< the weights come from the file
    Offset self_loops = 0;         ///< edges of the file from a vertex to itself, left out of `graph`
    Offset multi_edges = 0;        ///< edges of the file that join two vertices again, in either direction: they are
                                   ///< one edge of `graph`, with the largest of their weights
    int graphs = 1;                ///< how many graphs of the file are in here, side by side (DOT)
    std::string kind;              ///< "edges", "csv", "mtx", "metis", "gml", "graphml", "dot", "npz"

    Map start;  ///< where the file puts the vertices, in its unit; NaN: nowhere (DOT, GraphML, GML)
    std::vector<std::uint8_t>
        pinned;               ///< per vertex: 1 if it is to stay where `start` says (DOT: pos="x,y!", pin=true)
    std::vector<VertexSize> sizes;  ///< per vertex (DOT: width and height, in inches there; 54 x 36 by default)
    std::vector<Note> notes;  ///< what was guessed of the text
    std::vector<std::string> warnings;  ///< what was read and may not have been meant so, a sentence each

    std::shared_ptr<const NetworkSource> source;  ///< shared by copies; none: the network comes from no file
};

struct NetworkOptions {
    std::string weights_from = {};  ///< see fields
    std::string labels = {};
    int graph = 0;
    Decimal decimal = Decimal::automatic;
};

template <class Visit>
void fields(Visit&& visit, NetworkOptions& o) {
    visit(field("weights-from", o.weights_from,
                "edge column (name or 1-based number) or attribute that holds the weights; none: every edge weighs 1")
              .by_rule("weight or value, or a third column of numbers"));
    visit(field("labels", o.labels, "vertex attribute that holds a class, or a file with a label per vertex"));
    visit(
        field("graph", o.graph, "which graph of a file that holds several, from 1; 0: all, side by side").at_least(0));
    visit(field("decimal", o.decimal, "the decimal mark of a text; auto: as its rows are written"));
}

/// Reads a graph to be drawn: lists of edges (SNAP, KONECT, any text of two columns or more; .csv and .tsv with or
/// without a header), Matrix Market (.mtx), METIS (.graph, .metis), GML, GraphML, DOT (.dot, .gv) and SciPy's sparse
/// matrices (.npz), each also .gz or .xz; docs/graph-formats.md has the rules. Throws Error{bad_file} with file, line
/// and remedy for what cannot be read and for a weight that is zero, negative or not finite. (In DOT, where a weight of
/// 0 has a meaning, that is a warning and every edge weighs 1, unless options.weights_from asks for the weights.)
///
/// DOT is read by Graphviz's libcgraph, which keeps global state: Dunlin's own calls wait for each other, but a program
/// that itself calls libcgraph has to keep those calls apart from these.
///
/// Of `run` it takes threads, stop and on_progress; cancelled, it returns an empty network. (libcgraph and the reader
/// of XML read a whole file in one call, which no stop ends.)
DUNLIN_API Network read_network(const std::filesystem::path& path, const NetworkOptions& options = {},
                                const Run& run = {});

/// Writes a graph with its drawing; the extension decides:
///   .dot, .gv  with `pos` (a ! where pinned) and `bb`, coordinates taken as points; a network that came from DOT keeps
///              all else that Graphviz's nop keeps: attributes, subgraphs, ports, edges
///   .graphml   with x, y and z; a network that came from GraphML keeps all else
///   .json      as write_map's, with `edges` (pairs of vertices, from 0), `weights` and `directed`
/// Self-loops and multi-edges are those of the file that the network came from. The file appears whole or not at all.
/// Throws Error{bad_input} if the map is not one of this network.
DUNLIN_API void write_network(const std::filesystem::path& path, const Network& network, const Map& map);

}  // namespace dunlin::io

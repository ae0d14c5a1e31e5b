// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/network/node_boxes.hpp"
#include "io/network/parsed_network.hpp"
#include "io/output.hpp"

/// One writer per format of a network with its drawing. The map has the network's size; `source` is the network's, or
/// made from its graph.
namespace dunlin::io {

/// Writes the source DOT file in Graphviz's form, with pos in points; without one, a new graph.
void write_dot(Output& out, const Network& network, const NetworkSource& source, const Map& map);

/// Writes the source GraphML file with x, y and z in its nodes; without one, a new graph.
void write_graphml(Output& out, const Network& network, const NetworkSource& source, const Map& map);

/// Writes the source GEXF file with viz:position in its nodes, viz:size where it has none, and viz:color of classes;
/// without one, a new graph.
void write_gexf(Output& out, const Network& network, const NetworkSource& source, const Map& map);

/// Writes a map as write_map does, with the edges as pairs of vertex numbers.
void write_json(Output& out, const Network& network, const NetworkSource& source, const Map& map);

}  // namespace dunlin::io

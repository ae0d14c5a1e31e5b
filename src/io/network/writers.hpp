// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/network/node_boxes.hpp"
#include "io/network/parsed_network.hpp"
#include "io/output.hpp"

/// One writer per format of a network with its drawing, which fit each other; `source` is the network's, or made of its
/// graph.
namespace dunlin::io {

/// As Graphviz writes the file that the network came from, with pos in points; other files as a graph of one.
void write_dot(Output& out, const Network& network, const NetworkSource& source, const Map& map);

/// The GraphML file that the network came from, with x, y and z in its nodes; other files as a graph of one.
void write_graphml(Output& out, const Network& network, const NetworkSource& source, const Map& map);

/// A map as write_map writes it, with the edges of the file by the numbers of their vertices.
void write_json(Output& out, const Network& network, const NetworkSource& source, const Map& map);

}  // namespace dunlin::io

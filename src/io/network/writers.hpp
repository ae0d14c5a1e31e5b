#pragma once

#include "io/network/draft.hpp"
#include "io/output.hpp"

/// One writer per format of a network with its drawing, which fit each other.
namespace dunlin::io {

inline constexpr Size default_size{54, 36};  ///< of a vertex, as Graphviz has it

/// As Graphviz writes the file that the network came from, with pos in points; other files as a graph of one.
void write_dot(Output& out, const Network& network, const Map& map);

/// A map as write_map writes it, with the edges of the file by the numbers of their vertices.
void write_json(Output& out, const Network& network, const Map& map);

}  // namespace dunlin::io

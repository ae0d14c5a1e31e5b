// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/network.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// Reads the classes of a network's vertices, matched by id: a column of a table (without its name the one called
/// label, class, community, ..., or the second of two; blanks may separate the columns), or a file of one label per
/// vertex in the network's order. `graph`: the name of its file. Adds notes to the network.
void read_network_labels(const Bytes& bytes, const std::string& column, const std::string& graph, Network& network);

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/network.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// Reads the classes of a network's vertices: a table with ids in its first column, in any order, and classes in its
/// second (or the one named label, class, community, ...), or a file of one label per vertex in the network's order.
Labels read_network_labels(const Bytes& bytes, const Network& network);

}  // namespace dunlin::io

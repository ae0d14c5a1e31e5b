// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/network.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// The classes of a network's vertices from a file: a table whose first column holds their ids, in any order (its
/// second column, or the one called label, class, community, ..., is the class), or a label per vertex, in the
/// network's order.
Labels read_network_labels(const Bytes& bytes, const Network& network);

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/bytes.hpp"

namespace dunlin::io {

/// Whether a JSON text has lists of nodes and of links or edges, as of NetworkX and D3. False for a malformed text, in
/// which they are not found before its error.
bool is_node_link(const Bytes& bytes);

}  // namespace dunlin::io

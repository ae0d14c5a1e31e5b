// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/bytes.hpp"

namespace dunlin::io {

/// Throws Error{bad_file} with the line for a DOT text whose subgraphs nest deeper than most_nested, over which
/// libcgraph recurses, or that has more than most_dot_attributes names of attributes: libcgraph goes over all vertices
/// for each.
void require_bounded_dot(const Bytes& bytes);

constexpr int most_dot_attributes = 512;

}  // namespace dunlin::io

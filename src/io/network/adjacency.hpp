// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/bytes.hpp"

/// How adjacency lists, rows of a vertex and its neighbors, are told from lists of edges and tables.
namespace dunlin::io {

/// Whether every row begins with a name and a colon, "a: b c".
bool has_colons(const Bytes& bytes);

/// Whether rows are of unequal length, each of another vertex and its neighbors, some of which stand elsewhere, too.
/// Numbers that stand nowhere else may be weights.
bool lists_neighbors(const Bytes& bytes);

/// lists_neighbors(), and every neighbor has a row of its own, as in files of NetworkX.
bool lists_all_vertices(const Bytes& bytes);

}  // namespace dunlin::io

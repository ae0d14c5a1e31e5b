// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <dunlin/network.hpp>

#include "io/network/edge_schema.hpp"

/// Rows of two vertices and a relation between them, which have to be told from two vertices and a weight.
namespace dunlin::io {

/// Whether the middle one of three names of columns is that of relations: source, relation, target.
bool names_relation(std::string_view before, std::string_view name, std::string_view after);

/// Throws Error{bad_file} if the rows are relations between vertices with numbers for names, such as "1 friend 2" or
/// "pp 1 2", of which the last number would be a weight. Adds a note to the schema where they may be.
/// names: those of the columns, if any; edge: the first row of edges.
void check_numbered_triples(const Bytes& bytes, const RawRow& edge, const std::vector<RawRow>& below,
                            const std::vector<std::string>& names, const NetworkOptions& options, EdgeSchema& schema);

}  // namespace dunlin::io

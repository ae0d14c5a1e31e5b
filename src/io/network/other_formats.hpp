// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/bytes.hpp"
#include "io/network/edge_header.hpp"

/// Formats of graphs that are refused by name: as lists of edges, their keywords would become vertices.
namespace dunlin::io {

/// A format by its name, and what to do with such a file.
struct OtherFormat {
    const char* name = nullptr;  ///< null: none of them
    const char* remedy = nullptr;
};

/// The format that the extension or the beginning tells.
OtherFormat other_format(const Bytes& bytes);

/// Throws Error{bad_file} for a file of another format.
void refuse_other_format(const Bytes& bytes);

/// The same for the formats that lines with # among the rows tell: TGF and LGL.
void refuse_marked_format(const Bytes& bytes);

/// Refuses rows of a vertex and its neighbors, which are no edges as their lengths differ.
void refuse_adjacency(const Bytes& bytes);

/// Throws Error{bad_file} if the second column holds kinds of relations between the first and the third.
void refuse_triples(const Bytes& bytes, const RawRow& first, const std::vector<RawRow>& below, char point);

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"
#include "io/network/edge_header.hpp"
#include "io/network/parsed_network.hpp"

/// Formats of graphs that their keywords tell, whatever the name of the file: as lists of edges, their keywords would
/// become vertices. Some are read, others are refused by name.
namespace dunlin::io {

/// A format by its name, and its parser or what to do with such a file.
struct OtherFormat {
    std::string_view name;    ///< empty: none of them
    std::string_view remedy;  ///< of a format that is not read
    ParsedNetwork (*parse)(const Bytes&, const NetworkOptions&) = nullptr;
};

/// The format that the extension or the beginning tells.
OtherFormat other_format(const Bytes& bytes);

/// The format, TGF or LGL, that lines with # among the rows indicate.
OtherFormat marked_format(const Bytes& bytes);

/// The format of rows of a vertex and its neighbors, which are no edges as their lengths differ.
OtherFormat adjacency_format(const Bytes& bytes);

/// Parses a file of the format; nothing if it is none. Throws Error{bad_file} for a format that is not read.
std::optional<ParsedNetwork> parsed_as(const OtherFormat& format, const Bytes& bytes, const NetworkOptions& options);

/// Throws Error{bad_file} for a file of another format, where edges alone are read.
void refuse_other_format(const Bytes& bytes);

/// Whether the second column holds kinds of relations between the first and the third, as in Cytoscape's SIF.
bool are_triples(const RawRow& first, const std::vector<RawRow>& below, char point);

}  // namespace dunlin::io

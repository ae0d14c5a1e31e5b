// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// A graph over the rows of points, as write_graph() writes it, and the names of the rows.
struct NamedGraph {
    Graph graph;
    std::vector<std::string> ids = {};  ///< one per row; empty: the file has no names
};

/// Reads what read_graph() reads, with the names that write_named_graph() has written.
DUNLIN_API NamedGraph read_named_graph(const std::filesystem::path& path, const Run& run = {});

/// Writes a graph as write_graph() does, with the names of its rows: in tables further columns source_id and target_id,
/// in .npz an array `ids`. Matrix Market files have no names. `ids`: empty, or one per row. targets: the names of what
/// the edges lead to, if these are other rows (neighbors of queries).
DUNLIN_API void write_named_graph(const std::filesystem::path& path, const Graph& graph,
                                  std::span<const std::string> ids, std::span<const std::string> targets = {});

}  // namespace dunlin::io

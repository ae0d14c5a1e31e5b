// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

/// File extensions of each kind of output and input; the extension selects the format.
namespace dunlin::formats {

constexpr std::array<std::string_view, 3> tables{".csv", ".tsv", ".npy"};             ///< points, clusters
constexpr std::array<std::string_view, 4> maps{".csv", ".tsv", ".npy", ".json"};      ///< io::write_map
constexpr std::array<std::string_view, 4> neighbors{".npz", ".mtx", ".csv", ".tsv"};  ///< io::write_graph
/// io::write_network
constexpr std::array<std::string_view, 5> drawings{".dot", ".gv", ".graphml", ".gexf", ".json"};
constexpr std::array<std::string_view, 3> pictures{".png", ".svg", ".html"};  ///< picture::draw
constexpr std::array<std::string_view, 3> meshes{".glb", ".ply", ".stl"};     ///< io::write_mesh

/// Extensions that always denote a graph (io::guess).
constexpr std::array<std::string_view, 16> networks{".dot",   ".gv",       ".gml",  ".graphml", ".graph", ".metis",
                                                    ".edges", ".edgelist", ".gexf", ".gdf",     ".net",   ".paj",
                                                    ".sif",   ".tgf",      ".lgl",  ".adjlist"};

}  // namespace dunlin::formats

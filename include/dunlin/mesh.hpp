// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin {

/// Consecutive vertices and triangles of a mesh, with a name and a color (sRGB and opacity, 0 to 255).
struct MeshPart {
    std::string name;
    std::array<std::uint8_t, 4> color{180, 180, 180, 255};
    Offset vertices = 0;
    Offset triangles = 0;
};

/// An indexed triangle mesh.
struct Mesh {
    std::vector<float> positions;  ///< x, y, z of each vertex
    std::vector<float> normals;    ///< unit vectors, outward, one per vertex
    std::vector<Index> triangles;  ///< three vertices each, counterclockwise seen from outside
    std::vector<MeshPart> parts;   ///< in order, together all vertices and triangles; empty: one part without a name

    [[nodiscard]] Offset vertices() const { return static_cast<Offset>(positions.size() / 3); }
    [[nodiscard]] Offset faces() const { return static_cast<Offset>(triangles.size() / 3); }
};

namespace io {

/// Writes a mesh in the format of the extension. .ply: binary, little-endian, vertices with normals (and colors if the
/// mesh has parts), then faces as `list uchar int vertex_indices`. .stl: binary, without shared vertices. .glb: glTF
/// 2.0, one mesh and material per part. The write is atomic. Throws Error{bad_input} for another extension, or arrays
/// whose lengths do not agree.
DUNLIN_API void write_mesh(const std::filesystem::path& path, const Mesh& mesh);

}  // namespace io

}  // namespace dunlin

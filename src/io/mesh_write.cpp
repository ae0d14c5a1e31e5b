// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include <dunlin/formats.hpp>
#include <dunlin/mesh.hpp>

#include "io/fail.hpp"
#include "io/output.hpp"
#include "math/triangle.hpp"

namespace dunlin::io {

namespace {

using Json = nlohmann::ordered_json;

/// A part with the numbers of its first vertex and triangle.
struct Piece {
    MeshPart part;
    std::size_t vertex = 0, triangle = 0;

    [[nodiscard]] std::size_t vertices() const { return static_cast<std::size_t>(part.vertices); }
    [[nodiscard]] std::size_t triangles() const { return static_cast<std::size_t>(part.triangles); }
};

std::vector<Piece> pieces_of(const Mesh& mesh) {
    std::vector<Piece> pieces;
    if (mesh.parts.empty()) {
        MeshPart whole;
        whole.vertices = mesh.vertices(), whole.triangles = mesh.faces();
        pieces.push_back({whole});
    }
    std::size_t vertex = 0, triangle = 0;
    for (const MeshPart& part : mesh.parts) {
        pieces.push_back({part, vertex, triangle});
        vertex += pieces.back().vertices();
        triangle += pieces.back().triangles();
    }
    return pieces;
}

void check(const Mesh& mesh, const std::string& name) {
    const auto vertices = static_cast<std::size_t>(mesh.vertices());
    if (mesh.positions.size() % 3 != 0 || mesh.triangles.size() % 3 != 0)
        bad_input("mesh for '{}': {} coordinates and {} corners; both are threes", name, mesh.positions.size(),
                  mesh.triangles.size());
    if (mesh.normals.size() != mesh.positions.size())
        bad_input("mesh for '{}': {} normals are given for {} vertices", name, mesh.normals.size() / 3, vertices);
    std::size_t triangle = 0;
    Offset first = 0;
    for (const Piece& piece : pieces_of(mesh)) {
        const Offset last = first + piece.part.vertices;
        for (std::size_t i = 3 * triangle; i < std::min(3 * (triangle + piece.triangles()), mesh.triangles.size());
             ++i) {
            if (mesh.triangles[i] >= first && mesh.triangles[i] < last) continue;
            bad_input("mesh for '{}': triangle {} has the vertex {}, which is none of its part ({} to {})", name, i / 3,
                      mesh.triangles[i], first, last - 1);
        }
        triangle += piece.triangles();
        first = last;
    }
    if (first != mesh.vertices() || triangle * 3 != mesh.triangles.size())
        bad_input("mesh for '{}': its parts have {} vertices and {} triangles, the mesh {} and {}", name, first,
                  triangle, mesh.vertices(), mesh.faces());
}

/// Appends the bytes of a number.
template <class T>
void put(Output& out, T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.text({bytes, sizeof(T)});
}

template <class T>
void put(Output& out, const T* values, std::size_t count) {
    out.text({reinterpret_cast<const char*>(values), count * sizeof(T)});
}

/// A name without line breaks, for a comment.
std::string on_one_line(std::string name) {
    std::replace_if(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return name;
}

void write_ply(Output& out, const Mesh& mesh) {
    const bool is_colored = !mesh.parts.empty();
    out.text("ply\nformat binary_little_endian 1.0\ncomment written by Dunlin\n");
    for (const MeshPart& part : mesh.parts)
        out.text(fmt::format("comment part of {} vertices and {} faces: {}\n", part.vertices, part.triangles,
                             on_one_line(part.name)));
    out.text(fmt::format("element vertex {}\n", mesh.vertices()));
    for (const char* name : {"x", "y", "z", "nx", "ny", "nz"}) out.text(fmt::format("property float {}\n", name));
    if (is_colored) out.text("property uchar red\nproperty uchar green\nproperty uchar blue\n");
    out.text(fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n", mesh.faces()));
    for (const Piece& piece : pieces_of(mesh)) {
        for (std::size_t v = piece.vertex; v < piece.vertex + piece.vertices(); ++v) {
            put(out, mesh.positions.data() + 3 * v, 3);
            put(out, mesh.normals.data() + 3 * v, 3);
            if (is_colored) put(out, piece.part.color.data(), 3);
        }
    }
    for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) {
        put(out, std::uint8_t{3});
        put(out, mesh.triangles.data() + i, 3);
    }
}

/// Unit normal of a triangle; 0 if it has no area.
std::array<float, 3> facet_normal(const Mesh& mesh, const Index* corners) {
    const auto corner = [&](int c) {
        const float* const p = mesh.positions.data() + 3 * static_cast<std::size_t>(corners[c]);
        return math::Vec3{{static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])}};
    };
    const math::Vec3 normal = math::triangle_normal(corner(0), corner(1), corner(2));
    const double square = math::dot(normal, normal), length = square > 0 ? std::sqrt(square) : 1;
    return {static_cast<float>(normal.at[0] / length), static_cast<float>(normal.at[1] / length),
            static_cast<float>(normal.at[2] / length)};
}

void write_stl(Output& out, const Mesh& mesh) {
    std::string header = "binary STL, written by Dunlin";
    header.resize(80, ' ');
    out.text(header);
    put(out, static_cast<std::uint32_t>(mesh.faces()));
    for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) {
        const std::array<float, 3> normal = facet_normal(mesh, mesh.triangles.data() + i);
        put(out, normal.data(), 3);
        for (std::size_t corner = 0; corner < 3; ++corner)
            put(out, mesh.positions.data() + 3 * static_cast<std::size_t>(mesh.triangles[i + corner]), 3);
        put(out, std::uint16_t{0});
    }
}

/// glTF colors are linear (IEC 61966-2-1).
double linear(std::uint8_t srgb) {
    const double c = srgb / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

Json material_of(const MeshPart& part) {
    const double opacity = part.color[3] / 255.0;
    Json material{{"name", part.name.empty() ? "surface" : part.name},
                  {"pbrMetallicRoughness",
                   {{"baseColorFactor", {linear(part.color[0]), linear(part.color[1]), linear(part.color[2]), opacity}},
                    {"metallicFactor", 0},
                    {"roughnessFactor", 0.6}}},
                  {"doubleSided", true}};
    if (part.color[3] < 255) material["alphaMode"] = "BLEND";
    return material;
}

Json vertex_accessor(int view, const Piece& piece) {
    constexpr int of_float = 5126;
    return {{"bufferView", view},
            {"byteOffset", 12 * piece.vertex},
            {"componentType", of_float},
            {"count", piece.vertices()},
            {"type", "VEC3"}};
}

void add_bounds(Json& accessor, const Mesh& mesh, const Piece& piece) {
    std::array<float, 3> least{}, most{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        least[axis] = std::numeric_limits<float>::max(), most[axis] = std::numeric_limits<float>::lowest();
        for (std::size_t v = piece.vertex; v < piece.vertex + piece.vertices(); ++v) {
            least[axis] = std::min(least[axis], mesh.positions[3 * v + axis]);
            most[axis] = std::max(most[axis], mesh.positions[3 * v + axis]);
        }
    }
    accessor["min"] = least;
    accessor["max"] = most;
}

/// The arrays of a glTF description, one entry per part or three.
struct GltfArrays {
    Json accessors = Json::array(), materials = Json::array(), meshes = Json::array(), nodes = Json::array();
};

void add_piece(GltfArrays& gltf, const Mesh& mesh, const Piece& piece) {
    constexpr int of_unsigned = 5125, triangles = 4;
    const std::size_t first = gltf.accessors.size();
    gltf.accessors.push_back(vertex_accessor(0, piece));
    add_bounds(gltf.accessors.back(), mesh, piece);
    gltf.accessors.push_back(vertex_accessor(1, piece));
    gltf.accessors.push_back({{"bufferView", 2},
                              {"byteOffset", 12 * piece.triangle},
                              {"componentType", of_unsigned},
                              {"count", 3 * piece.triangles()},
                              {"type", "SCALAR"}});
    const Json primitive{{"attributes", {{"POSITION", first}, {"NORMAL", first + 1}}},
                         {"indices", first + 2},
                         {"material", gltf.materials.size()},
                         {"mode", triangles}};
    const std::string name = piece.part.name.empty() ? "surface" : piece.part.name;
    gltf.materials.push_back(material_of(piece.part));
    gltf.nodes.push_back({{"name", name}, {"mesh", gltf.meshes.size()}});
    gltf.meshes.push_back({{"name", name}, {"primitives", Json::array({primitive})}});
}

Json buffer_view(std::size_t offset, std::size_t bytes, bool is_of_vertices) {
    constexpr int vertices = 34962, indices = 34963;
    Json view{{"buffer", 0}, {"byteOffset", offset}, {"byteLength", bytes}};
    if (is_of_vertices) view["byteStride"] = 12;
    view["target"] = is_of_vertices ? vertices : indices;
    return view;
}

/// The description of the binary chunk: positions, normals, triangles. A scene without triangles has no nodes.
std::string gltf_of(const Mesh& mesh, std::size_t bytes) {
    GltfArrays arrays;
    for (const Piece& piece : pieces_of(mesh)) {
        if (piece.triangles() > 0) add_piece(arrays, mesh, piece);
    }
    Json scene = Json::object();
    for (std::size_t node = 0; node < arrays.nodes.size(); ++node) scene["nodes"].push_back(node);
    Json gltf;
    gltf["asset"] = {{"version", "2.0"}, {"generator", "Dunlin"}};
    gltf["scene"] = 0;
    gltf["scenes"] = Json::array({scene});
    if (bytes > 0) {
        const std::size_t size = mesh.positions.size() * sizeof(float);
        gltf["nodes"] = arrays.nodes;
        gltf["meshes"] = arrays.meshes;
        gltf["materials"] = arrays.materials;
        gltf["accessors"] = arrays.accessors;
        gltf["bufferViews"] = Json::array({buffer_view(0, size, true), buffer_view(size, size, true),
                                           buffer_view(2 * size, bytes - 2 * size, false)});
        gltf["buffers"] = Json::array({Json{{"byteLength", bytes}}});
    }
    std::string text = gltf.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    return text;
}

void write_glb(Output& out, const Mesh& mesh, const std::string& name) {
    const std::size_t bytes =
        mesh.triangles.empty() ? 0 : 2 * mesh.positions.size() * sizeof(float) + mesh.triangles.size() * sizeof(Index);
    const std::string json = gltf_of(mesh, bytes);
    const std::size_t whole = 12 + 8 + json.size() + (bytes > 0 ? 8 + bytes : 0);
    if (whole > std::numeric_limits<std::uint32_t>::max())
        bad_input("mesh for '{}': {} bytes; a .glb has at most 4294967295, write a .ply", name, whole);
    const auto number = [&](std::size_t value) { put(out, static_cast<std::uint32_t>(value)); };
    out.text("glTF");
    number(2);
    number(whole);
    number(json.size());
    out.text("JSON");
    out.text(json);
    if (bytes == 0) return;
    number(bytes);
    out.text({"BIN\0", 4});
    out.raw(mesh.positions);
    out.raw(mesh.normals);
    for (const Piece& piece : pieces_of(mesh)) {
        for (std::size_t i = 3 * piece.triangle; i < 3 * (piece.triangle + piece.triangles()); ++i)
            number(static_cast<std::size_t>(mesh.triangles[i]) - piece.vertex);
    }
}

}  // namespace

void write_mesh(const std::filesystem::path& path, const Mesh& mesh) {
    check(mesh, path.string());
    const std::string extension = format_of(path, "a mesh is", formats::meshes);
    Output out(path);
    if (extension == ".ply")
        write_ply(out, mesh);
    else if (extension == ".stl")
        write_stl(out, mesh);
    else
        write_glb(out, mesh, path.string());
    out.commit();
}

}  // namespace dunlin::io

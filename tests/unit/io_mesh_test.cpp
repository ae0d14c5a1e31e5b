// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include <dunlin/arrays.hpp>
#include <dunlin/mesh.hpp>

#include "folder.hpp"
#include "io/npy.hpp"
#include "refusal.hpp"

namespace dunlin::io {
namespace {

class MeshFileTest : public InFolder {};

template <class T>
T number_at(const std::string& bytes, std::size_t place) {
    T value;
    std::memcpy(&value, bytes.data() + place, sizeof(T));
    return value;
}

/// A tetrahedron, and a second one in a part of its own.
Mesh tetrahedra(bool has_parts) {
    Mesh mesh;
    for (int part = 0; part < 2; ++part) {
        const float x = 10.0F * static_cast<float>(part);
        for (const float c : {x, 0.0F, 0.0F, x + 1, 0.0F, 0.0F, x, 1.0F, 0.0F, x, 0.0F, 1.0F})
            mesh.positions.push_back(c);
        for (int v = 0; v < 4; ++v) mesh.normals.insert(mesh.normals.end(), {0, 0, 1});
        for (const Index i : {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}) mesh.triangles.push_back(4 * part + i);
    }
    if (has_parts) mesh.parts = {{"a\nb", {255, 0, 0, 128}, 4, 4}, {"second", {0, 10, 255, 255}, 4, 4}};
    return mesh;
}

TEST_F(MeshFileTest, PlyHasFacesLast) {
    write_mesh(folder_ / "m.ply", tetrahedra(false));
    const std::string ply = bytes(path("m.ply"));
    const std::string header =
        "ply\nformat binary_little_endian 1.0\ncomment written by Dunlin\nelement vertex 8\nproperty float x\nproperty "
        "float y\nproperty float z\nproperty float nx\nproperty float ny\nproperty float nz\nelement face 8\nproperty "
        "list "
        "uchar int vertex_indices\nend_header\n";
    ASSERT_EQ(ply.substr(0, header.size()), header);
    ASSERT_EQ(ply.size(), header.size() + 8 * 24 + 8 * 13);
    EXPECT_EQ(number_at<float>(ply, header.size() + 24), 1.0F);
    const std::size_t faces = header.size() + 8 * 24;
    EXPECT_EQ(ply[faces], 3);
    EXPECT_EQ(number_at<Index>(ply, faces + 5), 2);
}

TEST_F(MeshFileTest, PlyOfPartsHasColors) {
    write_mesh(folder_ / "m.ply", tetrahedra(true));
    const std::string ply = bytes(path("m.ply"));
    EXPECT_NE(ply.find("property uchar blue\nelement face"), std::string::npos);
    EXPECT_NE(ply.find("comment part of 4 vertices and 4 faces: a b\n"), std::string::npos);
    const std::size_t body = ply.find("end_header\n") + 11;
    ASSERT_EQ(ply.size(), body + 8 * 27 + 8 * 13);
    EXPECT_EQ(static_cast<unsigned char>(ply[body + 24]), 255);
    EXPECT_EQ(ply[body + 4 * 27 + 25], 10);
}

TEST_F(MeshFileTest, StlHasFacetsWithNormals) {
    write_mesh(folder_ / "m.stl", tetrahedra(false));
    const std::string stl = bytes(path("m.stl"));
    ASSERT_EQ(stl.size(), 84U + 8 * 50);
    EXPECT_EQ(number_at<std::uint32_t>(stl, 80), 8U);
    EXPECT_EQ(number_at<float>(stl, 84 + 8), -1.0F) << "0, 2, 1 faces down";
    EXPECT_EQ(number_at<float>(stl, 84 + 12 + 12 + 4), 1.0F) << "second corner is vertex 2";
}

TEST_F(MeshFileTest, GlbHasAMeshPerPart) {
    write_mesh(folder_ / "m.glb", tetrahedra(true));
    const std::string glb = bytes(path("m.glb"));
    ASSERT_EQ(glb.substr(0, 4), "glTF");
    EXPECT_EQ(number_at<std::uint32_t>(glb, 8), glb.size());
    const auto length = number_at<std::uint32_t>(glb, 12);
    EXPECT_EQ(length % 4, 0U);
    const auto json = nlohmann::json::parse(glb.substr(20, length));
    ASSERT_EQ(json["meshes"].size(), 2U);
    EXPECT_EQ(json["scenes"][0]["nodes"].size(), 2U);
    EXPECT_EQ(json["materials"][0]["alphaMode"], "BLEND");
    EXPECT_FALSE(json["materials"][1].contains("alphaMode"));
    EXPECT_EQ(json["accessors"][3]["min"], nlohmann::json({10, 0, 0}));
    EXPECT_EQ(json["accessors"][3]["max"], nlohmann::json({11, 1, 1}));
    const std::size_t binary = 20 + length + 8;
    EXPECT_EQ(number_at<std::uint32_t>(glb, 20 + length), glb.size() - binary);
    // Triangles of the second part count its own vertices
    const auto offset =
        json["bufferViews"][2]["byteOffset"].get<std::size_t>() + json["accessors"][5]["byteOffset"].get<std::size_t>();
    EXPECT_EQ(number_at<std::uint32_t>(glb, binary + offset + 4), 2U);
}

TEST_F(MeshFileTest, AnEmptyMeshIsAFileOfEachFormat) {
    for (const char* name : {"m.ply", "m.stl", "m.glb"}) write_mesh(folder_ / name, {});
    EXPECT_NE(bytes(path("m.ply")).find("element face 0\n"), std::string::npos);
    EXPECT_EQ(bytes(path("m.stl")).size(), 84U);
    const std::string glb = bytes(path("m.glb"));
    const auto json = nlohmann::json::parse(glb.substr(20));
    EXPECT_FALSE(json.contains("meshes"));
    EXPECT_FALSE(json["scenes"][0].contains("nodes"));
}

TEST_F(MeshFileTest, ArraysThatDoNotAgreeAreRefused) {
    const auto refused = [&](const Mesh& mesh, const char* name = "m.ply") {
        return refusal(Fault::bad_input, [&] { write_mesh(folder_ / name, mesh); });
    };
    EXPECT_NE(refused(tetrahedra(false), "m.obj").find(".glb"), std::string::npos);
    Mesh mesh = tetrahedra(false);
    mesh.normals.pop_back();
    EXPECT_NE(refused(mesh).find("normals"), std::string::npos);
    mesh = tetrahedra(false);
    mesh.triangles[4] = 8;
    EXPECT_NE(refused(mesh).find("triangle 1 has the vertex 8"), std::string::npos);
    mesh = tetrahedra(true);
    mesh.parts[1].triangles = 3;
    EXPECT_NE(refused(mesh).find("parts"), std::string::npos);
}

TEST_F(MeshFileTest, FieldsOfAllTypesAndOrders) {
    const auto file = [&](const char* name, const std::string& descr, const auto& values, bool fortran = false) {
        std::string header = npy_header(descr, {2, 3, 2});
        if (fortran) header.replace(header.find("False,"), 6, "True, ");
        (void)put(name, header + std::string(reinterpret_cast<const char*>(values.data()),
                                             values.size() * sizeof(values[0])));
        return read_field(folder_ / name);
    };
    const std::vector<float> floats{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const FieldFile f4 = file("f4.npy", "<f4", floats);
    ASSERT_TRUE(f4.floats);
    EXPECT_EQ(f4.nodes, (std::array<Index, 3>{2, 3, 2}));
    EXPECT_EQ(f4.floats.get()[7], 7);
    const FieldFile f8 = file("f8.npy", "<f8", std::vector<double>(floats.begin(), floats.end()));
    ASSERT_TRUE(f8.doubles);
    EXPECT_EQ(f8.doubles.get()[7], 7);
    const FieldFile i2 = file("i2.npy", "<i2", std::vector<std::int16_t>(floats.begin(), floats.end()));
    ASSERT_TRUE(i2.floats);
    EXPECT_EQ(i2.floats.get()[7], 7);
    const FieldFile i8 = file("i8.npy", "<i8", std::vector<std::int64_t>(floats.begin(), floats.end()));
    ASSERT_TRUE(i8.doubles);
    EXPECT_EQ(i8.doubles.get()[11], 11);
    // Fortran order: the first axis in sequence, so value n lies at (n % 2, n / 2 % 3, n / 6)
    const FieldFile swapped = file("fortran.npy", "<f4", floats, true);
    ASSERT_TRUE(swapped.floats);
    EXPECT_EQ(swapped.floats.get()[(1 * 3 + 2) * 2 + 0], 1 + 2 * 2);
    EXPECT_EQ(swapped.floats.get()[(0 * 3 + 1) * 2 + 1], 0 + 2 * 1 + 6);
}

TEST_F(MeshFileTest, FilesThatAreNoFieldsAreRefused) {
    const auto refused = [&](const char* name) {
        return refusal(Fault::bad_file, [&] { (void)read_field(folder_ / name); });
    };
    (void)InFolder::put("table.npy", npy_header("<f4", {2, 2}) + std::string(16, '\0'));
    (void)InFolder::put("four.npy", npy_header("<f4", {1, 1, 2, 2}) + std::string(16, '\0'));
    (void)InFolder::put("cut.npy", npy_header("<f4", {2, 2, 2}) + std::string(16, '\0'));
    (void)InFolder::put("text.csv", "x,y,z\n1,2,3\n");
    EXPECT_NE(refused("table.npy").find("three axes"), std::string::npos);
    EXPECT_NE(refused("four.npy").find("three axes"), std::string::npos);
    EXPECT_NE(refused("cut.npy").find("truncated"), std::string::npos);
    EXPECT_NE(refused("text.csv").find("numpy.save"), std::string::npos);
    EXPECT_FALSE(is_field(folder_ / "table.npy"));
    EXPECT_TRUE(is_field(folder_ / "four.npy"));
    EXPECT_FALSE(is_field(folder_ / "text.csv"));
}

}  // namespace
}  // namespace dunlin::io

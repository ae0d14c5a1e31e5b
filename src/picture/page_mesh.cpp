// SPDX-License-Identifier: Apache-2.0
#include "picture/page_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>

#include "colors/color.hpp"
#include "io/markup.hpp"
#include "math/at.hpp"

namespace dunlin::picture {

namespace {

constexpr double most = 65535;

void check(const Mesh& mesh) {
    Offset vertices = 0, triangles = 0;
    for (const MeshPart& part : mesh.parts) vertices += part.vertices, triangles += part.triangles;
    const bool fits = mesh.positions.size() == at(3 * vertices) && mesh.normals.size() == mesh.positions.size() &&
                      mesh.triangles.size() == at(3 * triangles);
    const bool inside = std::all_of(mesh.triangles.begin(), mesh.triangles.end(),
                                    [&](Index vertex) { return vertex >= 0 && vertex < vertices; });
    if (fits && inside) return;
    throw Error(
        Fault::bad_input,
        fmt::format("picture: the parts of the mesh have {} vertices and {} triangles, and it has {} positions, "
                    "{} normals and {} corners of triangles; they must agree",
                    vertices, triangles, mesh.positions.size(), mesh.normals.size(), mesh.triangles.size()));
}

}  // namespace

PageMesh page_mesh(const Mesh& mesh, const Labels& labels) {
    check(mesh);
    PageMesh page;
    if (mesh.parts.empty()) return page;
    page.facts = nlohmann::json::array();
    for (const MeshPart& part : mesh.parts) {
        const auto name = std::find(labels.names.begin(), labels.names.end(), part.name);
        page.facts.push_back({{"name", io::clean_text(part.name)},
                              {"label", name == labels.names.end() ? -1 : name - labels.names.begin()},
                              {"color", code({part.color[0], part.color[1], part.color[2]})},
                              {"opacity", part.color[3] / 255.0},
                              {"vertices", part.vertices},
                              {"triangles", part.triangles}});
    }
    double longest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        float low = INFINITY, high = -INFINITY;
        for (std::size_t i = axis; i < mesh.positions.size(); i += 3) {
            low = std::min(low, mesh.positions[i]);
            high = std::max(high, mesh.positions[i]);
        }
        if (low > high) continue;
        page.box.origin[axis] = static_cast<double>(low);
        longest = std::max(longest, static_cast<double>(high) - static_cast<double>(low));
    }
    page.box.dim = 3;
    page.box.step = longest > 0 ? longest / most : 1;
    page.vertices.reserve(2 * mesh.positions.size());
    const auto push = [&](double number) {
        page.vertices.push_back(static_cast<std::uint32_t>(std::lround(std::clamp(number, 0.0, most))));
    };
    for (std::size_t first = 0; first < mesh.positions.size(); first += 3) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            push((static_cast<double>(mesh.positions[first + axis]) - page.box.origin[axis]) / page.box.step);
        for (std::size_t axis = 0; axis < 3; ++axis)
            push((static_cast<double>(mesh.normals[first + axis]) + 1) / 2 * most);
    }
    page.triangles = mesh.triangles;
    return page;
}

}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/mesh.hpp>

#include "world.hpp"

/// The scene as one mesh for .glb: a part for each part of a model, with all copies, thinned; without small plants.
/// y is up, as glTF has it.
namespace scene {

inline void add_part(dunlin::Mesh& mesh, const Model& model, const Part& part, int opacity) {
    dunlin::MeshPart& added = mesh.parts.emplace_back();
    added.name = model.name + " " + part.name;
    for (std::size_t c = 0; c < 3; ++c) added.color[c] = static_cast<std::uint8_t>(std::lround(255 * part.color[c]));
    added.color[3] = static_cast<std::uint8_t>(opacity);
    for (const Place& place : model.places) {
        const auto first = static_cast<Index>(mesh.vertices());
        for (std::size_t v = 0; v < part.positions.size(); ++v) {
            const Vec p = place.put(part.kind, part.positions[v]);
            const Vec n = unit(place.turn(part.kind, part.normals[v]));
            for (const double c : {p[0], p[2], -p[1]}) mesh.positions.push_back(static_cast<float>(c));
            for (const double c : {n[0], n[2], -n[1]}) mesh.normals.push_back(static_cast<float>(c));
        }
        for (const Index v : part.triangles) mesh.triangles.push_back(first + v);
        added.vertices += static_cast<Offset>(part.positions.size());
        added.triangles += static_cast<Offset>(part.triangles.size() / 3);
    }
}

inline dunlin::Mesh mesh_of(const World& world) {
    dunlin::Mesh mesh;
    for (const Model& model : world.models) {
        if (!model.casts || model.places.empty()) continue;
        const Model thin = thinned(model);
        for (const Part& part : thin.parts) {
            if (!part.triangles.empty()) add_part(mesh, thin, part, 255);
        }
    }
    Model water("water");
    constexpr double side = Terrain::size;
    water.in("surface", {0.16, 0.38, 0.46}).polygon({{0, 0, 0}, {side, 0, 0}, {side, side, 0}, {0, side, 0}});
    water.places = {{}};
    add_part(mesh, water, water.part(), 170);
    add_part(mesh, world.smoke.frames.front(), world.smoke.frames.front().parts.front(), 120);
    return mesh;
}

}  // namespace scene

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <functional>

#include <dunlin/mesh.hpp>

#include "embedded.hpp"
#include "world.hpp"

/// The scene as one mesh for .glb, and as one page with the WebGL 2 program that draws it (page/).
namespace scene {

/// A part for all copies of a part of a model; y is up, as glTF has it.
inline void add_part(dunlin::Mesh& mesh, const Model& model, const Part& part, int opacity) {
    dunlin::MeshPart& added = mesh.parts.emplace_back();
    added.name = model.name + " " + part.name;
    for (std::size_t c = 0; c < 3; ++c) added.color[c] = static_cast<std::uint8_t>(std::lround(255 * part.color[c]));
    added.color[3] = static_cast<std::uint8_t>(opacity);
    for (const Place& place : model.places) {
        const auto first = static_cast<Index>(mesh.vertices());
        for (const Vertex& v : part.vertices) {
            const auto [p, n, shade] = place.put(part.kind, v);
            for (const double c : {p[0], p[2], -p[1]}) mesh.positions.push_back(static_cast<float>(c));
            for (const double c : {n[0], n[2], -n[1]}) mesh.normals.push_back(static_cast<float>(c));
        }
        for (const Index v : part.triangles) mesh.triangles.push_back(first + v);
        added.vertices += static_cast<Offset>(part.vertices.size());
        added.triangles += static_cast<Offset>(part.triangles.size() / 3);
    }
}

inline dunlin::Mesh mesh_of(const World& world) {
    dunlin::Mesh mesh;
    for (const Model& model : world.models) {
        if (!model.casts || model.places.empty()) continue;
        for (const Part& part : model.parts)
            if (!part.triangles.empty()) add_part(mesh, model, part, 255);
    }
    Model water("water");
    constexpr double side = Terrain::size;
    water.in("surface", {0.16, 0.38, 0.46}).polygon({{0, 0, 0}, {side, 0, 0}, {side, side, 0}, {0, side, 0}});
    water.places = {{}};
    add_part(mesh, water, water.part(), 170);
    add_part(mesh, world.smoke.frames.front(), world.smoke.frames.front().parts.front(), 120);
    return mesh;
}

inline std::string base64(std::string_view bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k)
            three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63];
    }
    return text;
}

inline std::string json(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.7g", value);
    return text;
}
inline std::string json(const std::string& name) { return '"' + name + '"'; }
/// A list of what `text` makes of the items.
template <class Items, class Text>
std::string list(const Items& items, const Text& text) {
    std::string all;
    for (const auto& item : items) all += (all.empty() ? "" : ",") + text(item);
    return "[" + all + "]";
}
inline std::string list(const std::vector<std::string>& texts) { return list(texts, std::identity()); }
inline std::string json(const Vec& v) { return list({json(v[0]), json(v[1]), json(v[2])}); }

/// Arrays are one block of bytes in base64, which lists in JSON describe.
class Page {
public:
    std::string write(const World& w) {
        const auto layer = [](const Layer& l) { return list({json(l.dark), json(l.light), json(l.band)}); };
        const auto view = [](const View& v) { return list({json(v.name), json(v.eye), json(v.target)}); };
        const auto flight = [&](const Flight& f) { return list({json(double(f.kind)), put<float>(f.path)}); };
        const auto shape = [&](const Model& m) { return model(m); };
        const std::string data =
            list({json(w.sun), json(w.middle), json(w.smoke.foot), json(Terrain::size), put<float>(w.terrain.heights),
                  put(w.textures.bytes), list(layers, layer), list(w.views, view), list(w.models, shape),
                  list(w.smoke.frames, shape), list(w.flights, flight)});
        std::string page(embedded::page_head);
        page += "<script>\n\"use strict\";\nconst scene = " + data + ", block = \"" + base64(block_) + "\";\n";
        return page.append(embedded::page_js).append("</script>\n");
    }

private:
    /// Adds an array to the block; its place there and its length.
    template <class T>
    std::string put(const std::vector<T>& values) {
        const std::size_t at = (block_.size() + 3) / 4 * 4;
        block_.resize(at + values.size() * sizeof(T));
        if (!values.empty()) std::memcpy(block_.data() + at, values.data(), values.size() * sizeof(T));
        return "[" + std::to_string(at) + "," + std::to_string(values.size()) + "]";
    }
    /// The same for all numbers of rows.
    template <class T, class Rows>
    std::string put(const Rows& rows) {
        std::vector<T> values;
        for (const auto& row : rows)
            for (const double value : row) values.push_back(static_cast<T>(value));
        return put(values);
    }

    std::string model(const Model& m) {
        double reach = 0;  // of coordinates
        for (const Part& part : m.parts)
            for (const Vertex& v : part.vertices)
                for (const double c : v.position) reach = max(reach, abs(c));
        std::vector<std::array<double, 8>> vertices;  // 16-bit: places, of the reach; part; normal; shade
        std::vector<std::uint32_t> triangles;
        for (const Part& part : m.parts) {
            for (const Index t : part.triangles) triangles.push_back(std::uint32_t(vertices.size() + std::size_t(t)));
            for (const auto& [position, normal, shade] : part.vertices) {
                const Vec p = 32767 / reach * position, n = 32767.0 * normal;
                vertices.push_back({p[0], p[1], p[2], double(&part - m.parts.data()), n[0], n[1], n[2], 16383 * shade});
            }
        }
        std::vector<std::array<double, 7>> places;
        for (const Place& p : m.places) places.push_back({p.at[0], p.at[1], p.at[2], p.scale, p.yaw, p.pitch, p.beat});
        const auto part = [](const Part& p) { return list({json(p.color), json(p.kind)}); };
        return list({json(m.casts), list(m.parts, part), put<std::int16_t>(vertices), put(triangles), json(reach),
                     put<float>(places)});
    }

    std::string block_;
};

}  // namespace scene

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "embedded.hpp"
#include "world.hpp"

/// One page with the scene and the WebGL 2 program that draws it (page/). The arrays are one block of bytes in base64,
/// which a list in JSON describes.
namespace scene {

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
template <class Items, class Text>
std::string json(const Items& items, const Text& text) {
    std::string list;
    for (const auto& item : items) list += (list.empty() ? "" : ",") + text(item);
    return "[" + list + "]";
}
inline std::string json(const Vec& v) {
    return json(v, [](double c) { return json(c); });
}

class Page {
public:
    std::string write(const World& w) {
        const auto vec = [](const Vec& v) { return json(v); };
        const auto layer = [&](const Layer& l) {
            return json(std::array{l.dark, l.light, Vec{l.from, l.width, l.noise}}, vec);
        };
        const auto view = [](const View& v) {
            return "[" + json(v.name) + "," + json(v.eye) + "," + json(v.target) + "]";
        };
        std::string data =
            "{\"sun\":" + json(w.sun) + ",\"size\":" + json(Terrain::size) + ",\"foot\":" + json(w.smoke.foot);
        data += ",\"side\":" + json(w.terrain.side()) + ",\"textures\":" + put(w.textures.bytes);
        data += ",\"layers\":" + json(layers, layer) + ",\"views\":" + json(w.views, view);
        data += ",\"models\":" + json(w.models, [&](const Model& m) { return model(m); });
        data += ",\"smoke\":" + json(w.smoke.frames, [&](const Model& m) { return geometry(m); });
        data += ",\"flights\":" + json(w.flights, [&](const Flight& f) { return flight(f); }) + "}";
        std::string page(embedded::page_html);
        for (const auto& [name, text] : embedded::shaders)
            page.append("<script type=\"text/plain\" id=\"")
                .append(name)
                .append("\">")
                .append(text)
                .append("</script>\n");
        page += "<script>\n\"use strict\";\nconst scene = " + data + ", block = \"" + base64(block_) + "\";\n";
        return page.append(embedded::page_js).append("</script>\n");
    }

private:
    struct Packed {
        std::array<std::uint16_t, 4> position;  ///< in the box of the model; number of the part
        std::array<std::int8_t, 3> normal;
        std::uint8_t shade;
    };

    /// Adds an array to the block; its place there and its length.
    template <class T>
    std::string put(const std::vector<T>& values) {
        const std::size_t at = (block_.size() + 3) / 4 * 4;
        block_.resize(at + values.size() * sizeof(T));
        if (!values.empty()) std::memcpy(block_.data() + at, values.data(), values.size() * sizeof(T));
        return "[" + std::to_string(at) + "," + std::to_string(values.size()) + "]";
    }

    std::string geometry(const Model& m) {
        Vec low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
        for (const Part& part : m.parts) {
            for (const Vec& p : part.positions)
                for (std::size_t a = 0; a < 3; ++a) low[a] = std::min(low[a], p[a]), high[a] = std::max(high[a], p[a]);
        }
        std::vector<Packed> packed;
        std::vector<std::uint32_t> triangles;
        std::size_t solid = 0;  // corners before those of thin parts
        for (const bool thin : {false, true}) {
            for (const Part& part : m.parts) {
                if (is_thin(part.kind) != thin) continue;
                for (const Index t : part.triangles) triangles.push_back(std::uint32_t(packed.size() + std::size_t(t)));
                for (std::size_t v = 0; v < part.positions.size(); ++v) {
                    Packed& vertex = packed.emplace_back();
                    for (std::size_t a = 0; a < 3; ++a) {
                        const double share = (part.positions[v][a] - low[a]) / std::max(high[a] - low[a], 1e-9);
                        vertex.position[a] = static_cast<std::uint16_t>(std::lround(65535 * share));
                        vertex.normal[a] = static_cast<std::int8_t>(std::lround(127 * part.normals[v][a]));
                    }
                    vertex.position[3] = static_cast<std::uint16_t>(&part - m.parts.data());
                    vertex.shade = static_cast<std::uint8_t>(std::lround(63.5 * part.shades[v]));
                }
            }
            if (!thin) solid = triangles.size();
        }
        return "[" + put(packed) + "," + put(triangles) + "," + json(low) + "," + json(high) + "," +
               std::to_string(solid) + "]";
    }

    std::string model(const Model& m) {
        std::vector<float> places;
        for (const Place& p : m.places)
            for (const double c : {p.at[0], p.at[1], p.at[2], p.scale, p.yaw, p.pitch, p.beat})
                places.push_back(float(c));
        std::string levels = geometry(m), casts = m.casts ? "true" : "false";
        if (m.has(Kind::leaf)) levels += "," + geometry(thinned(m));
        const auto part = [](const Part& p) { return "[" + json(p.color) + "," + json(double(p.kind)) + "]"; };
        return "{\"name\":" + json(m.name) + ",\"casts\":" + casts + ",\"parts\":" + json(m.parts, part) +
               ",\"levels\":[" + levels + "],\"places\":" + put(places) + "}";
    }

    std::string flight(const Flight& f) {
        std::vector<float> path;
        for (const Vec& p : f.path) path.insert(path.end(), {float(p[0]), float(p[1]), float(p[2])});
        return "[" + json(std::string(butterfly_kinds[f.kind].name)) + "," + put(path) + "]";
    }

    std::string block_;
};

}  // namespace scene

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "vectors.hpp"

/// Triangle models in colored parts, and their places in the scene.
namespace scene {

/// How a part is shaded: leaves move in the wind and let light through, wings beat, panes glow.
enum class Kind { plain, terrain, leaf, wing, glow, bark, grass };
inline bool is_thin(Kind kind) { return kind == Kind::leaf || kind == Kind::wing || kind == Kind::grass; }

struct Part {
    std::string name;
    Vec color;  ///< sRGB, 0 to 1
    Kind kind = Kind::plain;
    std::vector<Vec> positions = {}, normals = {};
    std::vector<double> shades = {};  ///< factor of the color, 0 to 2
    std::vector<Index> triangles = {};
};

/// Where a copy stands: turned by yaw around z after a pitch around its x axis; wings turn around the body, the y axis.
struct Place {
    Vec at;
    double scale = 1, yaw = 0, pitch = 0, beat = 0;

    [[nodiscard]] Vec turn(Kind kind, Vec v) const {
        if (kind == Kind::wing) {
            const double side = v[0] < 0 ? -1 : 1, c = std::cos(beat), s = std::sin(beat);
            v = {v[0] * c - side * v[2] * s, v[1], side * v[0] * s + v[2] * c};
        }
        const double c = std::cos(yaw), s = std::sin(yaw), y = std::cos(pitch) * v[1] - std::sin(pitch) * v[2];
        return {c * v[0] - s * y, s * v[0] + c * y, std::sin(pitch) * v[1] + std::cos(pitch) * v[2]};
    }
    [[nodiscard]] Vec put(Kind kind, const Vec& v) const { return at + scale * turn(kind, v); }
};

class Model {
public:
    std::string name;
    std::vector<Part> parts = {};
    std::vector<Place> places = {};
    bool casts = true;  ///< a shadow, and is in the reflection and the .glb

    explicit Model(std::string its_name) : name(std::move(its_name)) {}

    /// The part that later triangles belong to.
    Model& in(const std::string& part, const Vec& color, Kind kind = Kind::plain) {
        const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.name == part; });
        current_ = static_cast<std::size_t>(found - parts.begin());
        if (found == parts.end()) parts.push_back({part, color, kind});
        return *this;
    }
    Part& part() { return parts[current_]; }
    [[nodiscard]] bool has(Kind kind) const {
        return std::any_of(parts.begin(), parts.end(), [&](const Part& p) { return p.kind == kind; });
    }

    Index vertex(const Vec& position, const Vec& normal, double shade = 1) {
        part().positions.push_back(position);
        part().normals.push_back(unit(normal));
        part().shades.push_back(std::clamp(shade, 0.0, 2.0));
        return static_cast<Index>(part().positions.size() - 1);
    }
    void triangle(Index a, Index b, Index c) { part().triangles.insert(part().triangles.end(), {a, b, c}); }
    void square(Index a, Index b, Index c, Index d) {
        triangle(a, b, c);
        triangle(a, c, d);
    }

    /// A flat polygon around its first vertex.
    void polygon(const std::vector<Vec>& corners, double shade = 1) {
        const Vec normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
        const auto first = static_cast<Index>(part().positions.size()), count = static_cast<Index>(corners.size());
        for (const Vec& corner : corners) vertex(corner, normal, shade);
        for (Index i = 2; i < count; ++i) triangle(first, first + i - 1, first + i);
    }

    /// A box around a center, by its three half edges in right-handed order.
    void box(const Vec& center, const Vec& a, const Vec& b, const Vec& c, double shade = 1) {
        const std::array<std::array<Vec, 3>, 3> turns{{{a, b, c}, {b, c, a}, {c, a, b}}};
        for (const auto& [out, u, v] : turns) {
            for (const double side : {-1.0, 1.0}) {
                const Vec at = center + side * out, w = side * v;
                polygon({at - u - w, at + u - w, at + u + w, at - u + w}, shade);
            }
        }
    }

    /// A cone or cylinder between two points, with caps if `closed`.
    void tube(const Vec& from, const Vec& to, double radius, double end_radius, int sides, double shade = 1,
              bool closed = false) {
        const Vec axis = unit(to - from), u = across(axis);
        const auto first = static_cast<Index>(part().positions.size());
        std::vector<Vec> low, high;
        for (Index s = 0; s < sides; ++s) {
            const Vec out = turned(u, axis, 2 * pi * s / sides);
            low.insert(low.begin(), from + radius * out);
            high.push_back(to + end_radius * out);
            vertex(low.front(), out, shade);
            vertex(high.back(), out, shade);
            const Index here = first + 2 * s, next = first + 2 * ((s + 1) % sides);
            square(here, next, next + 1, here + 1);
        }
        if (closed) polygon(low, 1.25 * shade);
        if (closed) polygon(high, 1.25 * shade);
    }

    /// A leaf, petal or blade: a diamond folded along its middle. Normals lean towards `facing`.
    void leaf(const Vec& base, const Vec& along, const Vec& side, const Vec& facing, double shade) {
        const Vec up = unit(cross(side, along)), middle = base + 0.45 * along + 0.18 * length(side) * up;
        const Index a = vertex(base, up + facing, 0.85 * shade), b = vertex(middle + side, up + facing, shade);
        const Index c = vertex(base + along, up + facing, 1.1 * shade), d = vertex(middle - side, up + facing, shade);
        triangle(a, c, b);
        triangle(a, d, c);
    }

private:
    std::size_t current_ = 0;
};

/// A model for far away: without twigs, and of leaves, four vertices and two triangles, a third, but larger.
inline Model thinned(Model model) {
    for (Part& part : model.parts) {
        if (part.name == "twigs") part = {part.name, part.color};
        if (part.kind != Kind::leaf) continue;
        const Part all = std::exchange(part, {part.name, part.color, part.kind});
        for (std::size_t v = 0; v < all.positions.size(); ++v) {
            if (v % 12 >= 4) continue;
            part.positions.push_back(mix(all.positions[v - v % 4], all.positions[v], 1.6));
            part.normals.push_back(all.normals[v]);
            part.shades.push_back(all.shades[v]);
            const auto first = static_cast<Index>(part.positions.size() - 4);
            if (v % 4 == 3)
                part.triangles.insert(part.triangles.end(), {first, first + 2, first + 1, first, first + 3, first + 2});
        }
    }
    return model;
}

}  // namespace scene

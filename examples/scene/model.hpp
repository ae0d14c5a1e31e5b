// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "vectors.hpp"

/// Triangle models in colored parts, and their places in the scene.
namespace scene {

#include "page/model.glsl"

struct Vertex {
    Vec position, normal;
    double shade = 1;  ///< factor of the color, 0 to 2
};
struct Part {
    std::string name;
    Vec color;  ///< sRGB, 0 to 1
    int kind = PLAIN;
    std::vector<Vertex> vertices = {};
    std::vector<Index> triangles = {};
};

/// Where a copy stands, and how it is turned (page/model.glsl).
struct Place {
    Vec at;
    double scale = 1, yaw = 0, pitch = 0, beat = 0;

    [[nodiscard]] Vertex put(int kind, const Vertex& v) const {
        const double side = kind != WING ? 0 : v.position[0] < 0 ? -beat : beat;
        return {at + scale * turn(v.position, yaw, pitch, side), turn(v.normal, yaw, pitch, side), v.shade};
    }
};

class Model {
public:
    std::string name;
    std::vector<Part> parts = {};
    std::vector<Place> places = {};
    bool casts = true;  ///< a shadow, and is in the reflection and the .glb

    explicit Model(std::string its_name) : name(std::move(its_name)) {}

    /// The part that later triangles belong to.
    Model& in(const std::string& part, const Vec& color, int kind = PLAIN) {
        const auto found = std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return p.name == part; });
        current_ = static_cast<std::size_t>(found - parts.begin());
        if (found == parts.end()) parts.push_back({part, color, kind});
        return *this;
    }
    Part& part() { return parts[current_]; }

    Index vertex(const Vec& position, const Vec& normal, double shade = 1) {
        part().vertices.push_back({position, normalize(normal), clamp(shade, 0.0, 2.0)});
        return static_cast<Index>(part().vertices.size() - 1);
    }
    void square(Index a, Index b, Index c, Index d) {
        part().triangles.insert(part().triangles.end(), {a, b, c, a, c, d});
    }

    /// A flat polygon around its first vertex.
    void polygon(const std::vector<Vec>& corners, double shade = 1) {
        const Vec normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
        const auto first = static_cast<Index>(part().vertices.size()), count = static_cast<Index>(corners.size());
        for (const Vec& corner : corners) vertex(corner, normal, shade);
        for (Index i = 2; i < count; ++i)
            part().triangles.insert(part().triangles.end(), {first, first + i - 1, first + i});
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
        const Vec axis = normalize(to - from), u = across(axis);
        const auto first = static_cast<Index>(part().vertices.size());
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

    /// A leaf or blade: a diamond folded along its middle. Normals lean towards `facing`.
    void leaf(const Vec& base, const Vec& along, const Vec& side, const Vec& facing, double shade) {
        const Vec up = normalize(cross(side, along)), middle = base + 0.45 * along + 0.18 * length(side) * up;
        const Index a = vertex(base, up + facing, 0.85 * shade), b = vertex(middle + side, up + facing, shade);
        const Index c = vertex(base + along, up + facing, 1.1 * shade), d = vertex(middle - side, up + facing, shade);
        square(a, d, c, b);
    }

private:
    std::size_t current_ = 0;
};

}  // namespace scene

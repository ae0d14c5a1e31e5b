// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include <dunlin/mesh.hpp>

/// Parts of the scene's mesh. z is up.
namespace scene {

using dunlin::Index, dunlin::Mesh, dunlin::Offset;
using Vec = std::array<double, 3>;
using Color = std::array<std::uint8_t, 4>;

inline Vec operator+(const Vec& a, const Vec& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec operator-(const Vec& a, const Vec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec operator*(double s, const Vec& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec cross(const Vec& a, const Vec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vec unit(const Vec& a) {
    const double length = std::sqrt(dot(a, a));
    return length > 0 ? (1 / length) * a : Vec{0, 0, 1};
}

/// Random numbers that are the same with every standard library.
class Random {
public:
    explicit Random(std::uint64_t seed) : bits_(seed) {}
    double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53;
    }
    double normal() {
        const double u = uniform(0x1p-60, 1), v = uniform(0, 1);
        return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
    }
    Index below(Index bound) { return static_cast<Index>(uniform(0, bound)); }

private:
    std::mt19937_64 bits_;
};

/// Adds parts to a mesh, one after the other.
class Builder {
public:
    void begin(const std::string& name, const Color& color) { mesh_.parts.push_back({name, color, 0, 0}); }

    Index vertex(const Vec& position, const Vec& normal) {
        const Vec n = unit(normal);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            mesh_.positions.push_back(static_cast<float>(position[axis]));
            mesh_.normals.push_back(static_cast<float>(n[axis]));
        }
        ++mesh_.parts.back().vertices;
        return static_cast<Index>(mesh_.vertices() - 1);
    }
    void triangle(Index a, Index b, Index c) {
        for (const Index v : {a, b, c}) mesh_.triangles.push_back(v);
        ++mesh_.parts.back().triangles;
    }
    void square(Index a, Index b, Index c, Index d) {
        triangle(a, b, c);
        triangle(a, c, d);
    }

    /// A cone or cylinder between two points.
    void branch(const Vec& from, const Vec& to, double radius, double end_radius) {
        constexpr int sides = 6;
        const Vec axis = unit(to - from);
        const Vec u = unit(cross(axis, std::abs(axis[2]) < 0.9 ? Vec{0, 0, 1} : Vec{1, 0, 0})), v = cross(axis, u);
        std::array<Index, sides> low{}, high{};
        for (std::size_t s = 0; s < sides; ++s) {
            const double turn = 6.283185307179586 * static_cast<double>(s) / sides;
            const Vec out = std::cos(turn) * u + std::sin(turn) * v;
            low[s] = vertex(from + radius * out, out);
            high[s] = vertex(to + end_radius * out, out);
        }
        for (std::size_t s = 0; s < sides; ++s) {
            const std::size_t next = (s + 1) % sides;
            square(low[s], low[next], high[next], high[s]);
        }
    }

    /// A leaf, petal or wing: a flat diamond.
    void leaf(const Vec& base, const Vec& along, const Vec& across) {
        const Vec normal = cross(along, across);
        const Index a = vertex(base, normal), b = vertex(base + 0.5 * along + 0.5 * across, normal),
                    c = vertex(base + along, normal), d = vertex(base + 0.5 * along - 0.5 * across, normal);
        square(a, b, c, d);
    }

    void append(const Mesh& mesh) {
        const auto first = static_cast<Index>(mesh_.vertices());
        mesh_.positions.insert(mesh_.positions.end(), mesh.positions.begin(), mesh.positions.end());
        mesh_.normals.insert(mesh_.normals.end(), mesh.normals.begin(), mesh.normals.end());
        for (const Index v : mesh.triangles) mesh_.triangles.push_back(first + v);
        mesh_.parts.back().vertices += mesh.vertices();
        mesh_.parts.back().triangles += mesh.faces();
    }

    [[nodiscard]] const Mesh& mesh() const { return mesh_; }

private:
    Mesh mesh_;
};

}  // namespace scene

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "surface/words.hpp"

/// The cap: the part of the border of the grid that is inside. Each square between four nodes of the border is divided
/// by the diagonal that Kuhn's triangulation has there.
namespace dunlin::surface {

struct GridNode {
    Index x, y, z;
};

DUNLIN_HD inline bool is_inside(const Shape& shape, const std::uint32_t* inside, GridNode n) {
    const std::uint32_t word = inside[(Offset{n.x} * shape.ny + n.y) * shape.words + n.z / 32];
    return (word >> (n.z % 32) & 1U) != 0;
}

/// Nodes of the border are numbered in the order of the grid.
struct BorderNodes {
    Shape shape;

    /// Nodes of the border with the same x that is not 0 or nx - 1.
    [[nodiscard]] DUNLIN_HD Offset ring() const { return 2 * (Offset{shape.ny} + shape.nz) - 4; }
    [[nodiscard]] DUNLIN_HD Offset plane() const { return Offset{shape.ny} * shape.nz; }
    [[nodiscard]] DUNLIN_HD Offset count() const { return 2 * plane() + (shape.nx - 2) * ring(); }

    [[nodiscard]] DUNLIN_HD Offset number(GridNode n) const {
        if (n.x == 0) return Offset{n.y} * shape.nz + n.z;
        const Offset before = plane() + (n.x - 1) * ring();
        if (n.x == shape.nx - 1) return before + Offset{n.y} * shape.nz + n.z;
        if (n.y == 0) return before + n.z;
        const Offset sides = before + shape.nz + 2 * (Offset{n.y} - 1);
        return n.y == shape.ny - 1 ? sides + n.z : sides + (n.z == 0 ? 0 : 1);
    }

    [[nodiscard]] DUNLIN_HD GridNode node(Offset number) const {
        const Offset inner = number - plane();
        if (inner < 0) return in_plane(0, number);
        const auto x = static_cast<Index>(inner / ring() + 1);
        if (x >= shape.nx - 1) return in_plane(shape.nx - 1, inner - (shape.nx - 2) * ring());
        Offset rest = inner % ring();
        if (rest < shape.nz) return {x, 0, static_cast<Index>(rest)};
        rest -= shape.nz;
        const Offset sides = 2 * (Offset{shape.ny} - 2);
        if (rest >= sides) return {x, shape.ny - 1, static_cast<Index>(rest - sides)};
        return {x, static_cast<Index>(rest / 2 + 1), rest % 2 == 0 ? 0 : shape.nz - 1};
    }

private:
    [[nodiscard]] DUNLIN_HD GridNode in_plane(Index x, Offset number) const {
        return {x, static_cast<Index>(number / shape.nz), static_cast<Index>(number % shape.nz)};
    }
};

/// A triangle of the border, counterclockwise seen from outside.
struct BorderTriangle {
    GridNode corners[3];
};

/// Triangles of the border: faces x = 0, x = nx - 1, y = 0, .., in each the squares in order, two triangles a square.
struct BorderTriangles {
    Shape shape;

    [[nodiscard]] DUNLIN_HD Offset squares(int axis) const {
        const Offset x = shape.nx - 1, y = shape.ny - 1, z = shape.nz - 1;
        return axis == 0 ? y * z : axis == 1 ? x * z : x * y;
    }
    [[nodiscard]] DUNLIN_HD Offset count() const { return 4 * (squares(0) + squares(1) + squares(2)); }

    [[nodiscard]] DUNLIN_HD BorderTriangle triangle(Offset number) const {
        Offset square = number / 2;
        int face = 0;
        while (square >= squares(face / 2)) square -= squares(face++ / 2);
        const int axis = face / 2;
        const bool is_high = face % 2 != 0;
        const Index across = (axis == 2 ? shape.ny : shape.nz) - 1;
        const auto u = static_cast<Index>(square / across), v = static_cast<Index>(square % across);
        const Index extent = axis == 0 ? shape.nx : axis == 1 ? shape.ny : shape.nz;
        const Index depth = is_high ? extent - 1 : 0;
        const auto at = [&](Index du, Index dv) -> GridNode {
            if (axis == 0) return {depth, u + du, v + dv};
            return axis == 1 ? GridNode{u + du, depth, v + dv} : GridNode{u + du, v + dv, depth};
        };
        // The other axes u, v span the outward normal of the high side, except for y
        const bool is_lower = number % 2 == 0, is_turned = is_high == (axis == 1);
        const GridNode second = is_lower ? at(1, 0) : at(1, 1), third = is_lower ? at(1, 1) : at(0, 1);
        return is_turned ? BorderTriangle{{at(0, 0), third, second}} : BorderTriangle{{at(0, 0), second, third}};
    }
};

/// Triangles of the cap in a triangle of which this number of corners is inside.
DUNLIN_HD inline int cap_triangles(int corners_inside) { return corners_inside == 0 ? 0 : corners_inside == 2 ? 2 : 1; }

/// The part of a triangle of the border that is inside, a polygon of 3 or 4 vertices. node(n) and crossing(n, m) are
/// the vertices at an inside node and on the edge of node n in direction m. Returns the number of vertices.
template <class NodeVertex, class CrossingVertex>
DUNLIN_HD int cap_polygon(const Shape& shape, const std::uint32_t* inside, const BorderTriangle& triangle,
                          const NodeVertex& node, const CrossingVertex& crossing, Index (&polygon)[4]) {
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        const GridNode a = triangle.corners[i], b = triangle.corners[(i + 1) % 3];
        const bool a_is_inside = is_inside(shape, inside, a);
        if (a_is_inside) polygon[count++] = node(a);
        if (a_is_inside == is_inside(shape, inside, b)) continue;
        const GridNode owner{a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
        const int m = (a.x != b.x ? 4 : 0) | (a.y != b.y ? 2 : 0) | (a.z != b.z ? 1 : 0);
        polygon[count++] = crossing(owner, m);
    }
    return count;
}

}  // namespace dunlin::surface

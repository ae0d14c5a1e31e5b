// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

/// Marching tetrahedra in a cube. Corner c of a cube has the offsets (c >> 2 & 1, c >> 1 & 1, c & 1) along x, y and z.
/// An edge leads from corner a in direction m, to corner a + m, with a & m == 0: the 12 edges, 6 face diagonals and the
/// main diagonal of Kuhn's triangulation. A node of the grid owns the edges in its 7 directions.
namespace dunlin::surface {

constexpr int cube_edges = 19;
constexpr int most_triangles = 12;

/// A case is the set of corners that are inside, as bits. Edges are numbered by owner, then by direction.
struct CubeTable {
    std::uint8_t owner[cube_edges] = {};               ///< corner a of an edge
    std::uint8_t direction[cube_edges] = {};           ///< direction m of an edge
    std::uint8_t count[256] = {};                      ///< triangles of a case
    std::uint8_t edges[256][3 * most_triangles] = {};  ///< edges of their vertices
};

namespace detail {

/// The edge between two corners of a tetrahedron, lower corner first.
constexpr int edge_between(const CubeTable& table, int a, int b) {
    const int from = a < b ? a : b;
    for (int e = 0; e < cube_edges; ++e) {
        if (table.owner[e] == from && table.direction[e] == (a ^ b)) return e;
    }
    return -1;
}

struct Tetrahedron {
    int corners[4];
};

/// Exchanges corners in pairs until `inside` of them come first; an even number of exchanges keeps the orientation.
constexpr Tetrahedron with_inside_first(Tetrahedron t, int inside_case) {
    const auto is_inside = [&](int i) { return (inside_case >> t.corners[i] & 1) != 0; };
    int exchanges = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 3; j > i; --j) {
            if (!is_inside(j) || is_inside(j - 1)) continue;
            const int corner = t.corners[j];
            t.corners[j] = t.corners[j - 1];
            t.corners[j - 1] = corner;
            ++exchanges;
        }
    }
    if (exchanges % 2 != 0) {
        // Two corners of one side are exchanged, which keeps the order of the sides
        const int first = is_inside(1) ? 0 : 2;
        const int corner = t.corners[first];
        t.corners[first] = t.corners[first + 1];
        t.corners[first + 1] = corner;
    }
    return t;
}

/// Adds the triangle of three edges, each given by its ends.
constexpr void add_triangle(CubeTable& table, int cube_case, const int (&ends)[3][2]) {
    const int first = 3 * table.count[cube_case]++;
    for (int i = 0; i < 3; ++i)
        table.edges[cube_case][first + i] = static_cast<std::uint8_t>(edge_between(table, ends[i][0], ends[i][1]));
}

/// Adds the surface in a positively oriented tetrahedron; its triangles are counterclockwise seen from outside.
constexpr void add_tetrahedron(CubeTable& table, int cube_case, Tetrahedron t) {
    int inside = 0;
    for (const int corner : t.corners) inside += cube_case >> corner & 1;
    if (inside == 0 || inside == 4) return;
    const auto [a, b, c, d] = with_inside_first(t, cube_case).corners;
    if (inside == 1) {
        add_triangle(table, cube_case, {{a, b}, {a, c}, {a, d}});
    } else if (inside == 2) {
        add_triangle(table, cube_case, {{a, c}, {a, d}, {b, d}});
        add_triangle(table, cube_case, {{a, c}, {b, d}, {b, c}});
    } else {
        add_triangle(table, cube_case, {{d, a}, {d, b}, {d, c}});
    }
}

}  // namespace detail

constexpr CubeTable make_cube_table() {
    CubeTable table;
    int edge = 0;
    for (int from = 0; from < 8; ++from) {
        for (int m = 1; m < 8; ++m) {
            if ((from & m) != 0) continue;
            table.owner[edge] = static_cast<std::uint8_t>(from);
            table.direction[edge++] = static_cast<std::uint8_t>(m);
        }
    }
    // Paths from corner 0 to corner 7 along the axes in every order. The order x, y, z (4, 2, 1) is positively
    // oriented; for odd orders two corners are exchanged.
    constexpr int orders[6][3] = {{4, 2, 1}, {2, 1, 4}, {1, 4, 2}, {2, 4, 1}, {4, 1, 2}, {1, 2, 4}};
    for (int cube_case = 0; cube_case < 256; ++cube_case) {
        for (int order = 0; order < 6; ++order) {
            const int first = orders[order][0], second = first | orders[order][1];
            const detail::Tetrahedron t =
                order < 3 ? detail::Tetrahedron{{0, first, second, 7}} : detail::Tetrahedron{{0, second, first, 7}};
            detail::add_tetrahedron(table, cube_case, t);
        }
    }
    return table;
}

/// The corners c | m of a cube, as bits: the ends of the edges that corner c owns, and c.
constexpr int corners_from(int c) {
    int corners = 0;
    for (int end = 0; end < 8; ++end) corners |= (end & c) == c ? 1 << end : 0;
    return corners;
}

inline constexpr CubeTable cube_table = make_cube_table();

}  // namespace dunlin::surface

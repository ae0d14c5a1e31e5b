// SPDX-License-Identifier: Apache-2.0
#include "surface/front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "device/fail.hpp"
#include "math/at.hpp"
#include "progress/cancel.hpp"
#include "surface/cube.hpp"
#include "surface/inside.hpp"

namespace dunlin::surface {

namespace {

/// Corners of a cube on the side of an axis (4: x, 2: y, 1: z), as bits.
constexpr int face_of(int axis, bool is_high) {
    int corners = 0;
    for (int c = 0; c < 8; ++c) corners |= ((c & axis) != 0) == is_high ? 1 << c : 0;
    return corners;
}

constexpr bool is_mixed(int cube_case, int corners) {
    return (cube_case & corners) != 0 && (cube_case & corners) != corners;
}

}  // namespace

template <class Real>
GridNode Front<Real>::node_of(Offset number) const {
    const Offset row = number / shape().nz;
    return {static_cast<Index>(row / shape().ny), static_cast<Index>(row % shape().ny),
            static_cast<Index>(number % shape().nz)};
}

template <class Real>
bool Front<Real>::is_above(Index x, Index y, Index z) const {
    const double value = grid_.value(x, y, z);
    if (!std::isfinite(value)) refuse_value(shape(), shape().node(x, y, z), value);
    return value > grid_.level;
}

template <class Real>
int Front<Real>::case_of(GridNode cell) const {
    int cube_case = 0;
    for (int c = 0; c < 8; ++c)
        cube_case |= is_above(cell.x + (c >> 2 & 1), cell.y + (c >> 1 & 1), cell.z + (c & 1)) ? 1 << c : 0;
    return cube_case;
}

/// From each seed along z, on both sides, to the cell of the first edge that the surface crosses.
template <class Real>
std::vector<Offset> Front<Real>::first_cells(std::span<const Offset> seeds) const {
    std::vector<Offset> cells;
    for (const Offset seed : seeds) {
        if (seed < 0 || seed >= Offset{shape().nx} * shape().ny * shape().nz) {
            device::bad_option("seeds", fmt::format("seed {} is not a node of the grid of {} x {} x {} nodes", seed,
                                                    shape().nx, shape().ny, shape().nz));
        }
        const GridNode n = node_of(seed);
        const bool side = is_above(n.x, n.y, n.z);
        const Index x = std::min(n.x, shape().nx - 2), y = std::min(n.y, shape().ny - 2);
        for (const Index step : {-1, 1}) {
            Index z = n.z + step;
            while (z >= 0 && z < shape().nz && is_above(n.x, n.y, z) == side) z += step;
            if (z >= 0 && z < shape().nz) cells.push_back(shape().node(x, y, step > 0 ? z - 1 : z));
        }
    }
    return cells;
}

template <class Real>
void Front<Real>::walk(std::span<const Offset> seeds) {
    std::vector<Offset> next = first_cells(seeds);
    std::unordered_set<Offset> seen(next.begin(), next.end());
    next.assign(seen.begin(), seen.end());
    const Index limits[3] = {shape().nx - 2, shape().ny - 2, shape().nz - 2};
    const Offset strides[3] = {Offset{shape().ny} * shape().nz, shape().nz, 1};
    while (!next.empty()) {
        if (++visited_ % 4096 == 0) progress::cancellation_point();
        const Offset number = next.back();
        next.pop_back();
        const GridNode cell = node_of(number);
        const int cube_case = case_of(cell);
        if (cube_table.count[cube_case] == 0) continue;
        cells_.push_back({number, cube_case});
        const Index at_axis[3] = {cell.x, cell.y, cell.z};
        for (int axis = 0; axis < 3; ++axis) {
            for (const bool is_high : {false, true}) {
                if (at_axis[axis] == (is_high ? limits[axis] : 0)) continue;
                if (!is_mixed(cube_case, face_of(4 >> axis, is_high))) continue;
                const Offset neighbor = number + (is_high ? strides[axis] : -strides[axis]);
                if (seen.insert(neighbor).second) next.push_back(neighbor);
            }
        }
    }
    std::sort(cells_.begin(), cells_.end(), [](const Cell& a, const Cell& b) { return a.node < b.node; });
}

/// Edges of the surface on the border of the grid: one in each mixed triangle of a face of the cell there.
template <class Real>
Offset Front<Real>::edges_on_border(const Cell& cell) const {
    const GridNode n = node_of(cell.node);
    const Index at_axis[3] = {n.x, n.y, n.z}, last[3] = {shape().nx - 2, shape().ny - 2, shape().nz - 2};
    Offset edges = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int across = 4 >> axis, u = axis == 0 ? 2 : 4, v = axis == 2 ? 2 : 1;
        for (const bool is_high : {false, true}) {
            if (at_axis[axis] != (is_high ? last[axis] : 0)) continue;
            const int low = is_high ? across : 0, diagonal = 1 << low | 1 << (low | u | v);
            for (const int third : {u, v}) edges += is_mixed(cell.cube_case, diagonal | 1 << (low | third)) ? 1 : 0;
        }
    }
    return edges;
}

/// Row, word, direction and place in the word of an edge's owner: the order of Marching.
template <class Real>
std::uint64_t Front<Real>::key_of(GridNode cell, int edge) const {
    const int owner = cube_table.owner[edge];
    const Index x = cell.x + (owner >> 2 & 1), y = cell.y + (owner >> 1 & 1), z = cell.z + (owner & 1);
    const auto word = static_cast<std::uint64_t>((Offset{x} * shape().ny + y) * shape().words + z / 32);
    return (word * 8 + cube_table.direction[edge]) * 32 + static_cast<std::uint64_t>(z % 32);
}

template <class Real>
void Front<Real>::number_vertices() {
    for (const Cell& cell : cells_) {
        const GridNode n = node_of(cell.node);
        for (int i = 0; i < 3 * cube_table.count[cell.cube_case]; ++i)
            vertices_.push_back(key_of(n, cube_table.edges[cell.cube_case][i]));
    }
    std::sort(vertices_.begin(), vertices_.end());
    vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
}

template <class Real>
MeshSizes Front<Real>::count(std::span<const Offset> seeds, bool may_be_open) {
    walk(seeds);
    number_vertices();
    MeshSizes sizes;
    sizes.vertices = static_cast<Offset>(vertices_.size());
    for (const Cell& cell : cells_) {
        sizes.triangles += cube_table.count[cell.cube_case];
        sizes.border_edges += edges_on_border(cell);
    }
    if (sizes.border_edges > 0 && !may_be_open) {
        device::bad_option("seeds",
                           "the surface near the seeds reaches the border of the grid, where only a walk of "
                           "the whole grid closes it; set open, or give no seeds");
    }
    return sizes;
}

template <class Real>
void Front<Real>::emit(Mesh& mesh) {
    cpu_.each(static_cast<Offset>(vertices_.size()), [&](Offset v) {
        const std::uint64_t key = vertices_[at(v)], word = key / 256;
        const auto row = static_cast<Offset>(word) / shape().words;
        const auto z = static_cast<Index>(static_cast<Offset>(word) % shape().words * 32 + Offset(key % 32));
        const Vertex vertex = vertex_on(grid_, static_cast<Index>(row / shape().ny),
                                        static_cast<Index>(row % shape().ny), z, static_cast<int>(key / 32 % 8));
        std::copy_n(vertex.position, 3, mesh.positions.begin() + 3 * v);
        std::copy_n(vertex.normal, 3, mesh.normals.begin() + 3 * v);
    });
    Index* out = mesh.triangles.data();
    for (const Cell& cell : cells_) {
        const GridNode n = node_of(cell.node);
        for (int i = 0; i < 3 * cube_table.count[cell.cube_case]; ++i) {
            const std::uint64_t key = key_of(n, cube_table.edges[cell.cube_case][i]);
            *out++ = static_cast<Index>(std::lower_bound(vertices_.begin(), vertices_.end(), key) - vertices_.begin());
        }
    }
}

template class Front<float>;
template class Front<double>;

}  // namespace dunlin::surface

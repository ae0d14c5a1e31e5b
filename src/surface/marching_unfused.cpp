// SPDX-License-Identifier: Apache-2.0
#include "surface/marching.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "math/at.hpp"
#include "surface/cube.hpp"

namespace dunlin::surface {

namespace {

constexpr Offset rows_in_block = 64;
constexpr Offset border_block = 4096;

/// Replaces counts by the sums of those before; returns the sum of all.
Offset scan(std::vector<Offset>& counts) {
    Offset sum = 0;
    for (Offset& each : counts) sum += std::exchange(each, sum);
    return sum;
}

void put(Mesh& mesh, Offset number, const Vertex& vertex) {
    for (int axis = 0; axis < 3; ++axis) {
        mesh.positions[at(3 * number + axis)] = vertex.position[axis];
        mesh.normals[at(3 * number + axis)] = vertex.normal[axis];
    }
}

template <class Visit>
void each_bit(std::uint32_t bits, const Visit& visit) {
    for (; bits != 0; bits &= bits - 1) visit(lowest_bit(bits));
}

}  // namespace

/// Numbers of the vertices of a row, 8 places a node; only those that exist are set.
template <class Real>
struct Marching<Real>::RowIds {
    std::vector<Index> of;

    Index& operator()(Index z, int m) { return of[at(Offset{8} * z + m)]; }
    Index operator()(Index z, int m) const { return of[at(Offset{8} * z + m)]; }
};

/// Rows (x, y), (x, y + 1), (x + 1, y), (x + 1, y + 1) of the cells of a row.
template <class Real>
struct Marching<Real>::Workspace {
    RowIds rows[4];
};

template <class Real>
bool Marching<Real>::has_vertices(Offset row) const {
    const Offset end = row + 1 < shape().rows() ? first_vertex_[at(row + 1)] : sizes_.vertices;
    return end > first_vertex_[at(row)];
}

template <class Real>
void Marching<Real>::count_row(Offset row) {
    const auto x = static_cast<Index>(row / shape().ny), y = static_cast<Index>(row % shape().ny);
    Offset vertices = 0, triangles = 0;
    for (Index w = 0; w < shape().words; ++w) {
        const CubeWord cubes = word(x, y, w);
        if (is_empty(cubes)) continue;
        vertices += cubes.vertices();
        each_bit(cubes.cells, [&](int i) { triangles += cube_table.count[cubes.cube_case(i)]; });
    }
    first_vertex_[at(row)] = vertices;
    first_triangle_[at(row)] = triangles;
}

template <class Real>
void Marching<Real>::count_cap() {
    const BorderNodes nodes{shape()};
    const BorderTriangles triangles{shape()};
    const Offset blocks = (triangles.count() + border_block - 1) / border_block;
    std::vector<Offset> edges(at(blocks));
    first_cap_triangle_.assign(at(blocks), 0);
    cpu_.blocks(triangles.count(), border_block, [&](Offset begin, Offset end, int) {
        Offset count = 0, mixed = 0;
        for (Offset t = begin; t < end; ++t) {
            const BorderTriangle triangle = triangles.triangle(t);
            int corners = 0;
            for (const GridNode& n : triangle.corners) corners += is_inside(shape(), inside_.data(), n) ? 1 : 0;
            count += cap_triangles(corners);
            mixed += corners % 3 != 0 ? 1 : 0;
        }
        first_cap_triangle_[at(begin / border_block)] = count;
        edges[at(begin / border_block)] = mixed;
    });
    sizes_.border_edges = scan(edges);
    if (is_open_) return;
    sizes_.cap_triangles = scan(first_cap_triangle_);
    cap_vertex_.resize(at(nodes.count()));
    cpu_.each(nodes.count(), [&](Offset number) {
        cap_vertex_[at(number)] = is_inside(shape(), inside_.data(), nodes.node(number)) ? 0 : -1;
    });
    for (Index& each : cap_vertex_) {
        if (each == 0) each = static_cast<Index>(sizes_.cap_vertices++);
    }
}

template <class Real>
bool Marching<Real>::touches_border() const {
    const std::uint32_t last = std::uint32_t{1} << ((shape().nz - 1) % 32);
    for (Offset row = 0; row < shape().rows(); ++row) {
        const Offset x = row / shape().ny, y = row % shape().ny;
        const std::uint32_t* const words = inside_.data() + row * shape().words;
        const bool is_side = x == 0 || x == shape().nx - 1 || y == 0 || y == shape().ny - 1;
        if ((words[0] & 1) != 0 || (words[shape().words - 1] & last) != 0) return true;
        if (is_side && std::any_of(words, words + shape().words, [](std::uint32_t w) { return w != 0; })) return true;
    }
    return false;
}

template <class Real>
MeshSizes Marching<Real>::count() {
    first_vertex_.resize(at(shape().rows()));
    first_triangle_.resize(at(shape().rows()));
    cpu_.each(shape().rows(), [&](Offset row) { count_row(row); }, rows_in_block);
    sizes_.vertices = scan(first_vertex_);
    sizes_.triangles = scan(first_triangle_);
    if (touches_border()) count_cap();
    return sizes_;
}

template <class Real>
void Marching<Real>::number_vertices(Index x, Index y, RowIds& ids, Mesh* mesh) {
    const Offset row = Offset{x} * shape().ny + y;
    if (!has_vertices(row)) return;
    ids.of.resize(at(Offset{8} * shape().nz));
    Offset next = first_vertex_[at(row)];
    for (Index w = 0; w < shape().words; ++w) {
        const CubeWord cubes = word(x, y, w);
        if (is_empty(cubes)) continue;
        for (int m = 1; m < 8; ++m) {
            each_bit(cubes.crossed[m - 1], [&](int i) {
                const Index z = 32 * w + i;
                ids(z, m) = static_cast<Index>(next);
                if (mesh != nullptr) put(*mesh, next, vertex_on(grid_, x, y, z, m));
                ++next;
            });
        }
    }
}

template <class Real>
void Marching<Real>::emit_cells(Index x, Index y, const Workspace& workspace, Mesh& mesh) {
    const Offset row = Offset{x} * shape().ny + y;
    const Offset end_of_row = row + 1 < shape().rows() ? first_triangle_[at(row + 1)] : sizes_.triangles;
    if (end_of_row == first_triangle_[at(row)]) return;
    Index* out = mesh.triangles.data() + 3 * first_triangle_[at(row)];
    for (Index w = 0; w < shape().words; ++w) {
        const CubeWord cubes = word(x, y, w);
        each_bit(cubes.cells, [&](int i) {
            const Index z = 32 * w + i;
            const int cube_case = cubes.cube_case(i);
            const std::uint8_t* edge = cube_table.edges[cube_case];
            for (const std::uint8_t* const end = edge + Offset{3} * cube_table.count[cube_case]; edge < end; ++edge) {
                const int owner = cube_table.owner[*edge];
                *out++ = workspace.rows[owner >> 1](z + (owner & 1), cube_table.direction[*edge]);
            }
        });
    }
}

template <class Real>
void Marching<Real>::emit_rows(Index x, Index first, Index last, Workspace& workspace, Mesh& mesh) {
    const auto prepare = [&](Index y, int side, Mesh* own) {
        if (y >= shape().ny) return;
        number_vertices(x, y, workspace.rows[side], own);
        if (x + 1 < shape().nx) number_vertices(x + 1, y, workspace.rows[2 + side], nullptr);
    };
    prepare(first, 0, &mesh);
    for (Index y = first; y < last; ++y) {
        prepare(y + 1, 1, y + 1 < last ? &mesh : nullptr);
        if (x + 1 < shape().nx && y + 1 < shape().ny) emit_cells(x, y, workspace, mesh);
        std::swap(workspace.rows[0], workspace.rows[1]);
        std::swap(workspace.rows[2], workspace.rows[3]);
    }
}

template <class Real>
Index Marching<Real>::vertex_of(GridNode owner, int m) const {
    Offset number = first_vertex_[at(Offset{owner.x} * shape().ny + owner.y)];
    const Index w = owner.z / 32;
    for (Index before = 0; before < w; ++before) number += word(owner.x, owner.y, before).vertices();
    return static_cast<Index>(number + rank_in_word(word(owner.x, owner.y, w).crossed, owner.z % 32, m));
}

template <class Real>
void Marching<Real>::emit_cap_vertices(Mesh& mesh) {
    const BorderNodes nodes{shape()};
    cpu_.each(nodes.count(), [&](Offset number) {
        const Index vertex = cap_vertex_[at(number)];
        if (vertex < 0) return;
        const GridNode n = nodes.node(number);
        put(mesh, sizes_.vertices + vertex, vertex_of_cap(grid_, n.x, n.y, n.z));
    });
}

template <class Real>
void Marching<Real>::emit_cap_triangles(Mesh& mesh) {
    const BorderNodes nodes{shape()};
    const BorderTriangles triangles{shape()};
    const auto node = [&](GridNode n) {
        return static_cast<Index>(sizes_.vertices + cap_vertex_[at(nodes.number(n))]);
    };
    const auto crossing = [&](GridNode owner, int m) { return vertex_of(owner, m); };
    cpu_.blocks(triangles.count(), border_block, [&](Offset begin, Offset end, int) {
        Index* out = mesh.triangles.data() + 3 * (sizes_.triangles + first_cap_triangle_[at(begin / border_block)]);
        for (Offset t = begin; t < end; ++t) {
            Index polygon[4];
            const int corners = cap_polygon(shape(), inside_.data(), triangles.triangle(t), node, crossing, polygon);
            for (int third = 2; third < corners; ++third) {
                *out++ = polygon[0];
                *out++ = polygon[third - 1];
                *out++ = polygon[third];
            }
        }
    });
}

template <class Real>
void Marching<Real>::emit(Mesh& mesh, progress::ProgressReporter& progress) {
    const Offset blocks_in_plane = (shape().ny + rows_in_block - 1) / rows_in_block;
    const Offset blocks = shape().nx * blocks_in_plane;
    std::vector<Workspace> workspaces(at(cpu_.threads()));
    // In pieces, between which progress is told, long enough for the pool to start its threads
    const Offset piece = std::max<Offset>(1, (blocks + 3) / 4);
    for (Offset first = 0; first < blocks; first += piece) {
        const Offset count = std::min(piece, blocks - first);
        cpu_.blocks(count, 1, [&](Offset begin, Offset, int worker) {
            const Offset block = first + begin;
            const auto x = static_cast<Index>(block / blocks_in_plane);
            const auto y = static_cast<Index>(block % blocks_in_plane * rows_in_block);
            const Index last = std::min(shape().ny, static_cast<Index>(y + rows_in_block));
            emit_rows(x, y, last, workspaces[at(worker)], mesh);
        });
        progress.tick((first + count) / blocks_in_plane);
    }
    if (sizes_.cap_triangles == 0) return;
    emit_cap_vertices(mesh);
    emit_cap_triangles(mesh);
}

template class Marching<float>;
template class Marching<double>;

}  // namespace dunlin::surface

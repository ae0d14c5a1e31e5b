// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "surface/border.hpp"
#include "surface/cube.hpp"
#include "surface/cuda/marching.cuh"
#include "surface/vertex.hpp"

/// The vertices and triangles of a mesh, a thread each (marching.cu).
namespace dunlin::surface {

__device__ constexpr CubeTable device_table = make_cube_table();

/// Row and position of a word. Grids have fewer than 2^32 words (CudaMarching).
struct WordPlace {
    Index x, y, w;
};
__device__ inline WordPlace place_of(const Shape& shape, std::uint32_t word) {
    const auto words = static_cast<std::uint32_t>(shape.words), ny = static_cast<std::uint32_t>(shape.ny);
    const std::uint32_t row = word / words;
    return {static_cast<Index>(row / ny), static_cast<Index>(row % ny), static_cast<Index>(word % words)};
}

__device__ inline void put(float* positions, float* normals, Offset number, const Vertex& vertex) {
    for (int axis = 0; axis < 3; ++axis) {
        positions[3 * number + axis] = vertex.position[axis];
        normals[3 * number + axis] = vertex.normal[axis];
    }
}

template <class Real>
struct EmitVertex {
    GridView<Real> grid;
    const std::uint32_t* words;
    const VertexTask* tasks;
    float *positions, *normals;

    __device__ void operator()(Offset i) const {
        const VertexTask task = tasks[i];
        const WordPlace at = place_of(grid.shape, words[task.slot]);
        const auto z = static_cast<Index>(32 * at.w + task.edge % 32);
        put(positions, normals, i, vertex_on(grid, at.x, at.y, z, static_cast<int>(task.edge / 32)));
    }
};

/// Numbers of the vertices of crossed edges.
struct EdgeVertices {
    Shape shape;
    const std::uint32_t* slot;
    const EdgeWord* edges;

    /// Number of the vertex on the edge in direction m of node i (0 to 32) of a word.
    __device__ Index operator()(std::uint32_t word, int i, int m) const {
        const EdgeWord& found = edges[slot[word + (i >> 5)]];
        return found.first_vertex + rank_in_word(found.crossed, i & 31, m);
    }
    __device__ Index operator()(GridNode owner, int m) const {
        const Offset row = Offset{owner.x} * shape.ny + owner.y;
        return (*this)(static_cast<std::uint32_t>(row * shape.words + owner.z / 32), owner.z % 32, m);
    }
};

constexpr int cells_in_block = 128;

/// The vertices on the edges of a cell, by the numbers of cube.hpp; undefined for edges that the surface does not
/// cross. numbers[e] is at numbers + e * stride.
__device__ inline void number_edges(const EdgeVertices& vertex, const CellTask& task, Index* numbers, int stride) {
    const Shape& shape = vertex.shape;
    const int node = static_cast<int>(task.cell % 32), cube_case = static_cast<int>(task.cell / 32);
    const auto words = static_cast<std::uint32_t>(shape.words), plane = static_cast<std::uint32_t>(shape.ny) * words;
#pragma unroll
    for (int corner = 0; corner < 7; ++corner) {
        const int ends = cube_case & corners_from(corner);
        const bool owns_crossed = ends != 0 && ends != corners_from(corner);
        const std::uint32_t word = task.word + static_cast<std::uint32_t>(corner >> 2) * plane +
                                   static_cast<std::uint32_t>(corner >> 1 & 1) * words;
        const int i = node + (corner & 1);
        EdgeWord found{};
        if (owns_crossed) found = vertex.edges[vertex.slot[word + static_cast<std::uint32_t>(i >> 5)]];
        const std::uint32_t before = low_bits(i & 31);
        Index first = found.first_vertex;
#pragma unroll
        for (int m = 1; m < 8; ++m) {
            const std::uint32_t crossed = found.crossed[m - 1];
            if ((corner & m) == 0) {
                *numbers = first + count_bits(crossed & before);
                numbers += stride;
            }
            first += count_bits(crossed);
        }
    }
}

/// A thread for each cell. The triangles of a warp's cells are consecutive; they are collected and written together.
static __global__ void cell_kernel(EdgeVertices vertex, const CellTask* tasks, Offset cells, Index* triangles) {
    __shared__ Index numbers[cube_edges][cells_in_block];
    __shared__ Index corners_of_warp[cells_in_block / 32][32 * 3 * most_triangles];
    const Offset t = Offset{blockIdx.x} * cells_in_block + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
    if (t - lane >= cells) return;
    const CellTask task = tasks[min(t, cells - 1)];
    Index* const corners = corners_of_warp[threadIdx.x / 32];
    const Index first = __shfl_sync(~0U, task.first_triangle, 0);
    int end = 0;
    if (t < cells) {
        number_edges(vertex, task, &numbers[0][threadIdx.x], cells_in_block);
        const int cube_case = static_cast<int>(task.cell / 32), begin = 3 * (task.first_triangle - first);
        end = begin + 3 * device_table.count[cube_case];
        for (int c = begin; c < end; ++c) corners[c] = numbers[device_table.edges[cube_case][c - begin]][threadIdx.x];
    }
    __syncwarp();
    const int all = __reduce_max_sync(~0U, end);
    Index* const out = triangles + Offset{3} * first;
    for (int c = static_cast<int>(lane); c < all; c += 32) out[c] = corners[c];
}

struct MarkCapVertex {
    BorderNodes nodes;
    const std::uint32_t* inside;
    Index* counts;

    __device__ void operator()(Offset number) const {
        counts[number] = number < nodes.count() && is_inside(nodes.shape, inside, nodes.node(number)) ? 1 : 0;
    }
};

struct CountCapTriangle {
    BorderTriangles border;
    const std::uint32_t* inside;
    Index* counts;
    Index* edges;  ///< 1 for a triangle with an edge of the level surface

    __device__ void operator()(Offset number) const {
        int corners = 0;
        if (number < border.count()) {
            const BorderTriangle triangle = border.triangle(number);
            for (const GridNode& n : triangle.corners) corners += is_inside(border.shape, inside, n) ? 1 : 0;
        }
        counts[number] = cap_triangles(corners);
        edges[number] = corners % 3 != 0 ? 1 : 0;
    }
};

template <class Real>
struct EmitCapVertex {
    GridView<Real> grid;
    const Index* before;
    Offset first;
    float *positions, *normals;

    __device__ void operator()(Offset number) const {
        if (before[number + 1] == before[number]) return;
        const GridNode n = BorderNodes{grid.shape}.node(number);
        put(positions, normals, first + before[number], vertex_of_cap(grid, n.x, n.y, n.z));
    }
};

struct EmitCapTriangle {
    EdgeVertices vertex;
    const std::uint32_t* inside;
    const Index* nodes_before;
    const Index* before;
    Index first_vertex;
    Offset first_triangle;
    Index* triangles;

    __device__ void operator()(Offset number) const {
        if (before[number + 1] == before[number]) return;
        const BorderNodes nodes{vertex.shape};
        Index polygon[4];
        const int corners = cap_polygon(
            vertex.shape, inside, BorderTriangles{vertex.shape}.triangle(number),
            [&](GridNode n) { return first_vertex + nodes_before[nodes.number(n)]; },
            [&](GridNode owner, int m) { return vertex(owner, m); }, polygon);
        Index* out = triangles + 3 * (first_triangle + before[number]);
        for (int third = 2; third < corners; ++third) {
            *out++ = polygon[0];
            *out++ = polygon[third - 1];
            *out++ = polygon[third];
        }
    }
};

}  // namespace dunlin::surface

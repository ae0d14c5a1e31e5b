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

    /// Of node i (0 to 32) of a word and direction m.
    __device__ Index operator()(std::uint32_t word, int i, int m) const {
        const EdgeWord& found = edges[slot[word + (i >> 5)]];
        return found.first_vertex + rank_in_word(found.crossed, i & 31, m);
    }
    __device__ Index operator()(GridNode owner, int m) const {
        const Offset row = Offset{owner.x} * shape.ny + owner.y;
        return (*this)(static_cast<std::uint32_t>(row * shape.words + owner.z / 32), owner.z % 32, m);
    }
};

struct EmitCell {
    EdgeVertices vertex;
    const std::uint32_t* inside;
    const CellTask* tasks;
    Index* triangles;

    __device__ void operator()(Offset t) const {
        const CellTask task = tasks[t];
        const Shape& shape = vertex.shape;
        const WordPlace at = place_of(shape, task.word);
        const int i = static_cast<int>(task.node);
        const int cube_case = cube_word(shape, inside, at.x, at.y, at.w).cube_case(i);
        const auto ny_words = static_cast<std::uint32_t>(shape.ny) * static_cast<std::uint32_t>(shape.words);
        const std::uint32_t row_words[4] = {task.word, task.word + static_cast<std::uint32_t>(shape.words),
                                            task.word + ny_words,
                                            task.word + ny_words + static_cast<std::uint32_t>(shape.words)};
        Index* out = triangles + Offset{3} * task.first_triangle;
        const int corners = 3 * device_table.count[cube_case];
        for (int c = 0; c < corners; ++c) {
            const int edge = device_table.edges[cube_case][c], owner = device_table.owner[edge];
            out[c] = vertex(row_words[owner >> 1], i + (owner & 1), device_table.direction[edge]);
        }
    }
};

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

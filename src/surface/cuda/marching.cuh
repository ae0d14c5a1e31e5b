// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"
#include "surface/marching.hpp"

namespace dunlin::surface {

/// A mesh in device memory.
struct CudaMesh {
    device::CudaBuffer<float> positions, normals;
    device::CudaBuffer<Index> triangles;
    MeshSizes sizes;
};

/// The edges of 32 nodes that the surface crosses, for words with such edges.
struct EdgeWord {
    Index first_vertex;
    std::uint32_t crossed[7];
};

/// A vertex to compute, or a cell that the surface crosses.
struct VertexTask {
    std::uint32_t slot;  ///< of its word among those with crossed edges
    std::uint32_t edge;  ///< 32 direction + node
};
struct CellTask {
    std::uint32_t word;
    std::uint32_t cell;  ///< 32 case (cube.hpp) + node
    Index first_triangle;
};

/// Sums over the words before a block of words.
struct WordCounts {
    Offset vertices, triangles, words, cells;
};

/// What the first pass finds, read once by the host.
struct Found {
    unsigned long long first_bad;  ///< node of the first value that is not finite; ~0: none
    WordCounts all;
    int touches_border;  ///< a node of the border is inside
};

/// Marching tetrahedra on a GPU: inside bits, counts by blocks of words, their sums, lists of words, vertices and cells
/// that the surface crosses, then a thread for each vertex and each cell. The mesh has the bytes of the CPU's.
template <class Real>
class CudaMarching {
public:
    /// `grid`: with values in device memory.
    CudaMarching(device::Cuda& cuda, const GridView<Real>& grid, bool is_open);

    /// Waits for the sizes. Throws the errors of extract() that depend on the values.
    MeshSizes count();

    /// Enqueues the mesh, of the counted sizes.
    CudaMesh emit();

private:
    void find_inside();
    void count_words();
    void count_cap();
    void list_words();
    void emit_cells(CudaMesh& mesh);
    void emit_cap(CudaMesh& mesh);

    device::Cuda& cuda_;
    GridView<Real> grid_;
    bool is_open_;
    MeshSizes sizes_;
    Found found_{};
    device::CudaBuffer<std::uint32_t> inside_;
    device::CudaBuffer<WordCounts> before_;  ///< of each block of words, then of all
    device::CudaCell<Found> found_on_device_;
    device::CudaBuffer<std::uint32_t> slot_;  ///< of each word with crossed edges
    device::CudaBuffer<std::uint32_t> word_;  ///< of each slot
    device::CudaBuffer<EdgeWord> edges_;
    device::CudaBuffer<VertexTask> vertices_;
    device::CudaBuffer<CellTask> cells_;
    device::CudaBuffer<Index> cap_vertex_;     ///< inside nodes of the border before each, and all
    device::CudaBuffer<Index> cap_triangles_;  ///< triangles of the cap before each triangle of the border, and all
};

}  // namespace dunlin::surface

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <dunlin/mesh.hpp>

#include "device/cpu.hpp"
#include "progress/progress.hpp"
#include "surface/border.hpp"
#include "surface/vertex.hpp"

namespace dunlin::surface {

/// Numbers of vertices, triangles and edges of a surface.
struct MeshSizes {
    Offset vertices = 0, triangles = 0;          ///< of the level surface
    Offset cap_vertices = 0, cap_triangles = 0;  ///< 0 if it is open
    Offset border_edges = 0;                     ///< edges of the level surface on the border of the grid

    [[nodiscard]] Offset all_vertices() const { return vertices + cap_vertices; }
    [[nodiscard]] Offset all_triangles() const { return triangles + cap_triangles; }
    [[nodiscard]] Offset edges(bool is_open) const { return (3 * all_triangles() + (is_open ? border_edges : 0)) / 2; }
};

/// Marching tetrahedra on a CPU: count, then emit. Rows of the grid are independent in both passes.
template <class Real>
class Marching {
public:
    /// `inside`: the bits of find_inside.
    Marching(device::Cpu& cpu, const GridView<Real>& grid, const std::vector<std::uint32_t>& inside, bool is_open)
        : cpu_(cpu), grid_(grid), inside_(inside), is_open_(is_open) {}

    MeshSizes count();

    /// Writes the mesh, whose arrays have the counted sizes. Ticks `progress` by planes of the grid.
    void emit(Mesh& mesh, progress::ProgressReporter& progress);

private:
    struct RowIds;
    struct Workspace;

    [[nodiscard]] const Shape& shape() const { return grid_.shape; }
    [[nodiscard]] CubeWord word(Index x, Index y, Index w) const {
        return cube_word(shape(), inside_.data() + (Offset{x} * shape().ny + y) * shape().words + w, x, y, w);
    }
    [[nodiscard]] bool has_vertices(Offset row) const;
    [[nodiscard]] Index vertex_of(GridNode owner, int m) const;

    void count_row(Offset row);
    [[nodiscard]] bool touches_border() const;  ///< whether a node of the border is inside
    void count_cap();
    void emit_rows(Index x, Index first, Index last, Workspace& workspace, Mesh& mesh);
    void number_vertices(Index x, Index y, RowIds& ids, Mesh* mesh);
    void emit_cells(Index x, Index y, const Workspace& workspace, Mesh& mesh);
    void emit_cap_vertices(Mesh& mesh);
    void emit_cap_triangles(Mesh& mesh);

    device::Cpu& cpu_;
    GridView<Real> grid_;
    const std::vector<std::uint32_t>& inside_;
    bool is_open_;
    MeshSizes sizes_;
    std::vector<Offset> first_vertex_, first_triangle_;  ///< of each row
    std::vector<Index> cap_vertex_;                      ///< of each node of the border, -1: outside
    std::vector<Offset> first_cap_triangle_;             ///< of each block of triangles of the border
};

}  // namespace dunlin::surface

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "device/cpu.hpp"
#include "surface/marching.hpp"

namespace dunlin::surface {

/// Marching tetrahedra in the pieces of the surface that are near given nodes: a walk from cell to cell through the
/// faces that the surface crosses. Other cells are not visited. Vertices and triangles have the order of Marching.
template <class Real>
class Front {
public:
    Front(device::Cpu& cpu, const GridView<Real>& grid) : cpu_(cpu), grid_(grid) {}

    /// Finds the cells. Throws Error{bad_input} for a seed that is not a node, for a value that is not finite, and
    /// unless the surface may be open, if it reaches the border of the grid.
    MeshSizes count(std::span<const Offset> seeds, bool may_be_open);

    /// Writes the mesh, whose arrays have the counted sizes.
    void emit(Mesh& mesh);

    /// Cells whose corners were compared with the level.
    [[nodiscard]] Offset visited() const { return visited_; }

private:
    struct Cell {
        Offset node;  ///< its corner 0
        int cube_case;
    };

    [[nodiscard]] const Shape& shape() const { return grid_.shape; }
    [[nodiscard]] GridNode node_of(Offset number) const;
    [[nodiscard]] bool is_above(Index x, Index y, Index z) const;
    [[nodiscard]] int case_of(GridNode cell) const;
    [[nodiscard]] std::vector<Offset> first_cells(std::span<const Offset> seeds) const;
    [[nodiscard]] Offset edges_on_border(const Cell& cell) const;
    [[nodiscard]] std::uint64_t key_of(GridNode cell, int edge) const;
    void walk(std::span<const Offset> seeds);
    void number_vertices();

    device::Cpu& cpu_;
    GridView<Real> grid_;
    Offset visited_ = 0;
    std::vector<Cell> cells_;              ///< in the order of the grid
    std::vector<std::uint64_t> vertices_;  ///< keys, in order
};

}  // namespace dunlin::surface

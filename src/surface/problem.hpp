// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/surface.hpp>

#include "device/cpu.hpp"
#include "surface/marching.hpp"

namespace dunlin::surface {

/// Throws Error{bad_input} for a grid without cells, spacing, origin or a number of values that cannot be used.
template <class Real>
void check(const FieldView<Real>& grid);

template <class Real>
GridView<Real> view_of(const FieldView<Real>& grid, double level) {
    GridView<Real> view;
    view.shape = Shape(grid.nodes[0], grid.nodes[1], grid.nodes[2]);
    view.values = grid.values.data();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        view.spacing[axis] = grid.spacing[axis];
        view.origin[axis] = grid.origin[axis];
    }
    view.level = level;
    return view;
}

/// Throws Error{bad_input} for a mesh whose vertices or triangles have no 32-bit numbers.
void require_numbers(const MeshSizes& sizes);

/// Bytes of a mesh in host memory.
std::uint64_t bytes_of(const MeshSizes& sizes);

/// Area and volume of a mesh, summed in double in an order fixed by its size.
Measures measure(device::Cpu& cpu, const Mesh& mesh, const MeshSizes& sizes, bool is_open);

/// The surface of a checked grid on a CPU, in a cancellation scope of the caller. Adds to the seconds of its stages.
template <class Real>
void extract_on_cpu(device::Cpu& cpu, const FieldView<Real>& grid, const Options& options, const Run& run, Mesh& mesh,
                    Measures& measures, Seconds& seconds);

}  // namespace dunlin::surface

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/device.hpp>
#include <dunlin/surface.hpp>

#include "surface/marching.hpp"

/// Interface between the public functions and the implementation on a GPU. Grids are checked.
namespace dunlin::surface {

/// The surface of a grid in host memory; the mesh is copied back. Sets the sizes as the CPU does, with the same bytes
/// in the mesh, and adds to the seconds of its stages. Throws Cancelled after a stop.
MeshSizes extract_floats_on_cuda(const FieldView<float>& grid, const Options& options, const Run& run, Mesh& mesh,
                                 Seconds& seconds);
MeshSizes extract_doubles_on_cuda(const FieldView<double>& grid, const Options& options, const Run& run, Mesh& mesh,
                                  Seconds& seconds);

/// The surface of a grid in the memory of run.gpu(), where the mesh stays. Sets all but the common part of the outcome.
void extract_resident_on_cuda(const DeviceFieldView& grid, const Options& options, const Run& run,
                              DeviceResult& result);

/// Implementation in libdunlin_cuda, reached through backend/table.hpp.
namespace backend {
decltype(surface::extract_floats_on_cuda) extract_floats_on_cuda;
decltype(surface::extract_doubles_on_cuda) extract_doubles_on_cuda;
decltype(surface::extract_resident_on_cuda) extract_resident_on_cuda;
}  // namespace backend

}  // namespace dunlin::surface

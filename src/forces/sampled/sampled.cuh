// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/cuda.cuh"
#include "device/slice.hpp"
#include "forces/law.hpp"
#include "forces/sampled/sampled.hpp"
#include "graph/device_graph.cuh"

/// Forces in maps of more than 3 dimensions on a GPU, all arrays in device memory, rows of a width of forces/width.hpp.
namespace dunlin::forces {

/// repel_drawn (sampled.hpp) of these rows; `stream` is that of Draws, in device memory, so that launches can be
/// recorded.
template <class Law>
void repel_drawn(device::Cuda& cuda, const Law& law, const std::uint64_t* stream, Index draws,
                 MatrixView<const float> y, MatrixView<float> force, const device::Slice& rows);

/// repel_all of these rows.
template <class Law>
void repel_all(device::Cuda& cuda, const Law& law, MatrixView<const float> y, MatrixView<float> force,
               const device::Slice& rows);

/// forces::attract (attraction.hpp).
template <class Law>
void attract_wide(device::Cuda& cuda, const Law& law, const graph::DeviceGraph& edges, MatrixView<const float> y,
                  MatrixView<float> force, const device::Slice& rows);

/// of_row[i] = sum of law.cost over the edges of row i, of these rows.
template <class Law>
void attract_costs_wide(device::Cuda& cuda, const Law& law, const graph::DeviceGraph& edges, MatrixView<const float> y,
                        double* of_row, const device::Slice& rows);

/// potential_of_row[r] = sum over j != rows[r] of the law's potential at |y_rows[r] - y_j|^2.
template <class Law>
void potentials_wide(device::Cuda& cuda, const Law& law, MatrixView<const float> y, const Index* rows, Index count,
                     double* potential_of_row);

}  // namespace dunlin::forces

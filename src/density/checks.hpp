// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <dunlin/density.hpp>

#include "device/cpu.hpp"
#include "device/resident.hpp"

namespace dunlin::density {

/// Throws the errors that need no grid, except those of coordinates.
void check(Index n, int dim, const Options& options, const Given& given);

/// Throws Error{bad_input} for a row with a coordinate that is not finite.
void check_coordinates(device::Cpu& cpu, MatrixView<const float> map);
[[noreturn]] void refuse_row(Offset row, float x, int axis);

/// Points that a CPU orders and spreads at a time: few enough that they stay in cache, and as many as the grid has
/// nodes, so that passing over the grid costs no more than passing over the points.
constexpr Offset points_per_group(Offset nodes) { return std::max(Offset{1} << 20, nodes); }

/// Bytes besides the map that an estimate needs, at most, on a CPU; and on a GPU, with the map if it is in host memory.
std::uint64_t bytes_on_cpu(Index n, int dim, const Options& options, bool has_values);
std::uint64_t bytes_on_gpu(const device::InputPoints& map, const Options& options, bool has_values);

}  // namespace dunlin::density

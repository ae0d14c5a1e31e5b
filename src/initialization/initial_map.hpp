// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"

/// Where the points of a map begin: n x dim coordinates.
namespace dunlin::initialization {

/// Independent normal coordinates of this standard deviation.
Map random_start(Index n, int dim, double deviation, std::uint64_t seed);

/// The first principal coordinates, scaled so that the first has this standard deviation, plus a hundredth of it of
/// noise, so that no two points begin at one place. Data without any spread get a random start.
Map pca_start(device::Cpu& cpu, MatrixView<const float> points, int dim, double deviation, std::uint64_t seed);

}  // namespace dunlin::initialization

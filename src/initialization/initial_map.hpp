// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/sparse.hpp>
#include <dunlin/types.hpp>

#include "device/cpu.hpp"

/// Initial maps: n x dim coordinates (Kobak and Linderman 2021).
namespace dunlin::initialization {

/// Independent normal coordinates with this standard deviation.
Map random_start(Index n, int dim, double deviation, std::uint64_t seed);

/// The first principal coordinates, scaled so that the first has this standard deviation, plus normal noise of a
/// hundredth of it, so that no two points coincide. Data of zero variance get a random start.
Map pca_start(device::Cpu& cpu, MatrixView<const float> points, int dim, double deviation, std::uint64_t seed);
Map pca_start(device::Cpu& cpu, const SparseView& points, int dim, double deviation, std::uint64_t seed);

}  // namespace dunlin::initialization

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "device/cpu.hpp"
#include "mixture/fit.hpp"

/// Mixtures of one component more, made of a fitted one.
namespace dunlin::mixture {

/// One component in two halves: of all components and axes that where the likelihood of the rows gains most if they are
/// divided at the mean, each half with its own mean and both with one variance along the axis. Axes are columns, or
/// where columns are correlated principal axes of the standardized columns. No components: no half would have enough
/// rows. labels: the likeliest component of each row. Rows of a component are read by one thread, in order. Throws
/// progress::Cancelled.
FitState split(device::Cpu& cpu, MatrixView<const float> points, const std::vector<Index>& labels,
               const FitState& mixture, Covariance form);

/// A mixture of the same density that has the first component twice, each copy with half of its share.
FitState with_one_twice(FitState mixture, Covariance form);

/// Bytes that a split takes.
std::uint64_t bytes_of_split(Index rows, Index cols, Index components, Covariance form);

}  // namespace dunlin::mixture

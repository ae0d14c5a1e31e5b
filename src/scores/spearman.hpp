// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/scores.hpp>

#include "device/cpu.hpp"

namespace dunlin::scores {

/// Spearman's correlation of x and y, the values of the pairs (i, j < i) of m sampled items of n, row by row. Equal
/// values have the mean of their ranks. The standard error is that of a U-statistic of order 2 (Hoeffding 1948): the
/// spread of the items' mean influences, of which half is the pair's own product of ranks and half its effect on the
/// ranks of all other pairs. 0 if m = n. NaN if all of x or all of y are equal.
Score spearman_of_pairs(device::Cpu& cpu, std::span<const double> x, std::span<const double> y, Index m, Index n);

}  // namespace dunlin::scores

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "device/cuda.cuh"

namespace dunlin::initialization {

/// product = A v; v and product are size x width, row-major, in device memory.
using Multiply = std::function<void(const double* v, Index width, double* product)>;

/// The `count` leading eigenvectors of a positive semidefinite matrix, size x count, column-major, largest eigenvalue
/// first, signs arbitrary. Chebyshev-filtered subspace iteration (Zhou, Saad, Tiago and Chelikowsky 2006): the
/// polynomials stay small below the least Ritz value. It ends when the residuals |A v - lambda v| are at most
/// tolerance * lambda or have not halved for a few rounds.
std::vector<double> leading_axes(device::Cuda& cuda, const Multiply& multiply, Index size, Index count,
                                 double tolerance);

}  // namespace dunlin::initialization

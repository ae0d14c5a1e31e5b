// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "device/cuda.cuh"

namespace dunlin::initialization {

/// product = A v, both size x width by rows, in device memory.
using Multiply = std::function<void(const double* v, Index width, double* product)>;

/// The `count` leading eigenvectors of a symmetric matrix without negative eigenvalues, size x count by columns, of
/// largest eigenvalue first; the signs are whichever. A subspace is filtered by Chebyshev polynomials of the matrix
/// that stay small below the subspace's least Ritz value (Zhou, Saad, Tiago and Chelikowsky 2006), until the residuals
/// |A v - lambda v| are at most tolerance * lambda, or have not halved in a few rounds.
std::vector<double> leading_axes(device::Cuda& cuda, const Multiply& multiply, Index size, Index count,
                                 double tolerance);

}  // namespace dunlin::initialization

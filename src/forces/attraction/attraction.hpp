// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "device/cpu.hpp"
#include "device/slice.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

/// force row i = sum over edges (i, j) of law.attraction(p_ij, |y_i - y_j|^2) (y_i - y_j): the attractive part of the
/// gradient of t-SNE, law StudentT or GeneralStudentT, UMAP, law Fuzzy, or PaCMAP, law PairLoss. y and force are n x
/// dim, dim 2 or 3, or of UMAP and PaCMAP a width of forces/width.hpp. Every row of force is written; if `rows` are
/// given, these.
template <class Law>
void attract(device::Cpu& cpu, const Law& law, const Graph& affinities, MatrixView<const float> y,
             MatrixView<float> force, const device::Slice& rows);
template <class Exec, class Law, class Edges>
void attract(Exec& exec, const Law& law, const Edges& affinities, MatrixView<const float> y, MatrixView<float> force) {
    attract(exec, law, affinities, y, force, {0, y.rows});
}

/// cost = sum over edges of law.cost(p_ij, |y_i - y_j|^2). t-SNE: p_ij log(p_ij / q_ij), q unnormalized, so that KL(P,
/// Q) = cost + log(Z) where the p_ij sum to 1. UMAP: -p_ij log phi_ij.
template <class Law>
void attract_cost(device::Cpu& cpu, const Law& law, const Graph& affinities, MatrixView<const float> y,
                  device::Cell<double>& cost);

}  // namespace dunlin::forces

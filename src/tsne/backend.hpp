// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>
#include <dunlin/sparse.hpp>
#include <dunlin/tsne.hpp>

#include "descent/result.hpp"
#include "device/resident.hpp"

/// The functions that differ by kind of device. Options are resolved, and the other inputs are checked.
namespace dunlin::tsne {

using descent::Descent;

inline void set_cost(Result& result, scores::Score kl) { result.kl = kl.value, result.kl_se = kl.se; }

/// Gradient descent from `start`, which has as many points as `affinities`. fixed: descent::Given::fixed. The cost is
/// KL(P, Q).
Descent descend_on_cpu(Graph affinities, const Map& start, std::span<const std::uint8_t> fixed, const Options& options,
                       const Run& run);
Descent descend_on_cuda(const Graph& affinities, const Map& start, std::span<const std::uint8_t> fixed,
                        const Options& options, const Run& run);

/// All stages, from points. options.search becomes the search method that ran. The caller sets the fields of the result
/// that are common to all devices.
Result embed_on_cpu(MatrixView<const float> points, const Given& given, Options& options, const Run& run);
Result embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run);
/// The same from sparse rows: the start and the neighbors on the CPU, the descent on this device.
Result embed_sparse(const SparseView& points, const Given& given, Options& options, const Run& run, Device device);

/// Implementations in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(tsne::descend_on_cuda) descend_on_cuda;
decltype(tsne::embed_on_cuda) embed_on_cuda;
}  // namespace backend

}  // namespace dunlin::tsne

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "descent/result.hpp"
#include "device/resident.hpp"

/// The functions that differ by kind of device. Options are resolved, and the other inputs are checked.
namespace dunlin::tsne {

using descent::Descent;

/// A divergence below 0 is the rounding of one of 0.
inline void set_cost(Result& result, scores::Score kl) {
    result.kl = kl.value < 0 ? 0 : kl.value, result.kl_se = kl.se;
}

/// Descent from `start`, which has as many points as `affinities`. given.fixed stay. The cost is KL(P, Q).
Descent descend_on_cpu(Graph affinities, const Map& start, const Given& given, const Options& options, const Run& run);
Descent descend_on_cuda(const Graph& affinities, const Map& start, const Given& given, const Options& options,
                        const Run& run);

/// All stages on a GPU, from points. options.search becomes the search method that ran. The caller sets the fields of
/// the result that are common to all devices.
Result embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run);

/// Implementations in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(tsne::descend_on_cuda) descend_on_cuda;
decltype(tsne::embed_on_cuda) embed_on_cuda;
}  // namespace backend

}  // namespace dunlin::tsne

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>
#include <dunlin/umap.hpp>

#include "descent/result.hpp"
#include "device/resident.hpp"
#include "umap/membership_edges.hpp"

/// The functions that differ by kind of device. Options are resolved, and the other inputs are checked.
namespace dunlin::umap {

using descent::Descent;

inline void set_cost(Result& result, scores::Score cost) {
    result.cross_entropy = cost.value, result.cross_entropy_se = cost.se;
}

/// Descent from `start`, which has as many points as `memberships`. given.fixed stay. Unless given, the start is first
/// scaled so that its largest coordinate is 10. The cost is the cross entropy.
Descent descend_on_cpu(MembershipEdges edges, const Map& start, const Given& given, const Options& options,
                       const Run& run);
Descent descend_on_cpu(Graph memberships, const Map& start, const Given& given, const Options& options, const Run& run);
Descent descend_on_cuda(const Graph& memberships, const Map& start, const Given& given, const Options& options,
                        const Run& run);

/// All stages on a GPU, from points. options.search becomes the search method that ran. The caller sets the fields of
/// the result that are common to all devices.
Result embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run);

/// Implementations in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(umap::descend_on_cuda) descend_on_cuda;
decltype(umap::embed_on_cuda) embed_on_cuda;
}  // namespace backend

}  // namespace dunlin::umap

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>
#include <dunlin/sparse.hpp>
#include <dunlin/umap.hpp>

#include "descent/status.hpp"
#include "device/resident.hpp"

/// The functions that differ by kind of device. Options are resolved, and the other inputs are checked.
namespace dunlin::umap {

struct Descent {
    Map map;
    descent::DescentStatus status;
    scores::Score cross_entropy;
    int threads = 1;
    Offset strays = 0;
};

/// Descent from `start`, which has as many points as `memberships`. `scaled`: the start is first scaled so that its
/// largest coordinate is 10.
Descent descend_on_cpu(Graph memberships, const Map& start, bool scaled, const Options& options, const Run& run);
Descent descend_on_cuda(const Graph& memberships, const Map& start, bool scaled, const Options& options,
                        const Run& run);

/// All stages, from points. options.search becomes the search method that ran. The caller sets the fields of the result
/// that are common to all devices.
Result embed_on_cpu(MatrixView<const float> points, const Given& given, Options& options, const Run& run);
Result embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run);
/// The same from sparse rows: the start and the neighbors on the CPU, the descent on this device.
Result embed_sparse(const SparseView& points, const Given& given, Options& options, const Run& run, Device device);

/// Implementations in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(umap::descend_on_cuda) descend_on_cuda;
decltype(umap::embed_on_cuda) embed_on_cuda;
}  // namespace backend

/// The result of a descent, with the seconds of the stages; and the result if there was none: the start, without score.
Result result_of(Descent descent, Seconds seconds, scores::Score search_recall = {1, 0});
Result unfinished(Map start);

}  // namespace dunlin::umap

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/scores.hpp>
#include <dunlin/sparse.hpp>
#include <dunlin/tsne.hpp>

#include "descent/status.hpp"
#include "device/resident.hpp"

/// The functions that differ by kind of device. Options are resolved, and the other inputs are checked.
namespace dunlin::tsne {

struct Descent {
    Map map;
    descent::DescentStatus status;
    scores::Score kl;
    int threads = 1;
    Offset strays = 0;
};

/// Gradient descent from `start`, which has as many points as `affinities`.
Descent descend_on_cpu(Graph affinities, const Map& start, const Options& options, const Run& run);
Descent descend_on_cuda(const Graph& affinities, const Map& start, const Options& options, const Run& run);

/// All stages, from points. options.search becomes the search method that ran. The caller sets the fields of the result
/// that are common to all devices (completed() of tsne.cpp).
Result embed_on_cpu(MatrixView<const float> points, const Given& given, Options& options, const Run& run);
Result embed_on_cuda(const device::InputPoints& points, const Given& given, Options& options, const Run& run);
/// The same from sparse rows: the start and the neighbors on the CPU, the descent on this device.
Result embed_sparse(const SparseView& points, const Given& given, Options& options, const Run& run, Device device);

/// Implementations in libdunlin_cuda, called through backend/table.hpp.
namespace backend {
decltype(tsne::descend_on_cuda) descend_on_cuda;
decltype(tsne::embed_on_cuda) embed_on_cuda;
}  // namespace backend

/// The result of a descent, with the seconds of the stages; and the result if there was none: the start, without cost.
Result result_of(Descent descent, Seconds seconds, scores::Score search_recall = {1, 0});
Result unfinished(Map start);

}  // namespace dunlin::tsne

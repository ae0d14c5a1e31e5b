// SPDX-License-Identifier: Apache-2.0
#include <dunlin/tsne.hpp>

#include <utility>

#include <dunlin/device.hpp>
#include <dunlin/sparse.hpp>

#include "descent/embed.hpp"
#include "tsne/backend.hpp"
#include "tsne/perplexity.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

Result embed(Graph affinities, const Map& start, const Options& options, const Run& run, bool keeps_start) {
    return descent::embed_graph<Result>(std::move(affinities), start, in_single_precision(options), run, keeps_start);
}

namespace {

/// embed(given), with given affinities made joint ones.
template <class Embed>
auto with_joint_affinities(const Given& given, Index n, const Run& run, const Embed& embed) {
    if (given.affinities == nullptr) return embed(given);
    descent::require_size(given.affinities->size(), n, "graph of affinities");
    const JointAffinities joint = joint_affinities(*given.affinities, checkpoint::without_checkpoint(run));
    if (joint.graph.size() < n) return embed(given);  // cancelled, as embed will be
    Given next = given;
    next.affinities = &joint.graph;
    auto result = embed(next);
    result.symmetrized = joint.symmetrized;
    return result;
}

}  // namespace

Result embed(MatrixView<const float> points, const Options& options, const Run& run, const Given& given) {
    return with_joint_affinities(given, points.rows, run, [&](const Given& joint) {
        return descent::embed_dense<Result>(points, options, run, joint);
    });
}

DeviceResult embed(const DeviceMatrixView<const float>& points, const Options& options, const Run& run,
                   const Given& given) {
    return with_joint_affinities(given, points.rows, run, [&](const Given& joint) {
        return descent::embed_resident<DeviceResult, Result>(points, options, run, joint);
    });
}

Result embed(const SparseView& points, const Options& options, const Run& run, const Given& given) {
    return with_joint_affinities(given, points.rows, run, [&](const Given& joint) {
        return descent::embed_sparse<Result>(points, in_single_precision(options), run, joint);
    });
}

}  // namespace dunlin::tsne

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

Result embed(Graph affinities, const Map& start, const Options& options, const Run& run) {
    return descent::embed_graph<Result>(std::move(affinities), start, options, run);
}

Result embed(MatrixView<const float> points, const Options& options, const Run& run, const Given& given) {
    return descent::embed_dense<Result>(points, options, run, given);
}

DeviceResult embed(const DeviceMatrixView<const float>& points, const Options& options, const Run& run,
                   const Given& given) {
    return descent::embed_resident<DeviceResult, Result>(points, options, run, given);
}

Result embed(const SparseView& points, const Options& options, const Run& run, const Given& given) {
    return descent::embed_sparse<Result>(points, options, run, given);
}

}  // namespace dunlin::tsne

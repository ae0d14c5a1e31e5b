// SPDX-License-Identifier: Apache-2.0
#include <dunlin/tsne.hpp>

#include <utility>

#include <dunlin/device.hpp>
#include <dunlin/sparse.hpp>

#include "descent/embed.hpp"
#include "tsne/backend.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {

namespace {

/// t-SNE as a method of descent/embed.hpp.
struct Method {
    using Options = tsne::Options;
    using Result = tsne::Result;
    static constexpr const char* name = "t-SNE";
    static constexpr auto check = tsne::check;
    static constexpr auto resolve_neighbors = resolve_affinities;
    static constexpr auto resolve_descent = tsne::resolve_descent;
    static void take_degree(Options& options, Index degree) { options.k = degree; }
    static void check_given(const Options&, const Given& given, Index) { descent::refuse_labels(given, name); }
    static constexpr auto embed_on_cpu = tsne::embed_on_cpu;
    static constexpr auto embed_on_cuda = tsne::embed_on_cuda;
    static constexpr auto embed_sparse = tsne::embed_sparse;
};

}  // namespace

Result embed(Graph affinities, const Map& start, const Options& wanted, const Run& run) {
    return descent::embed_graph<Method>(
        affinities.size(), start, wanted, run, [&](Device device, const Options& options) {
            return device == Device::cuda ? descend_on_cuda(affinities, start, {}, options, run)
                                          : descend_on_cpu(std::move(affinities), start, {}, options, run);
        });
}

Result embed(MatrixView<const float> points, const Options& wanted, const Run& run, const Given& given) {
    return descent::embed_dense<Method>(points, wanted, run, given);
}

DeviceResult embed(const DeviceMatrixView<const float>& points, const Options& wanted, const Run& run,
                   const Given& given) {
    return descent::embed_resident<Method, DeviceResult>(points, wanted, run, given);
}

Result embed(const SparseView& points, const Options& wanted, const Run& run, const Given& given) {
    return descent::embed_sparse<Method>(points, wanted, run, given);
}

}  // namespace dunlin::tsne

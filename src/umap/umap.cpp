// SPDX-License-Identifier: Apache-2.0
#include <dunlin/umap.hpp>

#include <utility>

#include <dunlin/device.hpp>
#include <dunlin/sparse.hpp>

#include "descent/embed.hpp"
#include "umap/backend.hpp"
#include "umap/resolve.hpp"
#include "umap/supervision.hpp"

namespace dunlin::umap {

namespace {

/// UMAP as a method of descent/embed.hpp.
struct Method {
    using Options = umap::Options;
    using Result = umap::Result;
    static constexpr const char* name = "UMAP";
    static constexpr auto check = umap::check;
    static constexpr auto resolve_neighbors = umap::resolve_neighbors;
    static constexpr auto resolve_descent = umap::resolve_descent;
    static void take_degree(Options& options, Index degree) { options.k = degree + 1; }
    static void check_given(const Options& options, const Given& given, Index n) {
        check_labels(options, given.labels, n);
    }
    static constexpr auto embed_on_cpu = umap::embed_on_cpu;
    static constexpr auto embed_on_cuda = umap::embed_on_cuda;
    static constexpr auto embed_sparse = umap::embed_sparse;
};

}  // namespace

Result embed(Graph memberships, const Map& start, const Options& wanted, const Run& run) {
    check_labels(wanted, nullptr, memberships.size());
    return descent::embed_graph<Method>(
        memberships.size(), start, wanted, run, [&](Device device, const Options& options) {
            return device == Device::cuda ? descend_on_cuda(memberships, start, false, {}, options, run)
                                          : descend_on_cpu(std::move(memberships), start, false, {}, options, run);
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

}  // namespace dunlin::umap

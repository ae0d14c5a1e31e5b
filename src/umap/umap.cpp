// SPDX-License-Identifier: Apache-2.0
#include <dunlin/umap.hpp>

#include <utility>

#include <dunlin/device.hpp>
#include <dunlin/error.hpp>
#include <dunlin/sparse.hpp>

#include "descent/embed.hpp"
#include "umap/backend.hpp"
#include "umap/memberships.hpp"
#include "umap/resolve.hpp"

namespace dunlin::umap {

Result embed(Graph memberships, const Map& start, const Options& options, const Run& run, bool keeps_start) {
    if (options.densmap)
        throw Error(Fault::bad_input,
                    "densmap is on and memberships are given, which have no distances; give points or neighbors",
                    {.option = "densmap"});
    return descent::embed_graph<Result>(std::move(memberships), start, options, run, keeps_start);
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

}  // namespace dunlin::umap

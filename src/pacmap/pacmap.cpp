// SPDX-License-Identifier: Apache-2.0
#include <dunlin/pacmap.hpp>

#include <dunlin/device.hpp>
#include <dunlin/sparse.hpp>

#include "descent/embed.hpp"
#include "pacmap/backend.hpp"
#include "pacmap/pairs.hpp"
#include "pacmap/resolve.hpp"

namespace dunlin::pacmap {

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

}  // namespace dunlin::pacmap

// SPDX-License-Identifier: Apache-2.0
#include <dunlin/pacmap.hpp>

#include <dunlin/device.hpp>
#include <dunlin/sparse.hpp>

#include "descent/embed.hpp"
#include "pacmap/backend.hpp"
#include "pacmap/resolve.hpp"

namespace dunlin::pacmap {

namespace {

/// PaCMAP as a method of descent/embed.hpp.
struct Method {
    using Options = pacmap::Options;
    using Result = pacmap::Result;
    static constexpr const char* name = "PaCMAP";
    static constexpr auto check = pacmap::check;
    static constexpr auto resolve_neighbors = pacmap::resolve_neighbors;
    static constexpr auto resolve_descent = pacmap::resolve_descent;
    static void take_degree(Options&, Index) {}  // k of the given neighbors are chosen
    static void check_given(const Options&, const Given& given, Index) { descent::refuse_labels(given, name); }
    static constexpr auto embed_on_cpu = pacmap::embed_on_cpu;
    static constexpr auto embed_on_cuda = pacmap::embed_on_cuda;
    static constexpr auto embed_sparse = pacmap::embed_sparse;
};

}  // namespace

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

}  // namespace dunlin::pacmap

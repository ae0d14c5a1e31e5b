// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <future>

#include "clusters/backend.hpp"
#include "device/gpus.hpp"
#include "device/points.cuh"
#include "hierarchy/condensing.hpp"
#include "numerics/selection.cuh"
#include "progress/stopwatch.hpp"
#include "spanning/cuda/span.cuh"
#include "spanning/tree_spanning.hpp"

namespace dunlin::clusters {

namespace {

using hierarchy::Edge;

/// Keys become distances; sqrt is rounded correctly, as on the CPU.
struct CoreOfKey {
    double* core;
    bool is_square;
    __device__ void operator()(Offset p) const { core[p] = is_square ? sqrt(core[p]) : core[p]; }
};
struct WeightOfKey {
    Edge* edges;
    bool is_square;
    __device__ void operator()(Offset e) const {
        edges[e].weight = is_square ? sqrt(edges[e].weight) : edges[e].weight;
    }
};

std::uint64_t bytes_of(Index points, Index cols, Index k) {
    const std::uint64_t kept = at(points) * (sizeof(double) + sizeof(Edge));
    return kept + std::max(spanning::tree_spanning_bytes(points, cols, k), hierarchy::contraction_bytes(points));
}

}  // namespace

bool backend::span_on_cuda(MatrixView<const float> points, const spanning::PointSource& source, double scale,
                           const Run& run, Result& result, std::vector<Edge>& edges) {
    const Index n = points.rows, k = *result.options.min_samples;
    const bool is_square = source.norm == spanning::Norm::l2;
    device::Cuda cuda(run);
    device::require_gpu_memory(bytes_of(n, points.cols, k), device::allowance(cuda), "density clusters");
    progress::Stopwatch watch;
    // To touch new memory takes about as long as the GPU works
    std::vector<double> core, leaves_at;
    std::vector<Index> home;
    std::vector<Merge> linkage;
    std::future<void> touched = std::async([&] {
        core.resize(at(n));
        linkage.resize(at(n) - 1);
        home.resize(at(n));
        leaves_at.resize(at(n));
    });
    spanning::SpannedOnGpu spanned = is_square ? spanning::span_by_squares(cuda, points, k, scale)
                                               : spanning::span_by_absolutes(cuda, points, k, scale);
    cuda.each(n, CoreOfKey{spanned.core.data(), is_square});
    cuda.each(spanned.edge_count, WeightOfKey{spanned.edges.data(), is_square});
    touched.get();
    device::fetch(cuda, spanned.core, core);
    result.core = std::move(core);
    result.seconds["neighbors"] = spanned.seconds;
    result.seconds["spanning"] = watch.lap() - spanned.seconds;
    spanned.core = {};
    if (spanned.edge_count < n - 1) {
        edges = cuda.host(spanned.edges);
        edges.resize(at(spanned.edge_count));
        return false;
    }
    hierarchy::Contraction<device::Cuda> contraction(cuda, n);
    contraction.run(spanned.edges);
    spanned.edges = {};
    progress::cancellation_point();
    device::fetch(cuda, contraction.linkage(), linkage);
    result.linkage = std::move(linkage);
    progress::cancellation_point();
    result.tree.home = std::move(home);
    result.tree.leaves_at = std::move(leaves_at);
    hierarchy::condense(cuda, contraction, n, result.options.min_size, result.tree);
    result.seconds["tree"] = watch.lap();
    return true;
}

}  // namespace dunlin::clusters

// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda.hpp"

#include "neighbors/checks.hpp"
#include "neighbors/cuda/search.cuh"

namespace dunlin::neighbors {

namespace {

Result downloaded(device::Cuda& cuda, const FoundOnDevice& found) {
    Result result;
    result.device = Device::cuda;
    result.options.method = found.method;
    result.probes = found.probes;
    result.recall = found.recall;
    result.recall_se = found.recall_se;
    if (found.graph.size() > 0) result.graph = graph::download(cuda, found.graph);
    return result;
}

}  // namespace

Result backend::search_with_cuda(MatrixView<const float> points, Index k, Metric metric,
                                 const SearchParameters& parameters, const Run& run) {
    check_search(points.rows, k);
    device::Cuda cuda(run);
    const device::DevicePoints held = device::hold_points(cuda, points);
    return downloaded(cuda, search_on_device(cuda, held, k, metric, parameters));
}

Result backend::search_queries_with_cuda(MatrixView<const float> points, MatrixView<const float> queries, Index k,
                                         Metric metric, const SearchParameters& parameters, const Run& run) {
    check_search(points.rows, k);
    check_queries(points, queries);
    device::Cuda cuda(run);
    const device::DevicePoints held = device::hold_points(cuda, points);
    return downloaded(cuda, search_queries_on_device(cuda, held, queries, k, metric, parameters));
}

}  // namespace dunlin::neighbors

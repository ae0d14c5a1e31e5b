// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda.hpp"

#include "device/resident.cuh"
#include "graph/download.cuh"
#include "neighbors/checks.hpp"
#include "neighbors/cuda/range.cuh"
#include "neighbors/cuda/search.cuh"

namespace dunlin::neighbors {

namespace {

DeviceResult outcome_of(const FoundOnDevice& found) {
    DeviceResult result;
    result.device = Device::cuda;
    result.options.method = found.method;
    result.probes = found.probes;
    result.recall = found.recall;
    result.recall_se = found.recall_se;
    return result;
}

}  // namespace

DeviceResult backend::search_with_cuda(const device::InputPoints& points, Index k, Metric metric,
                                       const SearchParameters& parameters, const Run& run) {
    check_search(points.rows(), k);
    device::Cuda cuda(run);
    const device::DevicePoints held = device::hold_points(cuda, points);
    if (points.is_resident()) require_range(cuda, held, metric);
    const FoundOnDevice found = search_on_device(cuda, held, k, metric, parameters);
    DeviceResult result = outcome_of(found);
    if (found.graph.size() == 0) return result;
    if (points.is_resident()) {
        const Index rows = points.rows(), degree = std::min(k, rows - 1);
        result.device_ids = device::matrix_for_caller(cuda, found.graph.targets.data(), rows, degree);
        result.device_distances = device::matrix_for_caller(cuda, found.graph.weights.data(), rows, degree);
        cuda.wait();
    } else {
        result.graph = graph::download_by_ranks(cuda, found.graph);
    }
    return result;
}

Result backend::search_queries_with_cuda(MatrixView<const float> points, const float* on_gpu,
                                         MatrixView<const float> queries, Index k, Metric metric,
                                         const SearchParameters& parameters, const Run& run) {
    check_search(points.rows, k);
    check_queries(points, queries);
    device::Cuda cuda(run);
    device::DevicePoints held{points, {}, on_gpu};
    if (on_gpu == nullptr) held = device::hold_points(cuda, points);
    const FoundOnDevice found = search_queries_on_device(cuda, held, queries, k, metric, parameters);
    DeviceResult result = outcome_of(found);
    if (found.graph.size() > 0) result.graph = graph::download_by_ranks(cuda, found.graph);
    return std::move(static_cast<Result&>(result));
}

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#include "neighbors/cuda.hpp"

#include "device/resident.cuh"
#include "neighbors/checks.hpp"
#include "neighbors/cuda/range.cuh"
#include "neighbors/cuda/search.cuh"

namespace dunlin::neighbors {

DeviceResult backend::search_with_cuda(const device::InputPoints& points, Index k, Metric metric,
                                       const SearchParameters& parameters, const Run& run) {
    check_search(points.rows(), k);
    device::Cuda cuda(run);
    const device::DevicePoints held = device::hold_points(cuda, points);
    if (points.is_resident()) require_range(cuda, held, metric);
    const FoundOnDevice found = search_on_device(cuda, held, k, metric, parameters);
    DeviceResult result;
    result.device = Device::cuda;
    result.options.method = found.method;
    result.probes = found.probes;
    result.recall = found.recall;
    result.recall_se = found.recall_se;
    if (found.graph.size() == 0) return result;
    if (points.is_resident()) {
        const Index rows = points.rows(), degree = std::min(k, rows - 1);
        result.device_ids = device::matrix_for_caller(cuda, found.graph.targets.data(), rows, degree);
        result.device_distances = device::matrix_for_caller(cuda, found.graph.weights.data(), rows, degree);
        cuda.wait();
    } else {
        result.graph = graph::download(cuda, found.graph);
    }
    return result;
}

}  // namespace dunlin::neighbors

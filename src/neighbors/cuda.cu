#include "neighbors/cuda.hpp"

#include "neighbors/checks.hpp"
#include "neighbors/on_device.cuh"

namespace dunlin::neighbors {

Graph search_with_cuda(MatrixView<const float> points, Index k, Metric metric, const Run& run) {
    check_search(points.rows, k);
    device::Cuda cuda(run);
    const graph::DeviceGraph graph = search_on_device(cuda, device::hold_points(cuda, points), k, metric);
    if (graph.size() == 0) return {};
    return graph::download(cuda, graph);
}

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#include "kmeans/cuda/upload.cuh"

#include "device/points.cuh"
#include "device/resident.cuh"
#include "kmeans/cuda/unit.cuh"

namespace dunlin::kmeans {

namespace {

/// Copies all points to `rows` in device memory, from where they are.
void copy_rows(device::Cuda& cuda, float* rows, const device::InputPoints& points) {
    const std::size_t bytes = static_cast<std::size_t>(points.host().size()) * sizeof(float);
    if (!points.is_resident()) return cuda.copy_in(rows, points.host().data, bytes);
    device::require_resident(cuda, points.resident());
    device::follow(cuda, points.stream());
    device::cuda_check(cudaMemcpyAsync(rows, points.resident(), bytes, cudaMemcpyDeviceToDevice, cuda.stream()));
}

}  // namespace

DeviceState upload_rows(device::Cuda& cuda, const Rows& rows, const device::InputPoints& points, bool held) {
    DeviceState state;
    state.n = rows.count();
    state.cols = rows.cols();
    state.metric = rows.metric;
    if (!held) return state;
    const auto values = static_cast<std::size_t>(rows.points.size());
    cuda.fill(state.rows, values + 4 * static_cast<std::size_t>(rows.cols()), 0.0F);
    copy_rows(cuda, state.rows.data(), points);
    if (rows.metric == Metric::cosine) cuda.each(state.n, ToUnit{state.rows.data(), state.cols});
    if (!rows.weights.empty()) cuda.upload(state.weights, rows.weights);
    return state;
}

void upload_scales(device::Cuda& cuda, DeviceState& state, const Scales& scales) {
    std::vector<double> all = scales.columns;
    all.push_back(scales.weights);
    cuda.upload(state.scales, all);
}

void set_centroids(device::Cuda& cuda, DeviceState& state, const std::vector<float>& centroids) {
    const std::size_t clusters = centroids.size() / static_cast<std::size_t>(state.cols);
    state.clusters = static_cast<Index>(clusters);
    cuda.upload(state.centroids, centroids);
    cuda.fill(state.sums, clusters * state.scales.size(), Bits{0});
    cuda.set(state.progress, LoopState{});
}

distance::HalfFrame frame_of(device::Cuda& cuda, const Scales& scales) {
    distance::HalfFrame frame;
    cuda.upload(frame.middle, scales.means);
    double most = 0;
    for (std::size_t c = 0; c < scales.means.size(); ++c) {
        most = std::max(most, scales.most[c] + std::abs(scales.means[c]));
    }
    if (most > 0) frame.scale = std::ldexp(1.0, 13 - std::ilogb(most));
    return frame;
}

}  // namespace dunlin::kmeans

// SPDX-License-Identifier: Apache-2.0
#include "device/gpus.hpp"
#include "mds/backend.hpp"
#include "mds/forces/partners.cuh"
#include "mds/place_on.hpp"
#include "mds/sgd/epoch.cuh"
#include "mds/smacof/disparities.cuh"
#include "mds/start.cuh"

namespace dunlin::mds {

using device::Cuda;

ScalingOutput backend::place_on_cuda(const ScalingInput& task) {
    Cuda cuda(task.run);
    const bool weighted = task.given.weights != nullptr;
    device::require_gpu_memory(
        bytes_on_gpu(task.items, weighted) + bytes_of_method(task.options, task.items.size(), task.given),
        device::allowance(cuda), "multidimensional scaling of these items by this method");
    const DeviceSource source(cuda, task.items, task.given.weights);
    return with_agreed_stop(task, [&](const ScalingInput& own, device::AgreedStop* ranks) {
        return place_on(cuda, own, CudaItems{&source, source.weights().values, {nullptr, 0}, ranks});
    });
}

double backend::transformed_stress1_on_cuda(const Dissimilarities& items, const Map& map, Transform transform,
                                            const Matrix* weights, const Run& run) {
    Cuda cuda(run);
    device::require_gpu_memory(bytes_on_gpu(items, weights != nullptr) + Disparities<Cuda>::bytes_for(items.size()),
                               device::allowance(cuda), "the disparities of all pairs of these items");
    const DeviceSource source(cuda, items, weights);
    return stress1_after(cuda, CudaItems{&source, source.weights().values}, map, transform);
}

std::vector<StressSums> backend::stress_rows_on_cuda(const Dissimilarities& items, const Map& map,
                                                     std::span<const Index> rows, const Run& run) {
    Cuda cuda(run);
    const DeviceSource source(cuda, items);
    device::CudaBuffer<float> y;
    cuda.upload(y, map.coordinates);
    return stress_rows(cuda, source, y.data(), map.dim, rows);
}

}  // namespace dunlin::mds

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
    const auto& [items, o, given, run, bounded] = task;
    device::require_gpu_memory(bytes_on_gpu(items, given.weights != nullptr) + bytes_of_method(o, items.size(), given),
                               device::allowance(cuda), "multidimensional scaling of these items by this method");
    const DeviceSource source(cuda, items, given.weights);
    CudaItems pulling{&source, source.weights().values};
    if (device::Rank::current() == nullptr) return place_on(cuda, task, pulling);
    device::AgreedStop stop(*device::Rank::current(), run.stop);
    pulling.ranks = &stop;
    const Run own = stop.in(run);
    return place_on(cuda, {items, o, given, own, bounded}, pulling);
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

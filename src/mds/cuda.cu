#include "device/gpus.hpp"
#include "mds/backend.hpp"
#include "mds/minimise.hpp"
#include "mds/pull.cuh"
#include "mds/relax.cuh"
#include "mds/start.cuh"
#include "start/pca.cuh"

namespace dunlin::mds {

using device::Cuda;

void place_by_spectrum(Cuda& cuda, const Dissimilarities& items, const DeviceSource& source, Shape<Cuda>& shape,
                       std::uint64_t seed) {
    if (items.metric() == neighbors::Metric::euclidean) {
        shape.y = start::principal_coordinates_on_device(cuda, source.points(), shape.dim);
        return;
    }
    device::Cpu cpu(cuda.run());
    cuda.upload(shape.y, spectral_map(cpu, items, Source(cpu, items), shape.dim, seed).coordinates);
}

Minimised minimise_on_cuda(const Task& task) {
    Cuda cuda(task.run);
    const bool weighted = task.given.weights != nullptr;
    device::require_gpu_memory(bytes_on_gpu(task.items, weighted), device::allowance(cuda),
                               "multidimensional scaling of these items");
    const DeviceSource source(cuda, task.items);
    device::CudaBuffer<float> weights;
    if (weighted) weights = hold_padded(cuda, task.given.weights->view(), 0.0F);
    return minimise(cuda, task, CudaItems{&source, weights.data()});
}

std::vector<StressSums> stress_rows_on_cuda(const Dissimilarities& items, const Map& map, std::span<const Index> rows,
                                            const Run& run) {
    Cuda cuda(run);
    const DeviceSource source(cuda, items);
    device::CudaBuffer<float> y;
    cuda.upload(y, map.coordinates);
    return stress_rows(cuda, source, y.data(), map.dim, rows);
}

}  // namespace dunlin::mds

// Built where the CUDA backend is not; device::choose lets nobody come here.
#include "device/gpus.hpp"
#include "mds/backend.hpp"

namespace dunlin::mds {

Placed place_on_cuda(const Task& task) {
    device::cuda_device(task.run.device_index);  // throws
    return {};
}

Placed place_some_on_cuda(const Fed& fed) {
    device::cuda_device(fed.run.device_index);  // throws
    return {};
}

double transformed_stress1_on_cuda(const Dissimilarities&, const Map&, Transform, const Matrix*, const Run& run) {
    device::cuda_device(run.device_index);  // throws
    return 0;
}

std::vector<StressSums> stress_rows_on_cuda(const Dissimilarities&, const Map&, std::span<const Index>,
                                            const Run& run) {
    device::cuda_device(run.device_index);  // throws
    return {};
}

}  // namespace dunlin::mds

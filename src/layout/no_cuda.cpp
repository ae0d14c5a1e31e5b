// Built where the CUDA backend is not; device::choose lets nobody come here.
#include "device/gpus.hpp"
#include "layout/backend.hpp"

namespace dunlin::layout {

Placed place_on_cuda(const Task&, const Options&, const Run& run) {
    device::cuda_device(run.device_index);  // throws
    return {};
}

Ladder ladder_on_cuda(const graph::Level& finest, const Run& run) {
    device::cuda_device(run.device_index);  // throws
    return {finest, {}};
}

}  // namespace dunlin::layout

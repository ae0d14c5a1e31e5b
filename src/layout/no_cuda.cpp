// Built where the CUDA backend is not; device::choose lets nobody come here.
#include "device/gpus.hpp"
#include "layout/backend.hpp"

namespace dunlin::layout {

Placed place_on_cuda(const Task&, const Options&, const Run& run) {
    device::cuda_device(run.device_index);  // throws
    return {};
}

}  // namespace dunlin::layout

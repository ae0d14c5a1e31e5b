// Built where the CUDA backend is not.
#include "device/gpus.hpp"
#include "neighbors/cuda.hpp"

namespace dunlin::neighbors {

Result search_with_cuda(MatrixView<const float>, Index, Metric, const Effort&, const Run& run) {
    device::cuda_device(run.device_index);  // throws
    return {};
}

}  // namespace dunlin::neighbors

// Built where the CUDA backend is not.
#include "device/gpus.hpp"
#include "kmeans/cuda.hpp"

namespace dunlin::kmeans {

// NOLINTNEXTLINE(performance-unnecessary-value-param): it is taken over where there is a GPU
Outcome iterate_with_cuda(device::Cpu&, const Rows&, const Scales&, std::vector<float>, const Options&, double,
                          const Run& run) {
    device::cuda_device(run.device_index);  // throws
    return {};
}

}  // namespace dunlin::kmeans

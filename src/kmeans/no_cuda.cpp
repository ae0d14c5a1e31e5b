// Built where the CUDA backend is not.
#include "device/gpus.hpp"
#include "kmeans/cuda.hpp"

namespace dunlin::kmeans {

struct OnGpu::Parts {};

OnGpu::OnGpu(device::Cpu&, const Rows&, const Scales&, Index, const Run& run) {
    device::cuda_device(run.device_index);  // throws
}

OnGpu::~OnGpu() = default;

std::vector<float> OnGpu::start(Index, Start, std::uint64_t) { return {}; }

Outcome OnGpu::iterate(const std::vector<float>&, const Options&, double) { return {}; }

}  // namespace dunlin::kmeans

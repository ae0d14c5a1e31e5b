// Built where the CUDA backend is not.
#include <dunlin/error.hpp>

#include "device/gpus.hpp"

namespace dunlin::device {

int cuda_devices() { return 0; }
Gpu cuda_device(int) {
    throw Error(Fault::no_device,
                "device cuda: this build has no CUDA backend; use --device cpu or build with ./dev cuda");
}
std::uint64_t cuda_free_memory(int) { return 0; }
std::uint64_t cuda_held_memory() { return 0; }
std::uint64_t cuda_peak_memory() { return 0; }
void reset_cuda_peak_memory() {}

}  // namespace dunlin::device

bool dunlin::built_with_cuda() { return false; }

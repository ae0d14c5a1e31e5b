// Built where the CUDA backend is not; device::choose lets nobody come here.
#include "device/gpus.hpp"
#include "tsne/backend.hpp"

namespace dunlin::tsne {

Descent descend_on_cuda(const Graph&, const Map&, const Options&, const Run& run) {
    device::cuda_device(run.device_index);  // throws
    return {};
}

Result embed_on_cuda(MatrixView<const float>, const Given&, const Options&, const Run& run) {
    device::cuda_device(run.device_index);  // throws
    return {};
}

}  // namespace dunlin::tsne

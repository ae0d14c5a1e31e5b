#include "device/choose.hpp"

#include <dunlin/error.hpp>

namespace dunlin::device {

Device choose(const Run& run) {
    if (run.device == Device::cuda) {
        throw Error(Fault::no_device, "device cuda: this build has no CUDA backend; use --device cpu or auto");
    }
    return Device::cpu;
}

}  // namespace dunlin::device

#include "device/choose.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "device/gpus.hpp"

namespace dunlin::device {

Device choose(const Run& run, bool large_enough) {
    if (run.device == Device::cuda) {
        cuda_device(run.device_index);
        return Device::cuda;
    }
    const bool cuda = run.device == Device::automatic && large_enough && run.device_index < cuda_devices();
    return cuda ? Device::cuda : Device::cpu;
}

void require_cpu(const Run& run, std::string_view what) {
    if (run.device != Device::cuda) return;
    throw Error(Fault::no_device,
                fmt::format("device cuda: {} computed on the CPU only; use --device cpu or auto", what));
}

}  // namespace dunlin::device

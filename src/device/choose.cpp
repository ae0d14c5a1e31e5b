#include "device/choose.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "device/gpus.hpp"

namespace dunlin::device {

void check(const Run& run) {
    if (run.threads >= 0) return;
    throw Error(Fault::bad_input,
                fmt::format("threads is {}; it must be at least 1, or 0 for one a core", run.threads));
}

Device choose(const Run& run, bool large_enough) {
    check(run);
    if (run.device == Device::cuda) {
        cuda_device(run.device_index);
        return Device::cuda;
    }
    const bool cuda = run.device == Device::automatic && large_enough && run.device_index < cuda_devices();
    return cuda ? Device::cuda : Device::cpu;
}

void require_cpu(const Run& run, std::string_view what) {
    check(run);
    if (run.device != Device::cuda) return;
    throw Error(Fault::no_device,
                fmt::format("device cuda: {} computed on the CPU only; use --device cpu or auto", what));
}

}  // namespace dunlin::device

// SPDX-License-Identifier: Apache-2.0
#include "device/choose.hpp"

#include <fmt/format.h>

#include <dunlin/error.hpp>

#include "device/gpus.hpp"
#include "options/check.hpp"

namespace dunlin::device {

void check(const Run& run) {
    options::check(run);
    if (run.gpus.size() > 1) {
        throw Error(Fault::bad_input,
                    fmt::format("{} GPUs are named; several are not used together yet, name one", run.gpus.size()),
                    {.option = "gpus"});
    }
    if (run.gpu() < 0) {
        throw Error(Fault::bad_input, fmt::format("GPU {} is named; they are numbered from 0", run.gpu()),
                    {.option = "gpus"});
    }
    if (!run.checkpoint.empty() || run.resume) {
        throw Error(
            Fault::bad_input,
            fmt::format(
                "{} is given, and this call writes no checkpoint (the methods in docs/checkpoints.md do); leave it "
                "out",
                run.checkpoint.empty() ? "resume" : "checkpoint"),
            {.option = run.checkpoint.empty() ? "resume" : "checkpoint"});
    }
}

Device choose(const Run& run, bool large_enough) {
    check(run);
    if (run.device == Device::cuda) {
        cuda_device(run.gpu());
        return Device::cuda;
    }
    const bool cuda = run.device == Device::automatic && large_enough && run.gpu() < cuda_devices();
    return cuda ? Device::cuda : Device::cpu;
}

void require_cpu(const Run& run, std::string_view what) {
    check(run);
    if (run.device != Device::cuda) return;
    throw Error(Fault::no_device, fmt::format("device cuda: {} computed on the CPU only; use device cpu or auto", what),
                {.option = "device"});
}

}  // namespace dunlin::device

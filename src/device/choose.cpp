// SPDX-License-Identifier: Apache-2.0
#include "device/choose.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <dunlin/error.hpp>

#include "device/gpus.hpp"
#include "options/check.hpp"

namespace dunlin::device {

namespace {

constexpr std::size_t most_gpus = 64;  ///< of one host, and beyond: a list that is longer is a mistake

}  // namespace

void check(const Run& run, const GpuUsers& users) {
    options::check(run);
    for (const int gpu : run.gpus) {
        if (gpu >= 0) continue;
        throw Error(Fault::bad_input, fmt::format("GPU {} is named; they are numbered from 0", gpu),
                    {.option = "gpus"});
    }
    if (run.gpus.size() > most_gpus) {
        throw Error(Fault::bad_input,
                    fmt::format("{} GPUs are named; at most {} work together", run.gpus.size(), most_gpus),
                    {.option = "gpus"});
    }
    if (run.gpus.size() > 1 && !users.several) {
        throw Error(Fault::bad_input,
                    fmt::format("{} on one GPU, and {} are named; name one", users.what, run.gpus.size()),
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

void check(const Run& run) { check(run, {}); }

Device choose(const Run& run, bool large_enough) { return choose(run, large_enough, {}); }

Device choose(const Run& run, bool large_enough, const GpuUsers& users) {
    check(run, users);
    if (run.device == Device::cuda) {
        cuda_device(run.gpu());
        for (const int gpu : run.gpus) cuda_device(gpu);
        return Device::cuda;
    }
    const int last = run.gpus.empty() ? 0 : *std::max_element(run.gpus.begin(), run.gpus.end());
    const bool cuda = run.device == Device::automatic && large_enough && last < cuda_devices();
    return cuda ? Device::cuda : Device::cpu;
}

void refuse_checkpoint_of_several(const Run& run) {
    if (run.gpus.size() < 2 || (run.checkpoint.empty() && !run.resume)) return;
    throw Error(Fault::bad_input,
                fmt::format("checkpoint is given and {} GPUs are named, and a run on several writes none; name one, or "
                            "leave it out",
                            run.gpus.size()),
                {.option = "checkpoint"});
}

Run on_one_gpu(const Run& run) {
    Run one = run;
    if (one.gpus.size() > 1) one.gpus = {run.gpu()};
    return one;
}

void require_cpu(const Run& run, std::string_view what) {
    check(run, several_gpus);
    if (run.device != Device::cuda) return;
    throw Error(Fault::no_device, fmt::format("device cuda: {} computed on the CPU only; use device cpu or auto", what),
                {.option = "device"});
}

}  // namespace dunlin::device

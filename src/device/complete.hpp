// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/outcome.hpp>

#include "device/gpus.hpp"

namespace dunlin::device {

/// Fills in the device, GPUs, peak GPU memory since the last reset, seed, and varies_because of a result. The method
/// fills in threads, iterations, seconds and engines.
template <class Options>
void complete(Outcome<Options>& outcome, Device device, const Run& run) {
    outcome.device = device;
    outcome.seed = run.seed;
    if (device == Device::cuda) {
        outcome.gpus = run.gpus.empty() ? std::vector{0} : run.gpus;
        outcome.gpu_memory = cuda_peak_memory();
    }
    if (outcome.stopped == Stopped::cancelled) outcome.varies_because = "it was stopped before its end";
}

}  // namespace dunlin::device

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/outcome.hpp>

#include "device/gpus.hpp"

namespace dunlin::device {

/// Fills in what every result says of where it was computed: device, GPUs and the most of their memory held since the
/// last reset, seed, and why it may vary. Threads, iterations, stages and engines are the method's to say.
template <class Options>
void complete(Outcome<Options>& outcome, Device device, const Run& run) {
    outcome.device = device;
    outcome.seed = run.seed;
    if (device == Device::cuda) {
        outcome.gpus = {run.gpu()};
        outcome.gpu_memory = cuda_peak_memory();
    }
    if (outcome.stopped == Stopped::cancelled) outcome.varies_because = "it was stopped before its end";
}

}  // namespace dunlin::device

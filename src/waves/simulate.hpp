// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checkpoint/key.hpp"
#include "waves/problem.hpp"

namespace dunlin::waves {

/// A checked problem on a device: everything of the result but what the caller knows (device, seconds). on_ranks: by a
/// rank for each of run.gpus, on GPUs or, for tests, on a CPU; an explicit scheme with fixed steps.
Result simulate_problem(device::Cpu& cpu, const Problem& problem, const Run& run, const Given& given,
                        Device device = Device::cpu, bool on_ranks = false);

/// What a result depends on, for a checkpoint.
void add_to(checkpoint::Key& key, const Problem& problem, Device device, const Given& given);

}  // namespace dunlin::waves

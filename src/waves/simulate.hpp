// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "waves/problem.hpp"

namespace dunlin::waves {

/// A checked problem on a device: everything of the result but what the caller knows (device, seconds).
Result simulate_problem(device::Cpu& cpu, const Problem& problem, const Run& run, const Given& given,
                        Device device = Device::cpu);

}  // namespace dunlin::waves

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include <dunlin/run.hpp>

#include "math/at.hpp"

namespace dunlin::cases {

/// Numbers of ranks on the CPU that tests compare with one.
constexpr int counts_of_ranks[] = {2, 3, 8};

/// A run that device::run_on_ranks divides among so many ranks, with one thread each.
inline Run run_with(int ranks) {
    Run run{.device = Device::cpu, .threads = 1};
    run.gpus.resize(at(ranks));
    std::iota(run.gpus.begin(), run.gpus.end(), 0);
    return run;
}

}  // namespace dunlin::cases

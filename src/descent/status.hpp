// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <dunlin/outcome.hpp>
#include <dunlin/run.hpp>

namespace dunlin::descent {

/// How a descent ended.
struct DescentStatus {
    int iterations = 0;
    Stopped stopped = Stopped::budget;
    std::vector<Engine> engines = {};  ///< repulsion engines used
};

}  // namespace dunlin::descent

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/outcome.hpp>

namespace dunlin::run {

/// Number of iterations of a loop, and why it stopped.
struct Ending {
    int iterations = 0;
    Stopped stopped = Stopped::budget;
};

}  // namespace dunlin::run

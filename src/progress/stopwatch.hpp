// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace dunlin::progress {

/// lap() returns the seconds since construction or the last lap().
class Stopwatch {
public:
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double> passed = now - last_;
        last_ = now;
        return passed.count();
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace dunlin::progress

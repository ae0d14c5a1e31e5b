// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/cpu.hpp"
#include "math/rng.hpp"

namespace dunlin {

/// rows x cols points of unit variance around `centers` centers, which are drawn with a standard deviation of 4.
inline std::vector<float> blobs(Index rows, Index cols, std::uint64_t centers) {
    std::vector<float> points(static_cast<std::size_t>(Offset{rows} * cols));
    device::Cpu cpu;
    cpu.each(rows, [&](Offset r) {
        const auto row = static_cast<std::uint64_t>(r), blob = math::random_below(centers, 1, row, 1000);
        for (Index c = 0; c < cols; ++c) {
            const auto column = static_cast<std::uint64_t>(c);
            const double center = 4 * math::random_normal(2, blob, column);
            points[static_cast<std::size_t>(r * cols + c)] =
                static_cast<float>(center + math::random_normal(3, row, column));
        }
    });
    return points;
}

}  // namespace dunlin

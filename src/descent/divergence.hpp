// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <string>

#include <dunlin/error.hpp>

#include "descent/state.hpp"
#include "device/cpu.hpp"
#include "forces/places.hpp"

/// Detects maps that diverge: steps so long that coordinates leave the range in which forces can be computed.
namespace dunlin::descent {

using forces::farthest_point;

[[noreturn]] inline void fail_diverged(int iteration) {
    throw Error(Fault::bad_input, "the map diverged before iteration " + std::to_string(iteration) +
                                      "; lower learning-rate or longest-step");
}

/// Throws if the cost is not finite.
inline double require_finite(double cost, int iteration) {
    if (!std::isfinite(cost)) fail_diverged(iteration);
    return cost;
}

/// Throws if a coordinate of the result is not finite or beyond farthest_point.
inline void require_inside(std::span<const float> map, int iteration) {
    if (!std::all_of(map.begin(), map.end(), [](float y) { return std::abs(y) <= farthest_point; }))
        fail_diverged(iteration);
}

/// Call before the forces of an iteration. Throws if a coordinate is not finite or beyond farthest_point, because the
/// CPU grid would be read out of bounds. Does nothing on a GPU, whose grid takes any number: the cost and the result
/// show it.
template <class Exec>
void require_inside(Exec&, const DescentState<Exec>&, int) {}

inline void require_inside(device::Cpu& cpu, const DescentState<device::Cpu>& state, int iteration) {
    std::atomic<bool> left = false;
    const float* y = state.y.data();
    cpu.blocks(static_cast<Offset>(state.y.size()), 1 << 16, [&](Offset begin, Offset end, int) {
        Offset outside = 0;
        for (Offset k = begin; k < end; ++k) outside += std::abs(y[k]) <= farthest_point ? 0 : 1;
        if (outside > 0) left = true;
    });
    if (left) fail_diverged(iteration);
}

}  // namespace dunlin::descent

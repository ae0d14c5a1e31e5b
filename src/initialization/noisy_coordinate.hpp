// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/rng.hpp"

namespace dunlin::initialization {

/// A coordinate of an initial map: `axes` times a principal coordinate plus `noise` times a random normal number.
struct NoisyCoordinate {
    double axes = 0, noise = 0;

    /// `squares`: sum of the squares of the first principal coordinate over n points. That coordinate gets this
    /// standard deviation, the noise a hundredth of it; if `squares` is 0, there is noise only.
    DUNLIN_HD static NoisyCoordinate of(double squares, Index n, double deviation) {
        if (!(squares > 0)) return {0, deviation};
        return {deviation / std::sqrt(squares / n), 0.01 * deviation};
    }
    [[nodiscard]] DUNLIN_HD float at(std::uint64_t seed, Offset i, float coordinate) const {
        const auto random = static_cast<float>(noise * math::random_normal(seed, static_cast<std::uint64_t>(i)));
        return random + static_cast<float>(axes * static_cast<double>(coordinate));
    }
};

}  // namespace dunlin::initialization

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "math/hd.hpp"

namespace dunlin::layout {

/// How far a vertex may move in this iteration.
struct Temperature {
    float now;
    float factor, fall;  ///< now <- now * factor - fall, after every iteration
};

struct Cool {
    Temperature* temperature;
    template <class Offset>
    DUNLIN_HD void operator()(Offset) const {
        const float next = temperature->now * temperature->factor - temperature->fall;
        temperature->now = next > 0 ? next : 0.0F;
    }
};

/// The factor that makes a step of squared length `length2` no longer than `longest`.
DUNLIN_HD inline float shrinking(float length2, float longest) {
    return length2 > longest * longest ? longest / sqrtf(length2) : 1.0F;
}

}  // namespace dunlin::layout

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "math/hd.hpp"

namespace dunlin::layout {

/// Limit of a vertex's step in this iteration.
struct Temperature {
    float now;
    float factor, fall;  ///< after every iteration: now = now * factor - fall

    [[nodiscard]] bool fits() const { return now >= 0 && std::isfinite(now + factor + fall); }
};

struct Cool {
    Temperature* temperature;
    template <class Offset>
    DUNLIN_HD void operator()(Offset) const {
        const float next = temperature->now * temperature->factor - temperature->fall;
        temperature->now = next > 0 ? next : 0.0F;
    }
};

/// Factor that limits a step of squared length `length2` to `longest`.
DUNLIN_HD inline float step_limit_factor(float length2, float longest) {
    return length2 > longest * longest ? longest / sqrtf(length2) : 1.0F;
}

}  // namespace dunlin::layout

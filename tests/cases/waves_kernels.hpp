// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "math/rng.hpp"
#include "waves/formulas.hpp"

/// Inputs of the tests of waves' kernels for GPUs.
namespace dunlin::waves::kernels {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

inline std::vector<double> numbers(Offset n, std::uint64_t seed, double low, double range) {
    std::vector<double> values(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = low + range * math::random_uniform(seed, i);
    return values;
}

/// Values before and after a launch; those after are NaN until written.
struct Fields {
    std::vector<double> v, w, v_out, w_out, times;
    explicit Fields(Offset n)
        : v(numbers(n, 1, -0.2, 1.2)),
          w(numbers(n, 2, 0, 0.1)),
          v_out(v.size(), nan_value),
          w_out(v_out),
          times(v.size(), never) {
        for (std::size_t i = 0; i < v.size(); ++i)
            if (v[i] >= 0.5) times[i] = 0;
    }
};

inline Coefficients coefficients(double diffusion) {
    Coefficients c;
    c.diffusion = diffusion;
    return c;
}

}  // namespace dunlin::waves::kernels

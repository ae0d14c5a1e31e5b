// SPDX-License-Identifier: Apache-2.0
#include "waves/spans.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "device/clones.hpp"

namespace dunlin::waves {

DUNLIN_CLONES void euler_span(double dt, const double* rate, const double* v, double* out, Offset n) {
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < n; ++i) out[i] = euler(dt, rate[i], v[i]);
}

DUNLIN_CLONES bool heun_span(double level, const double* v, const double* twice, double* out, Offset n) {
    std::int64_t signs = 0;
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < n; ++i) {
        const double mean = heun(v[i], twice[i]);
        out[i] = mean;
        signs |= crossing_sign(v[i], mean, level);
    }
    return signs < 0;
}

DUNLIN_CLONES void chebyshev_span(const ChebyshevStage& given, double dt, const ChebyshevSpans& spans, Offset n) {
    const ChebyshevStage stage = given;
    const ChebyshevSpans s = spans;
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < n; ++i) {
        const double moved = chebyshev(stage, dt, s.last[i], s.before[i], s.rate[i], s.first_rate[i]);
        s.difference[i] = moved;
        s.out[i] = sum(s.y[i], moved);
    }
}

bool all_equal(const double* values, double value, Offset n) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (Offset i = 0; i < n; ++i) {
        if (std::bit_cast<std::uint64_t>(values[i]) != bits) return false;
    }
    return true;
}

DUNLIN_CLONES void activate_span(double begin, double dt, double level, const double* before, const double* after,
                                 double* times, Offset n) {
    constexpr Offset block = 64;
    for (Offset first = 0; first < n; first += block) {
        const Offset last = std::min(first + block, n);
        std::int64_t signs = 0;
        for (Offset i = first; i < last; ++i) signs |= crossing_sign(before[i], after[i], level);
        if (signs >= 0) continue;
        for (Offset i = first; i < last; ++i) {
            if (times[i] == never && crosses(before[i], after[i], level))
                times[i] = crossing(begin, dt, before[i], after[i], level);
        }
    }
}

}  // namespace dunlin::waves

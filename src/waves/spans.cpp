// SPDX-License-Identifier: Apache-2.0
#include "waves/spans.hpp"

#include <bit>
#include <cstdint>

#include "device/clones.hpp"

namespace dunlin::waves {

DUNLIN_CLONES void euler_span(double dt, const double* rate, const double* v, double* out, Offset n) {
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < n; ++i) out[i] = euler(dt, rate[i], v[i]);
}

DUNLIN_CLONES void heun_span(const double* v, const double* twice, double* out, Offset n) {
    DUNLIN_NO_OVERLAP
    for (Offset i = 0; i < n; ++i) out[i] = heun(v[i], twice[i]);
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

namespace {

/// Whether a node may cross the level, and not if none does: `before - level` is negative and `after - level` is not.
/// Comparisons joined by `and` are not vectorized; signs are.
DUNLIN_CLONES bool may_cross(double level, const double* before, const double* after, Offset n) {
    std::uint64_t signs = 0;
    for (Offset i = 0; i < n; ++i)
        signs |= std::bit_cast<std::uint64_t>(before[i] - level) & ~std::bit_cast<std::uint64_t>(after[i] - level);
    return signs >> 63 != 0;
}

}  // namespace

void activate_span(double begin, double dt, double level, const double* before, const double* after, double* times,
                   Offset n) {
    if (!may_cross(level, before, after, n)) return;
    for (Offset i = 0; i < n; ++i) {
        if (times[i] == never && crosses(before[i], after[i], level))
            times[i] = crossing(begin, dt, before[i], after[i], level);
    }
}

}  // namespace dunlin::waves

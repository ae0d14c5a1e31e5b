#include <algorithm>
#include <bit>
#include <cstdint>

#include "device/clones.hpp"
#include "forces/attraction_rows.hpp"
#include "forces/law.hpp"

namespace dunlin::forces {

namespace {

constexpr Offset float_terms = 2048;  // how many terms are added in float before they join a sum in double

/// Natural logarithm of a positive normal number, relative error below 2e-7 away from 1 (absolute near it): a
/// polynomial for log(1 + t) on [sqrt(1/2), sqrt(2)), after S. Moshier's Cephes. std::log would not vectorise.
[[gnu::always_inline]] inline float log_of(float x) {
    constexpr std::uint32_t root_half = 0x3f3504f3;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) - root_half;
    const auto exponent = static_cast<float>(static_cast<std::int32_t>(bits) >> 23);
    const float t = std::bit_cast<float>((bits & 0x007fffff) + root_half) - 1;
    float p = 7.0376836292e-2f;
    p = p * t - 1.1514610310e-1f;
    p = p * t + 1.1676998740e-1f;
    p = p * t - 1.2420140846e-1f;
    p = p * t + 1.4249322787e-1f;
    p = p * t - 1.6668057665e-1f;
    p = p * t + 2.0000714765e-1f;
    p = p * t - 2.4999993993e-1f;
    p = p * t + 3.3333331174e-1f;
    return exponent * 0.693147181f + (t + t * t * (p * t - 0.5f));
}

template <int D>
[[gnu::always_inline]] inline float distance2(const Spokes& s, Offset e, float* delta) {
    const float* to = s.y + Offset{s.targets[e]} * D;
    float r2 = 0;
    for (int d = 0; d < D; ++d) {
        delta[d] = s.from[d] - to[d];
        r2 += delta[d] * delta[d];
    }
    return r2;
}

template <int D>
[[gnu::always_inline]] inline void pull(const Spokes& s, double* sum) {
    for (Offset begin = 0; begin < s.size; begin += float_terms) {
        const Offset end = std::min(s.size, begin + float_terms);
        float x = 0, y = 0, z = 0;
        for (Offset e = begin; e < end; ++e) {
            float delta[3] = {};
            const float weight = StudentT::pull(s.weights[e], distance2<D>(s, e, delta));
            x += weight * delta[0];
            y += weight * delta[1];
            z += weight * delta[2];
        }
        const float part[3] = {x, y, z};
        for (int d = 0; d < D; ++d) sum[d] += static_cast<double>(part[d]);
    }
}

template <int D>
[[gnu::always_inline]] inline double cost(const Spokes& s) {
    double sum = 0;
    for (Offset begin = 0; begin < s.size; begin += float_terms) {
        const Offset end = std::min(s.size, begin + float_terms);
        float part = 0;
        for (Offset e = begin; e < end; ++e) {
            float delta[3];
            const float p = s.weights[e];
            const float surprise = StudentT::surprise(p, distance2<D>(s, e, delta));
            part += p > 0 ? p * log_of(surprise) : 0.0f;
        }
        sum += static_cast<double>(part);
    }
    return sum;
}

}  // namespace

template <>
DUNLIN_CLONES void pull_spokes<2>(const Spokes& spokes, double* sum) {
    pull<2>(spokes, sum);
}
template <>
DUNLIN_CLONES void pull_spokes<3>(const Spokes& spokes, double* sum) {
    pull<3>(spokes, sum);
}
template <>
DUNLIN_CLONES double spokes_cost<2>(const Spokes& spokes) {
    return cost<2>(spokes);
}
template <>
DUNLIN_CLONES double spokes_cost<3>(const Spokes& spokes) {
    return cost<3>(spokes);
}

}  // namespace dunlin::forces

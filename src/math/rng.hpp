// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "math/hd.hpp"

/// Counter-based random numbers: a hash of (seed, item, draw), the same in every thread of every device, without state.
namespace dunlin::math {

/// 2^64 over the golden ratio: an odd factor that spreads the bits of a word (Fibonacci hashing, Knuth 6.4).
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;

/// Stafford's variant 13 of the MurmurHash3 finalizer, as in splitmix64 (Steele, Lea and Flood 2014).
DUNLIN_HD inline std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

DUNLIN_HD inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t item, std::uint64_t draw = 0) {
    return mix(mix(mix(seed + golden) ^ (item + golden)) ^ (draw * golden + 1));
}

/// Uniform in [0, 1), 53 bits.
DUNLIN_HD inline double random_uniform(std::uint64_t seed, std::uint64_t item, std::uint64_t draw = 0) {
    return static_cast<double>(random_bits(seed, item, draw) >> 11) * 0x1.0p-53;
}

/// Uniform in [0, bound); bound > 0. The bias is below bound / 2^53.
DUNLIN_HD inline std::uint64_t random_below(std::uint64_t bound, std::uint64_t seed, std::uint64_t item,
                                            std::uint64_t draw = 0) {
    return static_cast<std::uint64_t>(random_uniform(seed, item, draw) * static_cast<double>(bound));
}

/// Standard normal, by Box and Muller; uses draws 2 * draw and 2 * draw + 1.
DUNLIN_HD inline double random_normal(std::uint64_t seed, std::uint64_t item, std::uint64_t draw = 0) {
    const double u = 1.0 - random_uniform(seed, item, 2 * draw);
    const double v = random_uniform(seed, item, 2 * draw + 1);
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
}

}  // namespace dunlin::math

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include <dunlin/types.hpp>

#include "math/rng.hpp"

namespace dunlin::math {

/// A pseudorandom permutation of [0, n), keyed by a seed and a draw, evaluated element by element: a Feistel network
/// over pairs (l, r) of numbers below `high` and `low`, with high * low just above n and cycle walking for values >= n
/// (Black and Rogaway 2002). Not cryptographic.
struct Permutation {
    std::uint32_t n, high, low;
    std::uint32_t keys[4];

    DUNLIN_HD static Permutation of(Index n, std::uint64_t seed, std::uint64_t draw) {
        Permutation p{};
        p.n = static_cast<std::uint32_t>(n);
        p.high = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(n))));
        p.low = p.high == 0 ? 0 : (p.n + p.high - 1) / p.high;
        for (unsigned k = 0; k < 4; ++k) p.keys[k] = static_cast<std::uint32_t>(random_bits(seed, draw, k));
        return p;
    }

    /// Image of i in [0, n).
    [[nodiscard]] DUNLIN_HD Index operator()(Index i) const {
        auto at = static_cast<std::uint32_t>(i);
        do {
            std::uint32_t l = at / low, r = at % low;
            for (int k = 0; k < 4; k += 2) {
                l = turned(l, r ^ keys[k], high);
                r = turned(r, l ^ keys[k + 1], low);
            }
            at = l * low + r;
        } while (at >= n);
        return static_cast<Index>(at);
    }

private:
    /// value + hash(key) modulo bound.
    DUNLIN_HD static std::uint32_t turned(std::uint32_t value, std::uint32_t key, std::uint32_t bound) {
        key = (key ^ (key >> 16)) * 0x7feb352dU;
        key = (key ^ (key >> 15)) * 0x846ca68bU;
        const auto turn = static_cast<std::uint32_t>((std::uint64_t{key ^ (key >> 16)} * bound) >> 32);
        return value + turn < bound ? value + turn : value + turn - bound;
    }
};

}  // namespace dunlin::math

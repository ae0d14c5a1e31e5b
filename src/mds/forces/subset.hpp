// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "math/permutation.hpp"
#include "math/rng.hpp"

namespace dunlin::mds {

/// A subset of the items, without repetition, or all items.
struct Subset {
    const Index* items;  ///< in the executor's memory; null: 0, 1, ..
    Index count;

    DUNLIN_HD Index operator[](Index k) const { return items == nullptr ? k : items[k]; }
};

/// order[k] = element k of a permutation.
struct WriteShuffle {
    math::Permutation shuffle;
    Index* order;
    DUNLIN_HD void operator()(Offset k) const { order[k] = shuffle(static_cast<Index>(k)); }
};

/// Places item order[from + k] at the nearest of 32 random items of order[0, from), plus Gaussian noise of
/// `offset_share` times their dissimilarity (Chalmers 1996).
template <class Between>
struct PlaceNearNearest {
    Between between;
    const Index* order;
    Index from;
    float* y;
    int dim;
    std::uint64_t seed;
    double offset_share = 0;

    DUNLIN_HD void operator()(Offset k) const {
        constexpr std::uint64_t candidates = 32;
        const Index item = order[from + k];
        Index nearest = order[0];
        float best = INFINITY;
        for (std::uint64_t candidate = 0; candidate < candidates; ++candidate) {
            const auto place =
                math::random_below(static_cast<std::uint64_t>(from), seed, static_cast<std::uint64_t>(item), candidate);
            const Index other = order[place];
            const float delta = between(item, other);
            if (!(delta < best)) continue;
            best = delta;
            nearest = other;
        }
        const double away = offset_share > 0 && best < INFINITY ? offset_share * static_cast<double>(best) : 0.0;
        for (int c = 0; c < dim; ++c) {
            const Offset place = Offset{item} * dim + c;
            const double shift = away > 0 ? away * math::random_normal(seed, static_cast<std::uint64_t>(place)) : 0.0;
            y[place] = y[Offset{nearest} * dim + c] + static_cast<float>(shift);
        }
    }
};

}  // namespace dunlin::mds

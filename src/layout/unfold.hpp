#pragma once

#include <dunlin/types.hpp>

#include "device/hd.hpp"
#include "math/rng.hpp"

namespace dunlin::layout {

/// Places a fine vertex halfway between the coarse one it belongs to and those its neighbours belong to, shaken by up
/// to a quarter of a length, so that no two share a place.
template <int D>
struct Unfold {
    const float* coarse;
    const Index* parent;
    const Offset* offsets;
    const Index* targets;
    float* fine;
    std::uint64_t seed;

    DUNLIN_HD void operator()(Offset i) const {
        float sum[D] = {};
        const Offset begin = offsets[i], end = offsets[i + 1];
        for (Offset e = begin; e < end; ++e) {
            for (int c = 0; c < D; ++c) sum[c] += coarse[Offset{parent[targets[e]]} * D + c];
        }
        for (int c = 0; c < D; ++c) {
            const float own = coarse[Offset{parent[i]} * D + c];
            const float beside = end > begin ? sum[c] / static_cast<float>(end - begin) : own;
            const double lot = math::random_uniform(seed, static_cast<std::uint64_t>(i * D + c)) - 0.5;
            fine[i * D + c] = 0.5F * (own + beside) + 0.5F * static_cast<float>(lot);
        }
    }
};

}  // namespace dunlin::layout

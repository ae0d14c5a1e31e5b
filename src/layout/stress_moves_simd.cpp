#include "layout/stress_moves.hpp"

#include <algorithm>
#include <cmath>

#include "device/clones.hpp"
#include "math/unrolled.hpp"

namespace dunlin::layout {

namespace {

constexpr Index size = stress_block;

/// The share of the line between two vertices that each moves along it, towards the other (away: below 0).
inline float share_of_move(float r2, float distance, float eta) {
    const float mu = std::min(1.0F, eta / (distance * distance));
    return distance > 0 && r2 > 0 ? 0.5F * mu * (1 - distance / std::sqrt(r2)) : 0.0F;
}

template <int D, bool Pinned>
[[gnu::always_inline]] inline void meet(const StressBlock& one, const StressBlock& other, const float* distances,
                                        float eta) {
    using math::unrolled;
    float *const a = one.at, *const b = other.at;
    for (Index t = 0; t < size; ++t) {
        for (Index i = 0; i < size; ++i) {
            float way[D], r2 = 0;
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
                way[d] = b[d * size + static_cast<std::size_t>(i)] - a[d * size + static_cast<std::size_t>(i)];
                r2 += way[d] * way[d];
            });
            const float share = share_of_move(r2, distances[t * size + i], eta);
            float of_a = share, of_b = share;
            if constexpr (Pinned) {
                const float a_free = one.free[i], b_free = other.free[(i + t) % size];
                of_a *= a_free * (2 - b_free);
                of_b *= b_free * (2 - a_free);
            }
            unrolled<D>([&](std::size_t d) DUNLIN_INLINE {
                a[d * size + static_cast<std::size_t>(i)] += of_a * way[d];
                b[d * size + static_cast<std::size_t>(i)] -= of_b * way[d];
            });
        }
        unrolled<D>([&](std::size_t d)
                        DUNLIN_INLINE { std::rotate(b + d * size, b + d * size + 1, b + (d + 1) * size); });
    }
}

}  // namespace

DUNLIN_CLONES void meet_blocks(const StressBlock& a, const StressBlock& b, int dim, const float* distances, float eta) {
    if (a.free != nullptr) {
        dim == 2 ? meet<2, true>(a, b, distances, eta) : meet<3, true>(a, b, distances, eta);
    } else {
        dim == 2 ? meet<2, false>(a, b, distances, eta) : meet<3, false>(a, b, distances, eta);
    }
}

void meet_itself(const StressBlock& block, int dim, const float* distances, float eta) {
    float* const a = block.at;
    for (Index i = 0; i < size; ++i) {
        for (Index t = 1; t < size - i; ++t) {
            float r2 = 0;
            for (int d = 0; d < dim; ++d) {
                const float way = a[d * size + i + t] - a[d * size + i];
                r2 += way * way;
            }
            const float share = share_of_move(r2, distances[t * size + i], eta);
            const float i_free = block.free != nullptr ? block.free[i] : 1;
            const float t_free = block.free != nullptr ? block.free[i + t] : 1;
            for (int d = 0; d < dim; ++d) {
                const float move = share * (a[d * size + i + t] - a[d * size + i]);
                a[d * size + i] += i_free * (2 - t_free) * move;
                a[d * size + i + t] -= t_free * (2 - i_free) * move;
            }
        }
    }
}

}  // namespace dunlin::layout

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <dunlin/waves.hpp>

#include "device/lanes.hpp"
#include "math/hd.hpp"
#include "math/rng.hpp"

/// Formulas of reaction and diffusion at one node, the same bytes on a CPU and a GPU: every product and sum is rounded
/// as written, because compilers may not join `product` and `sum`, and every fused operation is written out.
namespace dunlin::waves {

/// a b + c, rounded once.
DUNLIN_INLINE DUNLIN_HD double fused(double a, double b, double c) {
#ifdef __CUDA_ARCH__
    return __fma_rn(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
}
DUNLIN_INLINE DUNLIN_HD double product(double a, double b) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}
DUNLIN_INLINE DUNLIN_HD double sum(double a, double b) {
#ifdef __CUDA_ARCH__
    return __dadd_rn(a, b);
#else
    return a + b;
#endif
}
DUNLIN_INLINE DUNLIN_HD double difference(double a, double b) { return sum(a, -b); }

/// Values of one node: v, the species that diffuses and is excited (gray-scott: the substrate), and w, the recovery
/// (gray-scott: the autocatalyst). Models of one species ignore w.
struct Node {
    double v = 0, w = 0;
};

/// Constants of the right-hand side. Diffusion is divided by the squared spacing of a grid.
struct Coefficients {
    double diffusion = 1, recovery_diffusion = 0;
    double threshold = 0.01, one_plus_threshold = 1.01, epsilon = 0.01, gamma = 2;
    double feed = 0, feed_plus_kill = 0;
};

/// The species whose activation is recorded and which stimuli hold is w.
constexpr bool watches_recovery(Model model) { return model == Model::gray_scott; }

/// What the right-hand side consists of, known when a loop is compiled.
template <Model of, bool recovery_diffuses, bool is_driven>
struct Law {
    static constexpr Model model = of;
    static constexpr bool recovers = has_recovery(of);              ///< there is a w
    static constexpr bool spreads = recovers && recovery_diffuses;  ///< w diffuses
    static constexpr bool driven = is_driven;                       ///< an input current is added to v's rate
};

/// v(1 - v)(v - a) + rest, with (1 - v)(v - a) = v((1 + a) - v) - a. Constants: have threshold and one_plus_threshold.
template <class Constants>
DUNLIN_INLINE DUNLIN_HD double cubic_plus(const Constants& c, double v, double rest) {
    return fused(v, fused(v, difference(c.one_plus_threshold, v), -c.threshold), rest);
}

/// Rates of v and w, given the Laplacians of both (that of w is read only if w diffuses) and the input current.
///   fitzhugh-nagumo  v' = D_v Lv + v(1 - v)(v - a) - w + I,  w' = D_w Lw + epsilon (v - gamma w)
///   nagumo           v' = D_v Lv + v(1 - v)(v - a) + I
///   diffusion        v' = D_v Lv + I
///   gray-scott       v' = D_v Lv - v w^2 + F(1 - v) + I,     w' = D_w Lw + v w^2 - (F + k) w
template <class Law>
DUNLIN_INLINE DUNLIN_HD Node rates(const Coefficients& c, const Node& u, const Node& laplacian, double current) {
    Node rate;
    if constexpr (Law::model == Model::fitzhugh_nagumo) {
        rate.v = cubic_plus(c, u.v, Law::driven ? difference(current, u.w) : -u.w);
        rate.w = product(c.epsilon, fused(-c.gamma, u.w, u.v));
    } else if constexpr (Law::model == Model::nagumo) {
        rate.v = cubic_plus(c, u.v, Law::driven ? current : 0.0);
    } else if constexpr (Law::model == Model::diffusion) {
        rate.v = Law::driven ? current : 0.0;
    } else {
        const double reacted = product(product(u.v, u.w), u.w);
        const double fed = fused(c.feed, difference(1.0, u.v), -reacted);
        rate.v = Law::driven ? sum(fed, current) : fed;
        rate.w = fused(-c.feed_plus_kill, u.w, reacted);
    }
    rate.v = fused(c.diffusion, laplacian.v, rate.v);
    if constexpr (Law::spreads) rate.w = fused(c.recovery_diffusion, laplacian.w, rate.w);
    return rate;
}

/// Sum of differences to the neighbors along one, two and three axes: exactly 0 for equal values, and the same bits for
/// mirrored values.
DUNLIN_INLINE DUNLIN_HD double laplacian_1d(double v, double left, double right) {
    return fused(-2.0, v, sum(left, right));
}
DUNLIN_INLINE DUNLIN_HD double laplacian_2d(double v, double left, double right, double below, double above) {
    return fused(-4.0, v, sum(sum(left, right), sum(below, above)));
}
DUNLIN_INLINE DUNLIN_HD double laplacian_3d(double plane, double v, double front, double back) {
    return sum(plane, laplacian_1d(v, front, back));
}

/// Entries of a graph's row are added in blocks of this many, and the blocks' sums in their order.
constexpr int row_block = 32;

/// One entry of a row: the sum so far plus weight (neighbor - v).
DUNLIN_INLINE DUNLIN_HD double plus_edge(double so_far, float weight, double v, double neighbor) {
    return fused(static_cast<double>(weight), difference(neighbor, v), so_far);
}

/// A node after a step dt of Euler's method. Heun's method is two of them, of which `heun` takes the mean.
DUNLIN_INLINE DUNLIN_HD double euler(double dt, double rate, double v) { return fused(dt, rate, v); }
DUNLIN_INLINE DUNLIN_HD double heun(double v, double twice) { return fused(0.5, difference(twice, v), v); }

/// Standard deviation 1 and mean 0 from 64 fair coins, in whole numbers, hence the same on every device: moments of an
/// increment up to the third equal those of a Gaussian, which is what the weak order of Euler-Maruyama needs (Kloeden
/// and Platen 1992, 14.1).
DUNLIN_INLINE DUNLIN_HD double coins(std::uint64_t seed, std::uint64_t node, std::uint64_t step) {
    const std::uint64_t bits = math::random_bits(seed, node, step);
#ifdef __CUDA_ARCH__
    const int heads = __popcll(bits);
#else
    const int heads = __builtin_popcountll(bits);
#endif
    return 0.25 * static_cast<double>(heads - 32);
}

/// Numbers of nodes that stand at places 0, 1, ...: those of a whole domain, or of a part that begins at `first` and
/// may go on beyond the last of `count` nodes.
struct NodeNumbers {
    Offset first = 0, count = std::numeric_limits<Offset>::max();
    [[nodiscard]] DUNLIN_INLINE DUNLIN_HD Offset at(Offset place) const {
        Offset node = first + place;
        while (node >= count) node -= count;
        return node;
    }
};

/// Time of a step's end.
DUNLIN_INLINE DUNLIN_HD double time_of(double dt, Offset step) { return product(dt, static_cast<double>(step)); }

/// Activation: the time at which the value first rises from below `level` to it, linear between two steps; infinity:
/// never.
constexpr double never = std::numeric_limits<double>::infinity();
DUNLIN_INLINE DUNLIN_HD bool crosses(double before, double after, double level) {
    return before < level && after >= level;
}
DUNLIN_INLINE DUNLIN_HD double crossing(double begin, double dt, double before, double after, double level) {
    return fused(dt, difference(level, before) / difference(after, before), begin);
}

/// Negative if a node crosses the level, seldom if none does, by the signs of `before - level` and `after - level`:
/// comparisons joined by `and` are not vectorized.
DUNLIN_INLINE std::int64_t crossing_sign(double before, double after, double level) {
    return std::bit_cast<std::int64_t>(before - level) & ~std::bit_cast<std::int64_t>(after - level);
}

/// Whether a stimulus holds its vertex at time t: from <= t < to, again after each period `every` (0: once).
DUNLIN_INLINE DUNLIN_HD bool is_held(double from, double to, double every, double t) {
    if (t < from) return false;
    const double since = difference(t, from);
    const double phase = every > 0 ? fused(-every, std::floor(since / every), since) : since;
    return phase < difference(to, from);
}

/// Neighbors along an axis of n nodes: the first and the last node are mirrors (no flux: the ghost node beyond an end
/// equals the node before it), or neighbors of each other (periodic).
DUNLIN_INLINE DUNLIN_HD Index node_before(Index i, Index n, bool periodic) {
    return i > 0 ? i - 1 : periodic ? n - 1 : n > 1 ? 1 : 0;
}
DUNLIN_INLINE DUNLIN_HD Index node_after(Index i, Index n, bool periodic) {
    return i < n - 1 ? i + 1 : periodic ? 0 : n > 1 ? n - 2 : 0;
}

}  // namespace dunlin::waves

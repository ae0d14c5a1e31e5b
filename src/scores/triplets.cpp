// SPDX-License-Identifier: Apache-2.0
#include "scores/triplets.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "math/at.hpp"
#include "math/rng.hpp"
#include "scores/map_distance.hpp"
#include "scores/sample.hpp"

namespace dunlin::scores {

namespace {

constexpr Index max_anchors = 20000;
constexpr Offset anchors_of_block = 512;

/// A random point of [0, n) other than those given, ascending.
template <std::size_t K>
Index draw_apart(Index n, std::array<Index, K> apart, std::uint64_t seed, Index anchor, std::uint64_t draw) {
    std::sort(apart.begin(), apart.end());
    auto drawn = static_cast<Index>(
        math::random_below(static_cast<std::uint64_t>(n) - K, seed, static_cast<std::uint64_t>(anchor), draw));
    for (const Index other : apart) drawn += drawn >= other ? 1 : 0;
    return drawn;
}

}  // namespace

Triplets::Triplets(ScoreEngine& engine, Index n, std::uint64_t seed)
    : engine_(engine), n_(n), anchors_(rows_to_evaluate(n, max_anchors, max_anchors, seed)) {
    others_.resize(anchors_.size() * 2 * each);
    engine.cpu().each(
        std::ssize(anchors_),
        [&](Offset a) {
            const Index i = anchors_[at(a)];
            Index* other = others_.data() + a * 2 * each;
            for (std::uint64_t draw = 0; draw < 2 * each; draw += 2) {
                *other++ = draw_apart(n_, std::array{i}, seed, i, draw);
                *other = draw_apart(n_, std::array{i, other[-1]}, seed, i, draw + 1);
                ++other;
            }
        },
        anchors_of_block);
    const std::vector<float> apart = engine.to_others(anchors_, others_);
    first_is_nearer_.reserve(apart.size() / 2);
    for (std::size_t t = 0; t < apart.size(); t += 2) first_is_nearer_.push_back(apart[t] < apart[t + 1] ? 1 : 0);
}

Score Triplets::of(const Map& map) const {
    std::vector<double> shares(anchors_.size());
    engine_.cpu().each(
        std::ssize(anchors_),
        [&](Offset a) {
            const Index* other = others_.data() + a * 2 * each;
            for (Index t = 0; t < each; ++t, other += 2) {
                const bool nearer =
                    squared_distance(map, anchors_[at(a)], other[0]) < squared_distance(map, anchors_[at(a)], other[1]);
                shares[at(a)] += nearer == (first_is_nearer_[at(a * each + t)] != 0) ? 1.0 / each : 0;
            }
        },
        anchors_of_block);
    double within = 0;  // sum of the anchors' variances
    for (const double alike : shares) within += alike * (1 - alike) * each / (each - 1);
    // Sampling in two stages, of anchors and of pairs (Cochran 1977, eq. 10.3)
    const auto m = static_cast<double>(shares.size());
    const Score between = mean_over(shares, n_);
    return {between.value, std::sqrt(between.se * between.se + within / (m * each * n_))};
}

}  // namespace dunlin::scores

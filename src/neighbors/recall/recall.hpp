// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "math/rng.hpp"

namespace dunlin::neighbors {

/// A recall estimate: the mean of the rows' shares of true neighbors found, and its standard error.
struct Recall {
    double mean = 1, se = 0;
};

inline Recall recall_of(std::span<const double> shares) {
    double sum = 0, squares = 0;
    for (const double share : shares) {
        sum += share;
        squares += share * share;
    }
    const auto count = static_cast<double>(shares.size());
    Recall recall{sum / count, 0};
    if (count > 1) recall.se = std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1) / count);
    return recall;
}

/// Share of a row's list that is as near as its true k-th neighbor: by distance, so that ties count.
template <class Real>
double share_found(std::span<const Real> found, std::span<const Real> truth) {
    const Real limit = truth.back() * (1 + Real(1e-6));
    const auto near = std::count_if(found.begin(), found.end(), [&](Real distance) { return distance <= limit; });
    return static_cast<double>(near) / static_cast<double>(truth.size());
}

/// A stratified sample: one item from each of at most `most` equal parts, ascending.
inline std::vector<Index> draw_from_parts(Index items, Index most, std::uint64_t seed) {
    std::vector<Index> drawn;
    const Index count = std::min(items, most);
    for (Offset s = 0; s < count; ++s) {
        const Offset from = s * items / count, to = (s + 1) * items / count;
        const auto draw =
            math::random_below(static_cast<std::uint64_t>(to - from), seed, static_cast<std::uint64_t>(s));
        drawn.push_back(static_cast<Index>(from + static_cast<Offset>(draw)));
    }
    return drawn;
}

/// The least number of cells, `from` or more, nearest first, in which the mean share of neighbors found, minus `spared`
/// standard errors, is at least `wanted`; `cells` if there is none. ranks: for each row the ranks, ascending, of the
/// cells that contain the found ones of its `degree` neighbors.
template <class Ranks>
Index least_cells(const std::vector<Ranks>& ranks, Index degree, Index cells, double wanted, double spared = 3,
                  Index from = 1) {
    std::vector<double> shares(ranks.size());
    Index least = from;
    for (; least < cells; ++least) {
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            const auto within = std::lower_bound(ranks[i].begin(), ranks[i].end(), least) - ranks[i].begin();
            shares[i] = static_cast<double>(within) / degree;
        }
        const Recall recall = recall_of(shares);
        if (recall.mean - spared * recall.se >= wanted) break;
    }
    return least;
}

}  // namespace dunlin::neighbors

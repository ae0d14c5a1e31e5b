// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "math/permutation.hpp"

namespace dunlin::mds {

/// A random permutation of [0, n) by the seed. `draw` gives independent permutations for the same seed.
inline std::vector<Index> random_order(Index n, std::uint64_t seed, std::uint64_t draw = ~std::uint64_t{0}) {
    const auto shuffle = math::Permutation::of(n, seed, draw);
    std::vector<Index> order(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = shuffle(i);
    return order;
}

}  // namespace dunlin::mds

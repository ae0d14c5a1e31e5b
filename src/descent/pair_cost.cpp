// SPDX-License-Identifier: Apache-2.0
#include "descent/pair_cost.hpp"

#include <algorithm>

#include "scores/sample.hpp"

namespace dunlin::descent {

namespace {

constexpr Index most_exact = 4000;  ///< points whose pairs are all summed

}  // namespace

std::vector<Index> rows_of_repulsion(Index n, std::uint64_t seed) {
    constexpr Offset pairs = Offset{most_exact} * most_exact;
    return scores::rows_to_evaluate(n, most_exact, std::max<Index>(1000, static_cast<Index>(pairs / std::max(n, 1))),
                                    seed);
}

scores::Score cost_of(double edges, std::span<const double> of_row, Index n) {
    scores::Score mean = scores::mean_over(of_row, n);
    mean.value += edges / n;
    return mean;
}

}  // namespace dunlin::descent

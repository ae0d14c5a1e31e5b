// SPDX-License-Identifier: Apache-2.0
#include "scores/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include <dunlin/error.hpp>

#include "math/rng.hpp"

namespace dunlin::scores {

std::vector<Index> sample_rows(Index n, Index count, std::uint64_t seed) {
    // Floyd's algorithm
    std::unordered_set<Index> drawn;
    for (Index last = n - count; last < n; ++last) {
        const auto row = static_cast<Index>(
            math::random_below(static_cast<std::uint64_t>(last) + 1, seed, static_cast<std::uint64_t>(last)));
        if (!drawn.insert(row).second) drawn.insert(last);
    }
    std::vector<Index> rows(drawn.begin(), drawn.end());
    std::sort(rows.begin(), rows.end());
    return rows;
}

std::vector<Index> rows_to_evaluate(Index n, Index exact, Index sample, std::uint64_t seed) {
    if (n > exact && sample < 2) {
        throw Error(Fault::bad_input,
                    fmt::format("sample is {}; scores of more than {} rows are found on a sample of at least 2", sample,
                                std::max(exact, 0)));
    }
    if (n > exact && n > sample) return sample_rows(n, sample, seed);
    std::vector<Index> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
}

Score mean_over(std::span<const double> values, Index n) {
    const auto m = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / m;
    if (values.size() == static_cast<std::size_t>(n)) return {mean, 0};
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return {mean, std::sqrt(squares / (m - 1) / m * (1 - m / n))};
}

}  // namespace dunlin::scores

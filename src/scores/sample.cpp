// SPDX-License-Identifier: Apache-2.0
#include "scores/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_set>

#include <dunlin/error.hpp>

#include "math/rng.hpp"

namespace dunlin::scores {

namespace {

/// Floyd's algorithm. insert(row): false if the row is there already.
template <class Insert>
void draw_rows(Index n, Index count, std::uint64_t seed, const Insert& insert) {
    for (Index last = n - count; last < n; ++last) {
        const auto row = static_cast<Index>(
            math::random_below(static_cast<std::uint64_t>(last) + 1, seed, static_cast<std::uint64_t>(last)));
        if (!insert(row)) insert(last);
    }
}

}  // namespace

std::vector<Index> sample_rows(Index n, Index count, std::uint64_t seed) {
    std::vector<Index> rows;
    rows.reserve(static_cast<std::size_t>(count));
    if (n / 64 > 8 * Offset{count}) {
        std::unordered_set<Index> drawn;
        draw_rows(n, count, seed, [&](Index row) { return drawn.insert(row).second; });
        rows.assign(drawn.begin(), drawn.end());
        std::sort(rows.begin(), rows.end());
        return rows;
    }
    // A bit for each row is a set without allocations, and in order
    std::vector<std::uint64_t> drawn(static_cast<std::size_t>(n) / 64 + 1, 0);
    draw_rows(n, count, seed, [&](Index row) {
        std::uint64_t& word = drawn[static_cast<std::size_t>(row) / 64];
        const std::uint64_t bit = std::uint64_t{1} << (row % 64);
        const bool is_new = (word & bit) == 0;
        word |= bit;
        return is_new;
    });
    for (std::size_t w = 0; w < drawn.size(); ++w) {
        for (std::uint64_t left = drawn[w]; left != 0; left &= left - 1)
            rows.push_back(static_cast<Index>(64 * w) + std::countr_zero(left));
    }
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <dunlin/types.hpp>

namespace dunlin::distance {

/// Number of bits that are set in both rows of `words` words.
Offset common_bits(const std::uint64_t* x, const std::uint64_t* y, Index words);

/// Rows side by side: word w of row l of a panel is panel[w * bit_lanes + l].
constexpr Index bit_lanes = 8;

/// counts[q * bit_lanes + l] = the bits that query q and row l of the panel have in common, for bit_lanes queries.
void common_bits(const std::uint64_t* panel, const std::uint64_t* const* queries, Index words, std::uint64_t* counts);

/// out[i] = common_bits(x, rows + others[i] * words, words)
void common_bits(const std::uint64_t* x, const std::uint64_t* rows, Index words, std::span<const Index> others,
                 double* out);

}  // namespace dunlin::distance

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <dunlin/types.hpp>

namespace dunlin::distance {

/// Number of bits that are set in both rows of `words` words.
Offset common_bits(const std::uint64_t* x, const std::uint64_t* y, Index words);

/// out[i] = common_bits(x, rows + others[i] * words, words)
void common_bits(const std::uint64_t* x, const std::uint64_t* rows, Index words, std::span<const Index> others,
                 double* out);

}  // namespace dunlin::distance

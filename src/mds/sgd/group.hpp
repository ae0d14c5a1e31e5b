// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "stress/terms.hpp"

/// 32 items that move among themselves: four blocks of eight, which meet two by two. In a round all items move at
/// once, two by two, so that nobody is moved by two others and no sum depends on an order. A warp of a GPU and the
/// vector registers of a CPU do the same rounds.
namespace dunlin::mds {

constexpr int group_size = 32, group_block = 8, group_matchings = 3;
constexpr int group_rounds = group_matchings * group_block;
constexpr int group_pairs = group_rounds * group_size / 2;  ///< 384 of 496: items of one block do not meet

/// Whom the item in `slot` meets in `round`; whom it meets, meets it.
DUNLIN_HD constexpr int partner(int slot, int round) {
    const int block = slot / group_block, turn = round % group_block;
    const int other = block ^ (round / group_block + 1);
    return other * group_block + ((block < other ? slot + turn : slot - turn) & (group_block - 1));
}

/// Where the pair of `slot` (in the lower block of the two) in `round` stands among the group's pairs.
DUNLIN_HD constexpr int place_of_pair(int slot, int round) {
    const int block = slot / group_block, matching = round / group_block;
    const int second = matching == 0 ? block / 2 : block;  // lower blocks: 0 and 2, then 0 and 1
    return round * 2 * group_block + second * group_block + slot % group_block;
}

/// sums[place_of_pair] = sum over cols features of (x_i - x_j)^2, or |x_i - x_j|; x: cols x 32.
void meet_group(const float* x, Index cols, bool manhattan, float* sums);

/// All rounds: y: dim x 32, delta: group_pairs dissimilarities; NaN: the pair does not move. weight: of each pair,
/// whose mu it multiplies, up to 1 (Zheng, Pawar and Goodman 2018, section 2.1); null: 1.
void relax_group(float* y, int dim, const float* delta, const float* weight, float mu);

}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "math/hd.hpp"
#include "stress/terms.hpp"

/// SGD steps within a group of 32 items: four blocks of eight, paired by a round-robin schedule. In a round the items
/// form 16 disjoint pairs, which move concurrently, so no result depends on an order. A warp of a GPU and the vector
/// registers of a CPU run the same rounds.
namespace dunlin::mds {

constexpr int group_size = 32, group_block = 8, group_matchings = 3;
constexpr int group_rounds = group_matchings * group_block;
constexpr int group_pairs = group_rounds * group_size / 2;  ///< 384 of 496: items of one block are not paired

/// Partner of `slot` in `round`; the relation is symmetric.
DUNLIN_HD constexpr int partner(int slot, int round) {
    const int block = slot / group_block, shift = round % group_block;
    const int other = block ^ (round / group_block + 1);
    return other * group_block + ((block < other ? slot + shift : slot - shift) & (group_block - 1));
}

/// Index among the group's pairs of that of `slot`, in the lower of the two blocks, in `round`.
DUNLIN_HD constexpr int pair_index(int slot, int round) {
    const int block = slot / group_block, matching = round / group_block;
    const int second = matching == 0 ? block / 2 : block;  // lower blocks: 0 and 2, then 0 and 1
    return round * 2 * group_block + second * group_block + slot % group_block;
}

/// sums[pair_index] = sum over cols features of (x_i - x_j)^2, or |x_i - x_j|; x: cols x 32.
void group_sums(const float* x, Index cols, bool manhattan, float* sums);

/// All rounds. y: dim x 32; delta: group_pairs dissimilarities, NaN: the pair does not move. weight: of each pair; its
/// learning rate is min(1, mu weight) (Zheng, Pawar and Goodman 2018, section 2.1); null: 1.
void step_group(float* y, int dim, const float* delta, const float* weight, float mu);

}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device/cpu.hpp"
#include "math/ordered_sum.hpp"

namespace dunlin::numerics {

/// Sums of term(i) over blocks of math::sum_block rows of [0, n).
template <class T, class Term>
std::vector<T> block_sums(device::Cpu& cpu, Offset n, const Term& term) {
    std::vector<T> sums(static_cast<std::size_t>((n + math::sum_block - 1) / math::sum_block));
    cpu.blocks(n, math::sum_block, [&](Offset begin, Offset end, int) {
        sums[static_cast<std::size_t>(begin / math::sum_block)] = math::tree_sum<T>(begin, end, term);
    });
    return sums;
}

/// Tree sum of term(i) over [0, n) (math/ordered_sum.hpp); independent of any partition of the rows.
template <class T, class Term>
T ordered_sum(device::Cpu& cpu, Offset n, const Term& term) {
    const std::vector<T> blocks = block_sums<T>(cpu, n, term);
    return math::tree_sum<T>(0, static_cast<Offset>(blocks.size()),
                             [&](Offset b) { return blocks[static_cast<std::size_t>(b)]; });
}

}  // namespace dunlin::numerics

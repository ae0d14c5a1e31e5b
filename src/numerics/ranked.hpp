// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "device/cpu.hpp"
#include "math/float_order.hpp"

namespace dunlin::numerics {

/// The number of a float in the order of all floats.
inline std::uint32_t order_of(float value) { return math::order_of_bits(std::bit_cast<std::uint32_t>(value)); }

/// Order statistics: the values of these ranks (0: the smallest) among value(i), i in [0, n), of which none is NaN.
/// One pass counts the high bits of all values, a second collects the values that share them with one of the ranks.
template <class Value>
std::vector<float> ranked(device::Cpu& cpu, Offset n, const Value& value, std::span<const Offset> ranks) {
    constexpr int low_bits = 20;
    constexpr std::size_t bins = std::size_t{1} << (32 - low_bits);
    constexpr Offset grain = 65536;
    const auto index = [](Offset i) { return static_cast<std::size_t>(i); };
    const auto bin = [&value](Offset i) { return static_cast<std::size_t>(order_of(value(i)) >> low_bits); };

    std::vector<std::array<Offset, bins>> counts(index(cpu.threads()));
    cpu.blocks(n, grain, [&](Offset begin, Offset end, int worker) {
        auto& count = counts[index(worker)];
        for (Offset i = begin; i < end; ++i) ++count[bin(i)];
    });
    std::vector<Offset> first(bins + 1);  // rank of the first value of a bin
    for (std::size_t b = 0; b < bins; ++b) {
        first[b + 1] = first[b];
        for (const auto& count : counts) first[b + 1] += count[b];
    }

    std::vector<int> list_of(bins, -1);
    std::vector<std::size_t> bin_of_rank;
    int lists = 0;
    for (const Offset rank : ranks) {
        bin_of_rank.push_back(index(std::upper_bound(first.begin(), first.end(), rank) - first.begin() - 1));
        int& list = list_of[bin_of_rank.back()];
        if (list < 0) list = lists++;
    }
    using Lists = std::vector<std::vector<float>>;
    std::vector<Lists> found(index((n + grain - 1) / grain), Lists(index(lists)));
    cpu.blocks(n, grain, [&](Offset begin, Offset end, int) {
        Lists& mine = found[index(begin / grain)];
        for (Offset i = begin; i < end; ++i) {
            const int list = list_of[bin(i)];
            if (list >= 0) mine[index(list)].push_back(value(i));
        }
    });
    Lists all(index(lists));
    for (const Lists& some : found) {
        for (std::size_t l = 0; l < all.size(); ++l) all[l].insert(all[l].end(), some[l].begin(), some[l].end());
    }
    std::vector<float> values;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        auto& list = all[index(list_of[bin_of_rank[r]])];
        const auto place = list.begin() + (ranks[r] - first[bin_of_rank[r]]);
        std::nth_element(list.begin(), place, list.end());
        values.push_back(*place);
    }
    return values;
}

}  // namespace dunlin::numerics

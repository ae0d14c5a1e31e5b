// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "numerics/sort.hpp"

namespace dunlin::scores {

/// Serial stable radix sort of items by a value >= 0: one thread's, where numerics::RadixSort has all threads for one
/// list. Doubles are sorted by their float32 rounding, and equal roundings then by the double.
class RankSort {
public:
    /// The items [0, count) without `skip` (-1: all), by value(item), ties by item. Valid until the next call.
    template <class Value>
    std::span<const numerics::Keyed> sort(Index count, Index skip, const Value& value) {
        items_.clear();
        items_.reserve(static_cast<std::size_t>(count));
        std::uint32_t least = ~std::uint32_t{0}, most = 0;
        for (Index i = 0; i < count; ++i) {
            if (i == skip) continue;
            const auto key = std::bit_cast<std::uint32_t>(static_cast<float>(value(i)));
            least = std::min(least, key);
            most = std::max(most, key);
            items_.push_back({key, i});
        }
        if (items_.empty()) return items_;
        sort_keys(least, most);
        if constexpr (std::is_same_v<decltype(value(0)), double>) order_equal_keys(value);
        return items_;
    }

private:
    static constexpr int passes = 3;
    static constexpr int max_digits = 1 << 11;

    /// Three digits, as narrow as the range of the keys allows.
    void sort_keys(std::uint32_t least, std::uint32_t most) {
        const int bits = (std::bit_width(most - least) + passes - 1) / passes;
        const std::uint32_t mask = (1U << bits) - 1;
        for (auto& first : first_) std::fill_n(first.begin(), mask + 1, Index{0});
        for (const numerics::Keyed& item : items_) {
            std::uint32_t key = item.key - least;
            for (auto& first : first_) {
                ++first[key & mask];
                key >>= bits;
            }
        }
        spare_.resize(items_.size());
        int shift = 0;
        for (auto& first : first_) {
            Index place = 0;
            for (std::uint32_t d = 0; d <= mask; ++d) place += std::exchange(first[d], place);
            for (const numerics::Keyed& item : items_)
                spare_[static_cast<std::size_t>(first[((item.key - least) >> shift) & mask]++)] = item;
            items_.swap(spare_);
            shift += bits;
        }
    }

    template <class Value>
    void order_equal_keys(const Value& value) {
        for (auto begin = items_.begin(); begin != items_.end();) {
            auto end = begin + 1;
            while (end != items_.end() && end->key == begin->key) ++end;
            if (end - begin > 1) {
                std::stable_sort(begin, end, [&](const numerics::Keyed& a, const numerics::Keyed& b) {
                    return value(a.item) < value(b.item);
                });
            }
            begin = end;
        }
    }

    std::vector<numerics::Keyed> items_, spare_;
    std::array<std::array<Index, max_digits>, passes> first_{};
};

}  // namespace dunlin::scores

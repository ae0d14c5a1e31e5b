// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "device/cpu.hpp"

namespace dunlin::numerics {

/// A sort key and its item.
struct Keyed {
    std::uint32_t key;
    Index item;
};

/// Stable LSD radix sort by key; the result does not depend on the number of threads. Every block counts its digits,
/// and a scan over (digit, block) gives the first position of each block's items of a digit.
class RadixSort {
public:
    /// bits: keys are below 2^bits.
    void sort(device::Cpu& cpu, std::vector<Keyed>& items, int bits) {
        spare_.resize(items.size());
        for (int shift = 0; shift < bits; shift += digit_bits) {
            if (place(cpu, items, shift)) items.swap(spare_);
        }
    }

private:
    static constexpr int digit_bits = 11, digits = 1 << digit_bits;
    static constexpr Offset block = 32768;

    static std::size_t digit(std::uint32_t key, int shift) { return (key >> shift) & (digits - 1); }

    /// Copies items to spare_ in the order of one digit. Returns false, without a copy, if all digits are equal.
    bool place(device::Cpu& cpu, const std::vector<Keyed>& items, int shift) {
        const auto n = static_cast<Offset>(items.size());
        counts_.assign(static_cast<std::size_t>((n + block - 1) / block), {});
        cpu.blocks(n, block, [&](Offset begin, Offset end, int) {
            auto& count = counts_[static_cast<std::size_t>(begin / block)];
            for (Offset i = begin; i < end; ++i) ++count[digit(items[static_cast<std::size_t>(i)].key, shift)];
        });
        if (!scan(n)) return false;
        cpu.blocks(n, block, [&](Offset begin, Offset end, int) {
            auto& next = counts_[static_cast<std::size_t>(begin / block)];
            for (Offset i = begin; i < end; ++i) {
                const Keyed& item = items[static_cast<std::size_t>(i)];
                spare_[static_cast<std::size_t>(next[digit(item.key, shift)]++)] = item;
            }
        });
        return true;
    }

    /// Turns counts into first positions. Returns false if one digit has all n items.
    bool scan(Offset n) {
        Index place = 0;
        for (std::size_t d = 0; d < digits; ++d) {
            const Index before = place;
            for (auto& count : counts_) {
                const Index here = count[d];
                count[d] = place;
                place += here;
            }
            if (place - before == n) return false;
        }
        return true;
    }

    std::vector<Keyed> spare_;
    std::vector<std::array<Index, digits>> counts_;
};

}  // namespace dunlin::numerics

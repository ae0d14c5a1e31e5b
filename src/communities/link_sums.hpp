// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "communities/level.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::communities {

/// Sums of weights by community for one vertex at a time: an open table of twice its edges, which is in the first cache
/// for most vertices. (A dense array over all communities, 8 bytes each, took a quarter of the time in cache misses.)
/// One for each worker, for all levels.
class LinkSums {
public:
    struct Sum {
        Index community = none;
        Weight weight = 0;
    };

    /// Begins with no sums; `most`: that many communities at most.
    void begin(Offset most) {
        clear();
        const auto size = std::bit_ceil(std::max<std::uint64_t>(16, 2 * static_cast<std::uint64_t>(most)));
        shift_ = 64 - static_cast<int>(std::bit_width(size - 1));
        mask_ = size - 1;
        if (table_.size() < size) table_.resize(size);
        if (used_.size() < size / 2) used_.resize(size / 2);
    }

    /// Returns true if it is the first weight of this community; weight > 0.
    bool add(Index community, Weight weight) {
        std::uint64_t slot = home_of(community);
        while (table_[slot].community != community) {
            if (table_[slot].community == none) {
                table_[slot] = {community, weight};
                used_[count_++] = static_cast<std::uint32_t>(slot);
                return true;
            }
            slot = (slot + 1) & mask_;
        }
        table_[slot].weight += weight;
        return false;
    }

    [[nodiscard]] Weight of(Index community) const {
        std::uint64_t slot = home_of(community);
        while (table_[slot].community != community) {
            if (table_[slot].community == none) return 0;
            slot = (slot + 1) & mask_;
        }
        return table_[slot].weight;
    }

    /// Number of sums, and the i-th of them in the order in which communities were first added.
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] const Sum& operator[](std::size_t i) const { return table_[used_[i]]; }

private:
    static constexpr Index none = -1;

    [[nodiscard]] std::uint64_t home_of(Index community) const {
        return static_cast<std::uint64_t>(community) * math::golden >> shift_;
    }
    void clear() {
        for (std::size_t i = 0; i < count_; ++i) table_[used_[i]] = {};
        count_ = 0;
    }

    std::vector<Sum> table_;
    std::vector<std::uint32_t> used_;
    std::size_t count_ = 0;
    std::uint64_t mask_ = 0;
    int shift_ = 60;
};

/// Calls act(value of the target, weight) for the edges of a vertex. Values are read ahead, as a branch that was not
/// foreseen would end reading.
template <class ValueOf, class Act>
void each_link(const WeightedLevel& level, Index v, const ValueOf& value_of, const Act& act) {
    constexpr Offset ahead = 64;
    std::array<decltype(value_of(Index{})), at(ahead)> read;
    const Offset last = level.offsets[at(v) + 1];
    for (Offset first = level.offsets[at(v)]; first < last; first += ahead) {
        const Offset count = std::min(ahead, last - first);
        for (Offset i = 0; i < count; ++i) read[at(i)] = value_of(level.targets[at(first + i)]);
        for (Offset i = 0; i < count; ++i) act(read[at(i)], level.weights[at(first + i)]);
    }
}

}  // namespace dunlin::communities

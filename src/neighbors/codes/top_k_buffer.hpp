// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// A number that k of the values are not above; more than k only where values are equal. 1 <= k <= values.
std::uint32_t limit_of_least(std::span<const std::uint32_t> values, std::size_t k);

/// How many values are below the limit.
std::size_t count_below(std::span<const std::uint32_t> values, std::uint32_t limit);

/// The k least of all that were offered, by keys in float32 that are not negative; of equal keys those that came first.
/// Such floats are in the order of their bits, in which the k-th is found by halving: no branch depends on the data.
class TopKBuffer {
public:
    void reset(Index k);  ///< k: at least 1

    void offer(float key, Index item) {
        if (size_ == keys_.size()) shrink();
        keys_[size_] = std::bit_cast<std::uint32_t>(key);
        items_[size_] = item;
        size_ += keys_[size_] < limit_ ? 1 : 0;
    }

    /// The same, one after another.
    void offer(std::span<const float> keys, std::span<const Index> items);

    /// Drops all but the k least.
    void shrink();

    /// The same, where that is worth the work.
    void tighten() {
        if (size_ >= (limit_ == none ? k_ : k_ + k_ / 2)) shrink();
    }

    /// Nothing with a greater key is among the k least.
    [[nodiscard]] float limit() const {
        return limit_ == none ? std::numeric_limits<float>::infinity() : std::bit_cast<float>(limit_);
    }

    [[nodiscard]] std::span<const Index> items() const { return std::span(items_).first(size_); }

    /// Bytes held by a list of k.
    [[nodiscard]] static std::size_t bytes(Index k) {
        return room_for(static_cast<std::size_t>(k)) * (sizeof(std::uint32_t) + sizeof(Index));
    }

private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t some = 64;  ///< for as many more than k there is room at least
    static constexpr std::size_t room_for(std::size_t k) { return k + k / 2 + some; }

    std::size_t k_ = 0, size_ = 0;
    std::vector<std::uint32_t> keys_;  ///< bits of floats
    std::vector<Index> items_;
    std::uint32_t limit_ = none;
};

}  // namespace dunlin::neighbors

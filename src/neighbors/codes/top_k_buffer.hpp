// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// A threshold that at least k values do not exceed, and more than k only if there are ties. 1 <= k <= number of
/// values.
std::uint32_t limit_of_least(std::span<const std::uint32_t> values, std::size_t k);

/// Number of values below the limit.
std::size_t count_below(std::span<const std::uint32_t> values, std::uint32_t limit);

/// The k least of all offered, by non-negative float32 keys; of equal keys the first. The bits of such floats are
/// ordered like the floats, and the k-th is found by bisection of the bits, without branches that depend on the data.
class TopKBuffer {
public:
    void reset(Index k);  ///< at least 1

    void offer(float key, Index item) {
        if (size_ == keys_.size()) shrink();
        keys_[size_] = std::bit_cast<std::uint32_t>(key);
        items_[size_] = item;
        size_ += keys_[size_] < limit_ ? 1 : 0;
    }

    /// Offers several, in this order.
    void offer(std::span<const float> keys, std::span<const Index> items);

    /// Removes all but the k least.
    void shrink();

    /// Shrinks, if enough have been offered since the last time.
    void tighten() {
        if (size_ >= (limit_ == none ? k_ : k_ + k_ / 2)) shrink();
    }

    /// Items with a greater key are not among the k least.
    [[nodiscard]] float limit() const {
        return limit_ == none ? std::numeric_limits<float>::infinity() : std::bit_cast<float>(limit_);
    }

    [[nodiscard]] std::span<const Index> items() const { return std::span(items_).first(size_); }

    /// Bytes of a buffer for k.
    [[nodiscard]] static std::size_t bytes(Index k) {
        return room_for(static_cast<std::size_t>(k)) * (sizeof(std::uint32_t) + sizeof(Index));
    }

private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::size_t some = 64;  ///< least room beyond k
    static constexpr std::size_t room_for(std::size_t k) { return k + k / 2 + some; }

    std::size_t k_ = 0, size_ = 0;
    std::vector<std::uint32_t> keys_;  ///< bits of floats
    std::vector<Index> items_;
    std::uint32_t limit_ = none;
};

}  // namespace dunlin::neighbors

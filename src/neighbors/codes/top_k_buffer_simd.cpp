// SPDX-License-Identifier: Apache-2.0
#include "neighbors/codes/top_k_buffer.hpp"

#include <algorithm>

#include "device/clones.hpp"

namespace dunlin::neighbors {

DUNLIN_CLONES
std::size_t count_below(std::span<const std::uint32_t> values, std::uint32_t limit) {
    std::uint32_t count = 0;
    for (const std::uint32_t value : values) count += value < limit ? 1 : 0;
    return count;
}

namespace {

struct KeyRange {
    std::uint32_t least, most;
};

DUNLIN_CLONES
KeyRange range_of(std::span<const std::uint32_t> values) {
    std::uint32_t least = values[0], most = values[0];
    for (const std::uint32_t value : values) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    return {least, most};
}

}  // namespace

std::uint32_t limit_of_least(std::span<const std::uint32_t> values, std::size_t k) {
    auto [low, high] = range_of(values);
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        const std::size_t count = count_below(values, middle + 1);
        if (count == k) return middle;
        if (count > k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void TopKBuffer::reset(Index k) {
    k_ = static_cast<std::size_t>(k);
    size_ = 0;
    limit_ = none;
    keys_.resize(room_for(k_));
    items_.resize(room_for(k_));
}

void TopKBuffer::offer(std::span<const float> keys, std::span<const Index> items) {
    for (std::size_t i = 0; i < keys.size();) {
        if (size_ + some > keys_.size()) shrink();
        const std::size_t end = std::min(i + some, keys.size());
        const std::uint32_t limit = limit_;
        std::size_t size = size_;
        for (; i < end; ++i) {
            const auto key = std::bit_cast<std::uint32_t>(keys[i]);
            keys_[size] = key;
            items_[size] = items[i];
            size += key < limit ? 1 : 0;
        }
        size_ = size;
    }
}

void TopKBuffer::shrink() {
    if (size_ < k_) return;
    const std::span<const std::uint32_t> keys(keys_.data(), size_);
    const std::uint32_t limit = limit_ = limit_of_least(keys, k_);
    std::size_t equal = k_ - count_below(keys, limit), kept = 0;  // how many keys equal to the limit still fit
    for (std::size_t i = 0; i < size_; ++i) {
        const std::uint32_t key = keys_[i];
        const std::size_t less = key < limit ? 1 : 0, fits = equal > 0 ? 1 : 0;
        const std::size_t at_limit = fits & (key == limit ? 1 : 0);
        keys_[kept] = key;
        items_[kept] = items_[i];
        kept += less + at_limit;
        equal -= at_limit;
    }
    size_ = kept;
}

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// Candidates for the k nearest whose keys are known up to a bounded rounding error.
class CandidateList {
public:
    static constexpr std::size_t bytes_of_item = 24;

    /// Empties the list, for the k nearest.
    void reset(Index k) {
        k_ = k;
        items_.clear();
        limit_ = std::numeric_limits<double>::infinity();
    }

    /// Adds an item whose key is within `error` of `key`.
    void offer(double key, double error, Index item) {
        if (key - error <= limit_) items_.push_back({key - error, key + error, item});
    }

    /// Removes the items that cannot be among the k nearest of those offered so far.
    void shorten() {
        if (std::ssize(items_) <= k_) return;
        const auto last = items_.begin() + (k_ - 1);
        std::nth_element(items_.begin(), last, items_.end());
        limit_ = last->most;
        std::erase_if(items_, [this](const BoundedKey& candidate) { return candidate.least > limit_; });
    }

    template <class Take>
    void each(const Take& take) const {
        for (const BoundedKey& candidate : items_) take(candidate.item);
    }

private:
    struct BoundedKey {
        double least, most;  ///< bounds of the key
        Index item;
        [[nodiscard]] bool operator<(const BoundedKey& other) const {
            return most != other.most ? most < other.most : item < other.item;
        }
    };

    static_assert(sizeof(BoundedKey) == bytes_of_item);

    Index k_ = 0;
    std::vector<BoundedKey> items_;
    double limit_ = std::numeric_limits<double>::infinity();
};

}  // namespace dunlin::neighbors

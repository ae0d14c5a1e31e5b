// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "math/at.hpp"

namespace dunlin::naming {

/// The best `most` entries of each group, which any thread may add. Before(a, b) is a total order, so that what is kept
/// does not depend on the order in which entries are added; of unequal Before::key(entry) the larger is first.
template <class Entry, class Before>
class Best {
public:
    Best(std::size_t groups, std::size_t most, Before before)
        : entries_(groups), last_key_(groups), most_(most), before_(std::move(before)) {
        for (std::atomic<double>& key : last_key_) key = -std::numeric_limits<double>::infinity();
    }

    static std::uint64_t bytes(std::uint64_t groups, std::uint64_t most) {
        return groups * (sizeof(std::vector<Entry>) + sizeof(double) + most * sizeof(Entry));
    }

    /// Whether an entry of this key may be among them.
    [[nodiscard]] bool may_keep(Index group, double key) const {
        return key >= last_key_[at(group)].load(std::memory_order_relaxed);
    }

    void add(Index group, const Entry& entry) {
        const std::scoped_lock lock(locks_[at(group) % locks_.size()]);
        std::vector<Entry>& kept = entries_[at(group)];
        if (kept.size() == most_) {
            if (!before_(entry, kept.front())) return;
            std::pop_heap(kept.begin(), kept.end(), before_);
            kept.back() = entry;
        } else {
            kept.push_back(entry);
        }
        std::push_heap(kept.begin(), kept.end(), before_);  // the last one of the order is at the front
        if (kept.size() == most_) last_key_[at(group)].store(before_.key(kept.front()), std::memory_order_relaxed);
    }

    /// The entries of a group, the first one of the order first. Call it once.
    std::vector<Entry> take(Index group) {
        std::vector<Entry> kept = std::move(entries_[at(group)]);
        std::sort(kept.begin(), kept.end(), before_);
        return kept;
    }

private:
    std::vector<std::vector<Entry>> entries_;
    std::vector<std::atomic<double>> last_key_;  ///< of groups with `most` entries
    std::array<std::mutex, 1024> locks_;
    std::size_t most_;
    Before before_;
};

}  // namespace dunlin::naming

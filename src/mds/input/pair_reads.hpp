// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>

#include <dunlin/types.hpp>

namespace dunlin::mds {

/// Number of entries read from a matrix that stays in its file. Threads add to counters of their own, so that they do
/// not wait for each other.
class PairReads {
public:
    void add(Offset pairs) { counters_[mine()].count.fetch_add(pairs, std::memory_order_relaxed); }

    [[nodiscard]] Offset total() const {
        Offset sum = 0;
        for (const Counter& counter : counters_) sum += counter.count.load(std::memory_order_relaxed);
        return sum;
    }

private:
    static constexpr std::size_t most = 64;
    struct alignas(64) Counter {
        std::atomic<Offset> count = 0;
    };

    static std::size_t mine() {
        static std::atomic<std::size_t> next = 0;
        thread_local const std::size_t number = next.fetch_add(1) % most;
        return number;
    }

    std::array<Counter, most> counters_;
};

}  // namespace dunlin::mds

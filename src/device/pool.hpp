// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <dunlin/types.hpp>

namespace dunlin::device {

/// A thread pool for loops. The calling thread is one of its workers, so a pool of size 1 has no other threads. The
/// others start in the first loop of several blocks that has taken the caller more than a minimum time and is not
/// finished; small inputs therefore start no threads.
class Pool {
public:
    explicit Pool(int threads) : size_(threads) {}
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    Pool(Pool&&) = delete;
    Pool& operator=(Pool&&) = delete;

    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool has_started() const { return !workers_.empty(); }

    /// Calls task(context, block, worker) for every block in [0, blocks), in any order, and waits for all.
    /// The first exception thrown by a block is thrown again here.
    using BlockTask = void (*)(void* context, Offset block, int worker);
    void run(Offset blocks, BlockTask task, void* context);

private:
    void start();
    void wait_for_work(int worker, std::uint64_t seen);
    void wait_for_others();
    void take_blocks(int worker);

    int size_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable finished_;
    std::atomic<std::uint64_t> round_{0};
    std::atomic<int> busy_{0};
    std::atomic<Offset> next_{0};
    std::atomic<bool> closing_{false};
    Offset blocks_ = 0;
    BlockTask task_ = nullptr;
    void* context_ = nullptr;
    std::exception_ptr failure_;
    std::vector<std::jthread>
        workers_;  // last member, so that the threads end before the members they use are destroyed
};

}  // namespace dunlin::device

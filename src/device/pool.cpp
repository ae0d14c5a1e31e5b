// SPDX-License-Identifier: Apache-2.0
#include "device/pool.hpp"

#include <chrono>
#include <ctime>
#include <system_error>

#include "device/address_space.hpp"
#include "progress/cancel.hpp"
#include "progress/progress.hpp"

namespace dunlin::device {

namespace {

// An iteration has a few loops of about 100 us; waking a sleeping thread would take as long.
constexpr int spins_before_sleep = 4000;

constexpr std::chrono::milliseconds report_every{50};

void pause_briefly() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

template <class Ready>
bool spin_until(const Ready& ready) {
    for (int spin = 0; spin < spins_before_sleep; ++spin) {
        if (ready()) return true;
        pause_briefly();
    }
    return ready();
}

/// A loop whose blocks begin with a cancellation point, in the scope of the launching thread.
struct Cancellable {
    Pool::BlockTask task;
    void* context;
    const std::stop_token* stop;  ///< null: the launching thread has a reporter and no scope
};

void do_cancellable(void* context, Offset block, int worker) {
    const auto& loop = *static_cast<const Cancellable*>(context);
    static const std::stop_token none;
    const progress::CancellationScope scope(loop.stop != nullptr ? *loop.stop : none);
    progress::cancellation_point();
    loop.task(loop.context, block, worker);
}

/// Work of less time is finished by one thread before others have started.
constexpr double seconds_worth_threads = 200e-6;

/// Processor time of this thread, which excludes waiting for a core on a busy machine.
double seconds_worked() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Runs blocks in order until all are done or other threads are worth starting; returns the number of finished blocks.
/// Elapsed time, which is read without a system call, is never less than processor time.
Offset begin_alone(Offset blocks, Pool::BlockTask task, void* context) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const double worked = seconds_worked();
    const auto is_worth_threads = [&] {
        return std::chrono::duration<double>(Clock::now() - begin).count() >= seconds_worth_threads &&
               seconds_worked() - worked >= seconds_worth_threads;
    };
    Offset block = 0;
    do {
        task(context, block++, 0);
    } while (block < blocks && !is_worth_threads());
    return block;
}

}  // namespace

Pool::~Pool() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        ++round_;
    }
    wake_.notify_all();
}

void Pool::start() {
    workers_.reserve(static_cast<std::size_t>(size_) - 1);
    const std::uint64_t now = round_;
    for (int worker = 1; worker < size_; ++worker) {
        try {
            workers_.emplace_back([this, worker, now] { wait_for_work(worker, now); });
        } catch (const std::system_error&) {  // the process may have no more threads; fewer give the same results
            note_missing_threads(worker, size_);
            break;
        }
    }
}

void Pool::run(Offset blocks, BlockTask task, void* context) {
    if (blocks <= 0) return;
    Cancellable cancellable{task, context, progress::CancellationScope::current()};
    if (cancellable.stop != nullptr || progress::reports_progress()) {
        task = do_cancellable;
        context = &cancellable;
    }
    if (size_ <= 1 || blocks == 1) {
        for (Offset block = 0; block < blocks; ++block) task(context, block, 0);
        return;
    }
    Offset done = 0;
    if (workers_.empty()) {
        done = begin_alone(blocks, task, context);
        if (done == blocks) return;
        start();
        if (workers_.empty()) {
            for (; done < blocks; ++done) task(context, done, 0);
            return;
        }
    }
    {
        const std::lock_guard lock(mutex_);
        blocks_ = blocks;
        task_ = task;
        context_ = context;
        failure_ = nullptr;
        next_ = done;
        busy_ = static_cast<int>(workers_.size());
        ++round_;
    }
    wake_.notify_all();
    take_blocks(0);
    wait_for_others();
    if (failure_) std::rethrow_exception(failure_);
}

/// An exception of on_progress is kept, like that of a block, until the other threads have finished.
void Pool::wait_for_others() {
    const auto all_done = [this] { return busy_.load(std::memory_order_acquire) == 0; };
    if (spin_until(all_done)) return;
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, report_every, all_done)) {
        lock.unlock();
        try {
            progress::report_if_due();
            lock.lock();
        } catch (...) {
            lock.lock();
            if (!failure_) failure_ = std::current_exception();
        }
    }
}

void Pool::wait_for_work(int worker, std::uint64_t seen) {
    while (true) {
        if (!spin_until([&] { return round_.load(std::memory_order_acquire) != seen; })) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return round_ != seen; });
        }
        seen = round_.load(std::memory_order_acquire);
        if (closing_) return;
        take_blocks(worker);
        if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            const std::lock_guard lock(mutex_);
            finished_.notify_one();
        }
    }
}

void Pool::take_blocks(int worker) {
    for (Offset block = next_++; block < blocks_; block = next_++) {
        try {
            task_(context_, block, worker);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            next_ = blocks_;  // drop the blocks that have not begun
        }
    }
}

}  // namespace dunlin::device

#include "device/pool.hpp"

#include <algorithm>

#include "device/heed.hpp"

namespace dunlin::device {

namespace {

// An iteration is a handful of loops of some 100 us: a thread that slept between them would spend as long waking up.
constexpr int spins_before_sleep = 4000;

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

/// A loop whose blocks heed what the thread that launched it heeds.
struct Heeded {
    Pool::Task task;
    void* context;
    const std::stop_token* stop;
};

void do_heeded(void* context, Offset block, int worker) {
    const auto& loop = *static_cast<const Heeded*>(context);
    const Heeding heeding(*loop.stop);
    heed();
    loop.task(loop.context, block, worker);
}

}  // namespace

Pool::Pool(int threads) {
    for (int worker = 1; worker < threads; ++worker) {
        workers_.emplace_back([this, worker] { wait_for_work(worker); });
    }
}

Pool::~Pool() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        ++round_;
    }
    wake_.notify_all();
}

void Pool::run(Offset blocks, Task task, void* context) {
    if (blocks <= 0) return;
    Heeded heeded{task, context, Heeding::current()};
    if (heeded.stop != nullptr) {
        task = do_heeded;
        context = &heeded;
    }
    if (workers_.empty() || blocks == 1) {
        for (Offset block = 0; block < blocks; ++block) task(context, block, 0);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        blocks_ = blocks;
        task_ = task;
        context_ = context;
        failure_ = nullptr;
        next_ = 0;
        busy_ = static_cast<int>(workers_.size());
        ++round_;
    }
    wake_.notify_all();
    take_blocks(0);
    if (!spin_until([this] { return busy_.load(std::memory_order_acquire) == 0; })) {
        std::unique_lock lock(mutex_);
        finished_.wait(lock, [this] { return busy_ == 0; });
    }
    if (failure_) std::rethrow_exception(failure_);
}

void Pool::wait_for_work(int worker) {
    std::uint64_t seen = 0;
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
            next_ = blocks_;  // the blocks nobody began are dropped
        }
    }
}

}  // namespace dunlin::device

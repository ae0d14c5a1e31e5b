// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

/// Runs CUDA kernels on a CPU, for tests on machines without a GPU: one block after the other, the threads of a block
/// in turns from barrier to barrier, in ascending or descending order, so that a missing barrier shows. Include before
/// the kernels, in one source file of a program.
namespace dunlin::emulated {

struct Index3 {
    unsigned x = 1, y = 1, z = 1;
};

/// Threads that wait for each other. Threads that have ended count as arrived.
struct Barrier {
    int arrived = 0, alive = 0;
    unsigned phase = 0;

    void open_if_complete() {
        if (alive == 0 || arrived < alive) return;
        arrived = 0;
        ++phase;
    }
};

class Block {
public:
    Block(Index3 at, Index3 of, unsigned threads, bool descending, const std::function<void()>& kernel)
        : number(at), blocks(of), size{threads, 1, 1}, kernel_(kernel), warps_((threads + 31) / 32) {
        running = this;
        fibers_.resize(threads);
        all_.alive = static_cast<int>(threads);
        for (unsigned t = 0; t < threads; ++t) {
            ++warps_[t / 32].alive;
            start(t);
        }
        for (unsigned left = threads; left > 0;) {
            for (unsigned k = 0; k < threads; ++k) {
                const unsigned t = descending ? threads - 1 - k : k;
                if (fibers_[t].is_over) continue;
                thread = {t, 0, 0};
                swapcontext(&scheduler_, &fibers_[t].context);
                if (fibers_[t].is_over) --left;
            }
        }
    }

    void wait_for_block() { wait(all_); }
    void wait_for_warp() { wait(warps_[thread.x / 32]); }

    /// The value that another lane of the warp gives, or one's own if there is no such lane.
    double exchange(double value, int lane) {
        const unsigned me = thread.x, other = me / 32 * 32 + static_cast<unsigned>(lane);
        fibers_[me].value = value;
        wait_for_warp();
        const double got = lane >= 0 && lane < 32 && other < size.x ? fibers_[other].value : value;
        wait_for_warp();
        return got;
    }
    bool any_of_block(bool is_true) {
        fibers_[thread.x].value = is_true ? 1 : 0;
        wait_for_block();
        const bool result =
            std::any_of(fibers_.begin(), fibers_.end(), [](const Fiber& fiber) { return fiber.value > 0; });
        wait_for_block();
        return result;
    }
    bool any(bool is_true) {
        bool result = false;
        for (int lane = 0; lane < 32; ++lane) result = exchange(is_true ? 1 : 0, lane) > 0 || result;
        return result;
    }

    static inline Block* running = nullptr;
    static inline Index3 thread;
    static inline std::vector<double> launch_memory;
    Index3 number, blocks, size;

private:
    struct Fiber {
        ucontext_t context{};
        bool is_over = false;
        double value = 0;
    };
    static constexpr std::size_t stack_size = std::size_t{1} << 18;

    void start(unsigned t) {
        static std::vector<std::unique_ptr<char[]>> stacks;
        while (stacks.size() <= t) stacks.push_back(std::make_unique_for_overwrite<char[]>(stack_size));
        ucontext_t& context = fibers_[t].context;
        getcontext(&context);
        context.uc_stack.ss_sp = stacks[t].get();
        context.uc_stack.ss_size = stack_size;
        context.uc_link = &scheduler_;
        makecontext(&context, [] { running->run(); }, 0);
    }
    void run() {
        kernel_();
        const unsigned t = thread.x;
        fibers_[t].is_over = true;
        for (Barrier* barrier : {&all_, &warps_[t / 32]}) {
            --barrier->alive;
            barrier->open_if_complete();
        }
    }
    void wait(Barrier& barrier) {
        const unsigned t = thread.x, phase = barrier.phase;
        ++barrier.arrived;
        barrier.open_if_complete();
        do swapcontext(&fibers_[t].context, &scheduler_);
        while (barrier.phase == phase);
    }

    const std::function<void()>& kernel_;
    std::vector<Barrier> warps_;
    Barrier all_;
    std::vector<Fiber> fibers_;
    ucontext_t scheduler_{};
};

/// Launches kernel() with this many blocks, threads a block and bytes of shared memory.
inline void launch(Index3 blocks, unsigned threads, std::size_t bytes, bool descending,
                   const std::function<void()>& kernel) {
    Block::launch_memory.assign(bytes / sizeof(double) + 1, std::nan(""));
    for (unsigned y = 0; y < blocks.y; ++y) {
        for (unsigned x = 0; x < blocks.x; ++x) Block({x, y, 0}, blocks, threads, descending, kernel);
    }
}

}  // namespace dunlin::emulated

// What kernels use of CUDA's language
#define __device__
#define __global__ inline
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define threadIdx ::dunlin::emulated::Block::thread
#define blockIdx ::dunlin::emulated::Block::running->number
#define blockDim ::dunlin::emulated::Block::running->size
#define gridDim ::dunlin::emulated::Block::running->blocks

namespace dunlin::waves {

using std::max;
using std::min;

struct alignas(16) double2 {
    double x, y;
};
inline double2 make_double2(double x, double y) { return {x, y}; }

inline void __syncthreads() { emulated::Block::running->wait_for_block(); }
inline int __syncthreads_or(int is_true) { return emulated::Block::running->any_of_block(is_true != 0) ? 1 : 0; }
inline void __syncwarp() { emulated::Block::running->wait_for_warp(); }
inline int emulated_lane() { return static_cast<int>(emulated::Block::thread.x % 32); }
inline double __shfl_up_sync(unsigned, double value, int lanes) {
    return emulated::Block::running->exchange(value, emulated_lane() - lanes);
}
inline double __shfl_down_sync(unsigned, double value, int lanes) {
    return emulated::Block::running->exchange(value, emulated_lane() + lanes);
}
inline bool __any_sync(unsigned, bool is_true) { return emulated::Block::running->any(is_true); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline int __double2hiint(double x) { return static_cast<int>(std::bit_cast<std::int64_t>(x) >> 32); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
template <class T>
T __ldg(const T* value) {
    return *value;
}
template <class T>
T __ldcs(const T* value) {
    return *value;
}
inline void atomicMax(unsigned long long* largest, unsigned long long value) { *largest = std::max(*largest, value); }

inline void copy_async(double* shared, const double* global) { *shared = *global; }
inline void wait_for_copies() {}
inline double* launch_memory() { return emulated::Block::launch_memory.data(); }
inline double reciprocal(double x) { return 1 / x; }

}  // namespace dunlin::waves

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/run.hpp>

#include "math/ordered_sum.hpp"
#include "math/vec.hpp"

/// The executor of a GPU: all generic loops are launched here. Its parallel primitives (each, sum, resize, upload, ..)
/// have the meaning of those in device/cpu.hpp; the order of a sum depends on n only. Only read, host and wait wait for
/// the GPU.
namespace dunlin::device {

/// Throws Error{device_failure} or Error{out_of_memory} naming the caller's line.
void cuda_check(cudaError_t status, std::source_location where = std::source_location::current());

/// Stream-ordered allocation and release of device memory, counted in device/gpus.hpp.
void* cuda_take(std::size_t bytes, cudaStream_t stream, std::source_location where = std::source_location::current());
void cuda_give_back(void* memory, std::size_t bytes, cudaStream_t stream) noexcept;

/// An array in device memory. Its elements are undefined until written.
template <class T>
class CudaBuffer {
public:
    CudaBuffer() = default;
    CudaBuffer(std::size_t size, cudaStream_t stream, std::source_location where = std::source_location::current())
        : data_(size > 0 ? static_cast<T*>(cuda_take(size * sizeof(T), stream, where)) : nullptr),
          size_(size),
          stream_(stream) {}
    CudaBuffer(CudaBuffer&& other) noexcept { swap(other); }
    CudaBuffer& operator=(CudaBuffer&& other) noexcept {
        CudaBuffer(std::move(other)).swap(*this);
        return *this;
    }
    ~CudaBuffer() {
        if (data_ != nullptr) cuda_give_back(data_, size_ * sizeof(T), stream_);
    }
    void swap(CudaBuffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(stream_, other.stream_);
    }

    [[nodiscard]] T* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
    cudaStream_t stream_ = nullptr;
};

/// Device scalar: a single value in device memory.
template <class T>
struct CudaCell {
    CudaBuffer<T> value;
};

/// One thread per item.
template <class Step>
__global__ void each_kernel(Offset n, Step step) {
    const Offset i = Offset{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) step(i);
}

/// The value of the lane `lanes` further within a group of Lanes lanes. All lanes of the warp must call it.
template <int Lanes = 32>
__device__ inline double from_further(double value, int lanes) {
    return __shfl_down_sync(~0U, value, lanes, Lanes);
}
template <int Lanes = 32, class Real, int Size>
__device__ math::Vec<Real, Size> from_further(math::Vec<Real, Size> value, int lanes) {
    for (int i = 0; i < Size; ++i) value.at[i] = __shfl_down_sync(~0U, value.at[i], lanes, Lanes);
    return value;
}

/// Sum over each group of Lanes lanes, valid in its first lane. All lanes of the warp must call it.
template <int Lanes, class T>
__device__ T group_sum(T value) {
    for (int lanes = Lanes / 2; lanes > 0; lanes /= 2) value += from_further<Lanes>(value, lanes);
    return value;
}

/// Sum over a block, valid in its first thread. All threads of the block must call it.
template <int Threads, class T>
__device__ T block_sum(T value) {
    __shared__ T parts[Threads / 32];
    value = group_sum<32>(value);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < Threads / 32; ++w) value += parts[w];
    }
    __syncthreads();
    return value;
}

constexpr int sum_threads = 256;

/// *total = sum of parts in a fixed order. Call from one block of sum_threads threads.
template <class T>
__device__ void sum_parts(int count, const T* parts, T* total) {
    T sum{};
    for (int i = static_cast<int>(threadIdx.x); i < count; i += sum_threads) sum += parts[i];
    sum = block_sum<sum_threads>(sum);
    if (threadIdx.x == 0) *total = sum;
}

/// True in the last block of the grid that calls it; writes of the other blocks before their calls are then visible.
/// Resets the ticket to 0.
__device__ inline bool is_last_block(unsigned* ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) __threadfence();
    return last;
}

/// Tree sum (math/ordered_sum.hpp) of term(i) over [0, sum_block), valid in the first thread of a block of sum_threads.
/// All threads of the block must call it.
template <class T, class Term>
__device__ T sum_of_block(const Term& term) {
    __shared__ T folds[math::fan_in];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int fold = warp; fold < math::fan_in; fold += sum_threads / 32) {
        const T sum = group_sum<32>(static_cast<T>(term(fold * 32 + lane)));
        if (lane == 0) folds[fold] = sum;
    }
    __syncthreads();
    T sum{};
    if (warp == 0) sum = group_sum<32>(folds[lane]);
    __syncthreads();
    return sum;
}

/// Size of the array that sum_tree needs for `count` values.
inline std::size_t tree_room(Offset count) {
    Offset room = count;
    while (count > 1) room += count = (count + math::fan_in - 1) / math::fan_in;
    return static_cast<std::size_t>(room);
}

/// Tree sum of `count` values, returned to all threads of the one block that calls it. Each level is stored after the
/// level below; size of the array: tree_room(count).
template <class T>
__device__ T sum_tree(Offset count, T* values) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    while (count > 1) {
        const Offset folds = (count + math::fan_in - 1) / math::fan_in;
        for (Offset fold = threadIdx.x / 32; fold < folds; fold += blockDim.x / 32) {
            const Offset i = fold * math::fan_in + lane;
            const T sum = group_sum<32>(i < count ? values[i] : T{});
            if (lane == 0) values[count + fold] = sum;
        }
        __syncthreads();
        values += count;
        count = folds;
    }
    return count > 0 ? values[0] : T{};
}

/// Sum of term(i) over a run, valid in the first thread of a block of sum_threads.
template <class T, class Term>
__device__ T sum_of_run(const math::Runs& runs, Offset run, const Term& term) {
    T part{};
    const Offset end = runs.end(run);
    for (Offset i = runs.begin(run) + threadIdx.x; i < end; i += sum_threads) part += static_cast<T>(term(i));
    return block_sum<sum_threads>(part);
}

/// One block per run, from run `first` on.
template <class T, class Term>
__global__ void run_sums_kernel(math::Runs runs, Offset first, Term term, T* sums) {
    const T part = sum_of_run<T>(runs, first + blockIdx.x, term);
    if (threadIdx.x == 0) sums[first + blockIdx.x] = part;
}

/// One block per run; the last block to finish adds the sums of the runs in order.
template <class T, class Term>
__global__ void sum_kernel(math::Runs runs, Term term, T* parts, T* total, unsigned* ticket) {
    const T part = sum_of_run<T>(runs, blockIdx.x, term);
    if (threadIdx.x == 0) parts[blockIdx.x] = part;
    if (is_last_block(ticket)) sum_parts(static_cast<int>(gridDim.x), parts, total);
}

template <class T>
__global__ void sum_parts_kernel(int count, const T* parts, T* total) {
    sum_parts(count, parts, total);
}

/// Saves the CUDA context of the calling thread, or the absence of one, and restores it on destruction. The current
/// device of a thread is that of its context.
class CallersContext {
public:
    CallersContext();
    ~CallersContext();
    CallersContext(const CallersContext&) = delete;
    CallersContext& operator=(const CallersContext&) = delete;

private:
    void* context_ = nullptr;
};

class Cuda {
public:
    template <class T>
    using Buffer = CudaBuffer<T>;
    template <class T>
    using Cell = CudaCell<T>;

    /// Makes run.gpu() the current device of the thread until destruction. Throws Error{no_device} if there is no such
    /// GPU.
    explicit Cuda(const Run& run);
    ~Cuda();
    Cuda(const Cuda&) = delete;
    Cuda& operator=(const Cuda&) = delete;

    [[nodiscard]] cudaStream_t stream() const { return stream_; }
    [[nodiscard]] int multiprocessors() const { return multiprocessors_; }
    [[nodiscard]] const Run& run() const { return run_; }

    template <class Step>
    void each(Offset n, const Step& step) {
        constexpr int threads = 256;
        if (n == 0) return;
        each_kernel<<<static_cast<unsigned>((n + threads - 1) / threads), threads, 0, stream()>>>(n, step);
        cuda_check(cudaGetLastError());
    }

    /// total = sum of term(i) over [0, n), added as T (double, math::Vec) over math::runs_of(n), in an order fixed by
    /// n. Partial sums that begin and end at runs reproduce this order.
    template <class Term, class T>
    void sum(Offset n, const Term& term, Cell<T>& total) {
        static_assert(sizeof(T) <= sizeof(Part));
        const math::Runs runs = math::runs_of(n);
        const auto blocks = static_cast<unsigned>(std::max<Offset>(runs.count(), 1));
        sum_kernel<<<blocks, sum_threads, 0, stream()>>>(runs, term, reinterpret_cast<T*>(parts_.data()),
                                                         address(total), ticket_.data());
        cuda_check(cudaGetLastError());
    }

    /// sums[r] = sum of term(i) over run r, for runs [first, last). add_parts() of the sums of all runs equals sum().
    template <class Term, class T>
    void run_sums(const math::Runs& runs, Offset first, Offset last, const Term& term, T* sums) {
        if (first == last) return;
        run_sums_kernel<<<static_cast<unsigned>(last - first), sum_threads, 0, stream()>>>(runs, first, term, sums);
        cuda_check(cudaGetLastError());
    }

    /// total = sum of parts[0 .. count) in a fixed order.
    template <class T>
    void add_parts(int count, const T* parts, Cell<T>& total) {
        sum_parts_kernel<<<1, sum_threads, 0, stream()>>>(count, parts, address(total));
        cuda_check(cudaGetLastError());
    }

    /// Sets the size of a buffer. Its values are lost unless it has this size already.
    template <class T>
    void resize(Buffer<T>& buffer, std::size_t size, std::source_location where = std::source_location::current()) {
        if (buffer.size() == size) return;
        buffer = {};  // free first, so that both are never held
        buffer = Buffer<T>(size, stream_, where);
    }
    template <class T>
    void fill(Buffer<T>& buffer, std::size_t size, T value);
    template <class T>
    void upload(Buffer<T>& buffer, std::span<const T> values) {
        resize(buffer, values.size());
        copy_in(buffer.data(), values.data(), values.size_bytes());
    }
    template <class T>
    void upload(Buffer<T>& buffer, const std::vector<T>& values) {
        upload(buffer, std::span<const T>(values));
    }
    template <class T>
    void set(Cell<T>& cell, const T& value) {
        copy_in(address(cell), &value, sizeof(T));
    }

    template <class T>
    T* address(Cell<T>& cell) {
        resize(cell.value, 1);
        return cell.value.data();
    }
    template <class T>
    T read(const Cell<T>& cell) {
        T value;
        copy_out(&value, cell.value.data(), sizeof(T));
        return value;
    }
    template <class T>
    std::vector<T> host(const Buffer<T>& buffer) {
        std::vector<T> values(buffer.size());
        copy_out(values.data(), buffer.data(), buffer.size() * sizeof(T));
        return values;
    }

    /// Copies host memory to device memory; returns when the source may be changed.
    void copy_in(void* to, const void* from, std::size_t bytes);
    /// Copies device memory to host memory; waits for all work enqueued before.
    void copy_out(void* to, const void* from, std::size_t bytes);
    void wait() { cuda_check(cudaStreamSynchronize(stream())); }

    /// Records the launches of body() as a CUDA graph in the first call, and replays it until forget(). body must only
    /// enqueue work. The host runs ahead of the device by at most run_ahead calls, so that a stop is noticed soon.
    template <class Body>
    void replay(const Body& body) {
        if (recorded_ == nullptr) {
            begin_recording();
            try {
                body();
            } catch (...) {
                drop_recording();
                throw;
            }
            end_recording();
        }
        launch_recorded();
    }
    /// Call when the recorded graph is no longer valid.
    void forget();

private:
    using Part = math::Vec<double, 4>;
    static constexpr int run_ahead = 4;

    void begin_recording();
    void end_recording();
    void drop_recording() noexcept;
    void launch_recorded();

    CallersContext callers_;  // first member, so that it outlives all members that need this device's context
    Run run_;
    int multiprocessors_ = 0;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t launched_[run_ahead] = {};
    int next_launch_ = 0;
    cudaGraphExec_t recorded_ = nullptr;
    Buffer<Part> parts_;
    Buffer<unsigned> ticket_;
};

template <class T>
struct Fill {
    T* values;
    T value;
    __device__ void operator()(Offset i) const { values[i] = value; }
};

template <class T>
void Cuda::fill(Buffer<T>& buffer, std::size_t size, T value) {
    resize(buffer, size);
    each(static_cast<Offset>(size), Fill<T>{buffer.data(), value});
}

}  // namespace dunlin::device

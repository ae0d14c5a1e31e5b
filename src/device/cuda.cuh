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

#include "math/vec.hpp"

/// The only place loops are launched on a GPU. The words (each, sum, resize, upload, ..) are those of device/cpu.hpp
/// and mean the same: a sum's order is fixed by n. Nothing here waits for the GPU but read, host and wait.
namespace dunlin::device {

/// Throws Error{device_failure} or Error{out_of_memory} naming the caller's line.
void cuda_check(cudaError_t status, std::source_location where = std::source_location::current());

/// Device memory, taken and given back in the order of a stream, and counted (device/gpus.hpp).
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

/// A single value in device memory.
template <class T>
struct CudaCell {
    CudaBuffer<T> value;
};

/// Items one after another, whatever the launch: enough threads for all.
template <class Step>
__global__ void each_kernel(Offset n, Step step) {
    const Offset i = Offset{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) step(i);
}

/// The value of the lane that is so many lanes further, where both are of one group of Lanes; for the whole warp.
template <int Lanes = 32>
__device__ inline double from_further(double value, int lanes) {
    return __shfl_down_sync(~0U, value, lanes, Lanes);
}
template <int Lanes = 32, class Real, int Size>
__device__ math::Vec<Real, Size> from_further(math::Vec<Real, Size> value, int lanes) {
    for (int i = 0; i < Size; ++i) value.at[i] = __shfl_down_sync(~0U, value.at[i], lanes, Lanes);
    return value;
}

/// The sum over each group of Lanes lanes, for its first lane; every lane of the warp must call it.
template <int Lanes, class T>
__device__ T group_sum(T value) {
    for (int lanes = Lanes / 2; lanes > 0; lanes /= 2) value += from_further<Lanes>(value, lanes);
    return value;
}

/// The sum over a block, for its first thread; every thread of the block must call it.
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

/// *total = the sum of parts, in one order; by one block of sum_threads.
template <class T>
__device__ void sum_parts(int count, const T* parts, T* total) {
    T sum{};
    for (int i = static_cast<int>(threadIdx.x); i < count; i += sum_threads) sum += parts[i];
    sum = block_sum<sum_threads>(sum);
    if (threadIdx.x == 0) *total = sum;
}

/// Whether this block is the last of the grid to come here; what the others wrote before is then visible to it. The
/// ticket is 0 again afterwards.
__device__ inline bool is_last_block(unsigned* ticket) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last) __threadfence();
    return last;
}

/// Each block sums its share; the last to end adds the shares.
template <class T, class Term>
__global__ void sum_kernel(Offset n, Term term, T* parts, T* total, unsigned* ticket) {
    T part{};
    const Offset stride = Offset{gridDim.x} * sum_threads;
    for (Offset i = Offset{blockIdx.x} * sum_threads + threadIdx.x; i < n; i += stride) {
        part += static_cast<T>(term(i));
    }
    part = block_sum<sum_threads>(part);
    if (threadIdx.x == 0) parts[blockIdx.x] = part;
    if (is_last_block(ticket)) sum_parts(static_cast<int>(gridDim.x), parts, total);
}

template <class T>
__global__ void sum_parts_kernel(int count, const T* parts, T* total) {
    sum_parts(count, parts, total);
}

class Cuda {
public:
    template <class T>
    using Buffer = CudaBuffer<T>;
    template <class T>
    using Cell = CudaCell<T>;

    /// Takes run.device_index. Throws Error{no_device} if there is no such GPU.
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

    /// total = sum of term(i) over [0, n), added as T (double, math::Vec) in an order fixed by n.
    template <class Term, class T>
    void sum(Offset n, const Term& term, Cell<T>& total) {
        static_assert(sizeof(T) <= sizeof(Part));
        const auto blocks =
            static_cast<unsigned>(std::clamp<Offset>((n + sum_threads - 1) / sum_threads, 1, most_parts));
        sum_kernel<<<blocks, sum_threads, 0, stream()>>>(n, term, reinterpret_cast<T*>(parts_.data()), address(total),
                                                         ticket_.data());
        cuda_check(cudaGetLastError());
    }

    /// total = the sum of parts[0 .. count), in one order.
    template <class T>
    void add_parts(int count, const T* parts, Cell<T>& total) {
        sum_parts_kernel<<<1, sum_threads, 0, stream()>>>(count, parts, address(total));
        cuda_check(cudaGetLastError());
    }

    /// Gives the buffer this size; what it held is lost unless it had this size already.
    template <class T>
    void resize(Buffer<T>& buffer, std::size_t size, std::source_location where = std::source_location::current()) {
        if (buffer.size() == size) return;
        buffer = {};  // first, so that both are never held
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

    /// Device memory from anywhere in host memory; returns once the source may be changed.
    void copy_in(void* to, const void* from, std::size_t bytes);
    /// Waits for what was enqueued before.
    void copy_out(void* to, const void* from, std::size_t bytes);
    void wait() { cuda_check(cudaStreamSynchronize(stream())); }

    /// Enqueues body's work, all of it launches: recorded once and replayed from then on, until forget().
    /// The host may run ahead of the device by a few calls only, so that a stop is noticed soon.
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
    /// To be called when what replay() recorded is no longer what its body would enqueue.
    void forget();

private:
    using Part = math::Vec<double, 4>;
    static constexpr Offset most_parts = 1024;
    static constexpr int run_ahead = 4;

    void begin_recording();
    void end_recording();
    void drop_recording() noexcept;
    void launch_recorded();

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <utility>
#include <vector>

#include <dunlin/run.hpp>

#include "math/ordered_sum.hpp"
#include "math/vec.hpp"

/// The executor of a GPU: all generic loops are launched here (device/launch.cuh). Its parallel primitives (each, sum,
/// resize, upload, ..) have the meaning of those in device/cpu.hpp; the order of a sum depends on n only. Only read,
/// host and wait wait for the GPU.
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
    void each(Offset n, const Step& step);

    /// total = sum of term(i) over [0, n), added as T (double, math::Vec) over math::runs_of(n), in an order fixed by
    /// n. Partial sums that begin and end at runs reproduce this order.
    template <class Term, class T>
    void sum(Offset n, const Term& term, Cell<T>& total);

    /// sums[r] = sum of term(i) over run r, for runs [first, last). add_parts() of the sums of all runs equals sum().
    template <class Term, class T>
    void run_sums(const math::Runs& runs, Offset first, Offset last, const Term& term, T* sums);

    /// total = sum of parts[0 .. count) in a fixed order.
    template <class T>
    void add_parts(int count, const T* parts, Cell<T>& total);

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

}  // namespace dunlin::device

#ifdef __CUDACC__
#include "device/launch.cuh"
#endif

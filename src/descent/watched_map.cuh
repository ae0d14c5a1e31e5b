// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <span>
#include <system_error>

#include "descent/map_of.cuh"
#include "descent/watched_map.hpp"
#include "device/cuda.cuh"

namespace dunlin::descent {

/// Puts the items in their places with few blocks, beside which the kernels of another stream go on.
template <class Place>
__global__ void place_kernel(Offset n, Place place) {
    const Offset threads = Offset{gridDim.x} * blockDim.x;
    for (Offset i = Offset{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) place(i);
}

/// The map is copied between two iterations. While the loop goes on, a second stream puts the copy into the original
/// order and copies it to page-locked memory. Between two later iterations it is shown, and there until the watcher
/// gives it up. Another thread locks the pages if they are many, which takes longer than some iterations: 46 ms for 10
/// million points.
template <>
class WatchedMap<device::Cuda> {
public:
    WatchedMap(device::Cuda& cuda, const DescentState<device::Cuda>& state)
        : cuda_(cuda), state_(state), watcher_(live::watcher_of(state.n)) {
        if (watcher_ == nullptr) return;
        lock_pages();
        device::cuda_check(cudaStreamCreateWithFlags(&copying_, cudaStreamNonBlocking));
        for (cudaEvent_t* event : {&taken_, &copied_})
            device::cuda_check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
    ~WatchedMap() {
        if (copying_ != nullptr) cudaStreamSynchronize(copying_);
        for (cudaEvent_t event : {taken_, copied_})
            if (event != nullptr) cudaEventDestroy(event);
        if (copying_ != nullptr) cudaStreamDestroy(copying_);
    }
    WatchedMap(const WatchedMap&) = delete;
    WatchedMap& operator=(const WatchedMap&) = delete;

    void show(Offset iteration) {
        if (watcher_ == nullptr) return;
        if (!is_copying_) {
            if (has_memory() && watcher_->wants()) begin(iteration);
            return;
        }
        const cudaError_t status = cudaEventQuery(copied_);
        if (status == cudaErrorNotReady) {
            static_cast<void>(cudaGetLastError());
            return;
        }
        device::cuda_check(status);
        // Asked again, so that the watcher does not take the time since then for that of the copy
        if (watcher_->wants()) end();
    }

    bool show_now(Offset iteration) {
        if (watcher_ == nullptr) return true;
        if (is_copying_) device::cuda_check(cudaEventSynchronize(copied_));
        is_copying_ = false;  // of an earlier map
        if (!watcher_->wants()) return false;
        if (!is_free()) host_ = nullptr;
        begin(iteration);
        device::cuda_check(cudaEventSynchronize(copied_));
        end();
        return true;
    }

private:
    struct FreeHost {
        void operator()(float* memory) const { cudaFreeHost(memory); }
    };

    static std::shared_ptr<float> page_locked(std::size_t size, int gpu) {
        if (size == 0) return nullptr;
        float* memory = nullptr;
        device::cuda_check(cudaSetDevice(gpu));
        device::cuda_check(cudaMallocHost(reinterpret_cast<void**>(&memory), size * sizeof(float)));
        return {memory, FreeHost()};
    }

    void lock_pages() {
        constexpr std::size_t most_at_once = 1 << 18;  // numbers
        const int gpu = cuda_.run().gpu();
        if (size() <= most_at_once) {
            host_ = page_locked(size(), gpu);
            return;
        }
        try {
            locking_ = std::async(std::launch::async, page_locked, size(), gpu);
        } catch (const std::system_error&) {  // no thread can start: the first copy waits for its memory
            locking_ = {};
        }
    }

    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(state_.n) * static_cast<std::size_t>(state_.map_dim);
    }

    /// Whether there is memory for a copy that no watcher reads.
    [[nodiscard]] bool has_memory() const {
        if (locking_.valid()) return locking_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        return is_free();
    }

    /// Whether no watcher reads the memory of the last map.
    [[nodiscard]] bool is_free() const {
        if (host_ != nullptr && host_.use_count() > 1) return false;
        std::atomic_thread_fence(std::memory_order_acquire);  // after the watcher's last read
        return true;
    }

    void begin(Offset iteration) {
        iteration_ = iteration;
        is_copying_ = true;
        cuda_.resize(map_, size());
        if (locking_.valid()) host_ = locking_.get();
        if (host_ == nullptr) host_ = page_locked(size(), cuda_.run().gpu());
        if (size() == 0) return;
        take(state_.y, places_);
        take(state_.original, original_);
        device::cuda_check(cudaEventRecord(taken_, cuda_.stream()));
        device::cuda_check(cudaStreamWaitEvent(copying_, taken_));
        constexpr int blocks = 32, threads = 256;
        place_kernel<<<blocks, threads, 0, copying_>>>(
            state_.n,
            ToOriginal{places_.data(), original_.data(), map_.data(), state_.dim, state_.map_dim, state_.origin});
        device::cuda_check(cudaGetLastError());
        device::cuda_check(
            cudaMemcpyAsync(host_.get(), map_.data(), size() * sizeof(float), cudaMemcpyDeviceToHost, copying_));
        device::cuda_check(cudaEventRecord(copied_, copying_));
    }

    template <class T>
    void take(const device::Cuda::Buffer<T>& from, device::Cuda::Buffer<T>& to) {
        cuda_.resize(to, from.size());
        device::cuda_check(
            cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(T), cudaMemcpyDeviceToDevice, cuda_.stream()));
    }

    void end() {
        is_copying_ = false;
        watcher_->show({iteration_, state_.map_dim, std::span<const float>(host_.get(), map_.size()), host_});
    }

    device::Cuda& cuda_;
    const DescentState<device::Cuda>& state_;
    live::Watcher* watcher_;
    device::Cuda::Buffer<float> places_;           ///< as the loop had them
    device::Cuda::Buffer<Index> original_;         ///< numbers of these points
    device::Cuda::Buffer<float> map_;              ///< in the original order
    std::shared_ptr<float> host_;                  ///< page-locked, as large; the watcher may hold it, too
    std::future<std::shared_ptr<float>> locking_;  ///< it, before the first copy
    cudaStream_t copying_ = nullptr;
    cudaEvent_t taken_ = nullptr, copied_ = nullptr;
    Offset iteration_ = 0;  ///< of the map that is copied
    bool is_copying_ = false;
};

}  // namespace dunlin::descent

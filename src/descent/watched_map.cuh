// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <span>

#include "descent/map_of.cuh"
#include "descent/watched_map.hpp"
#include "device/cuda.cuh"

namespace dunlin::descent {

/// The map is put into the original order on the GPU, and copied to page-locked memory by a second stream while the
/// loop goes on. Between two later iterations it is shown, and there until the watcher gives it up.
template <>
class WatchedMap<device::Cuda> {
public:
    WatchedMap(device::Cuda& cuda, const DescentState<device::Cuda>& state)
        : cuda_(cuda), state_(state), watcher_(live::watcher_of(state.n)) {
        if (watcher_ == nullptr) return;
        device::cuda_check(cudaStreamCreateWithFlags(&copying_, cudaStreamNonBlocking));
        for (cudaEvent_t* event : {&ordered_, &copied_})
            device::cuda_check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
    ~WatchedMap() {
        if (copying_ != nullptr) cudaStreamSynchronize(copying_);
        for (cudaEvent_t event : {ordered_, copied_})
            if (event != nullptr) cudaEventDestroy(event);
        if (copying_ != nullptr) cudaStreamDestroy(copying_);
    }
    WatchedMap(const WatchedMap&) = delete;
    WatchedMap& operator=(const WatchedMap&) = delete;

    void show(Offset iteration) {
        if (watcher_ == nullptr) return;
        if (!is_copying_) {
            if (is_free() && watcher_->wants()) begin(iteration);
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

    /// Whether no watcher reads the memory of the last map.
    [[nodiscard]] bool is_free() const {
        if (host_ != nullptr && host_.use_count() > 1) return false;
        std::atomic_thread_fence(std::memory_order_acquire);  // after the watcher's last read
        return true;
    }

    void begin(Offset iteration) {
        const std::size_t size = static_cast<std::size_t>(state_.n) * static_cast<std::size_t>(state_.map_dim);
        iteration_ = iteration;
        is_copying_ = true;
        if (size == 0) return;
        cuda_.resize(map_, size);
        if (host_ == nullptr) {
            float* memory = nullptr;
            device::cuda_check(cudaMallocHost(reinterpret_cast<void**>(&memory), size * sizeof(float)));
            host_ = std::shared_ptr<float>(memory, FreeHost());
        }
        cuda_.each(state_.n,
                   ToOriginal{state_.y.data(), state_.original.data(), map_.data(), state_.dim, state_.map_dim});
        device::cuda_check(cudaEventRecord(ordered_, cuda_.stream()));
        device::cuda_check(cudaStreamWaitEvent(copying_, ordered_));
        device::cuda_check(
            cudaMemcpyAsync(host_.get(), map_.data(), size * sizeof(float), cudaMemcpyDeviceToHost, copying_));
        device::cuda_check(cudaEventRecord(copied_, copying_));
    }

    void end() {
        is_copying_ = false;
        watcher_->show({iteration_, state_.map_dim, std::span<const float>(host_.get(), map_.size()), host_});
    }

    device::Cuda& cuda_;
    const DescentState<device::Cuda>& state_;
    live::Watcher* watcher_;
    device::Cuda::Buffer<float> map_;
    std::shared_ptr<float> host_;  ///< page-locked, as large; the watcher may hold it, too
    cudaStream_t copying_ = nullptr;
    cudaEvent_t ordered_ = nullptr, copied_ = nullptr;
    Offset iteration_ = 0;  ///< of the map that is copied
    bool is_copying_ = false;
};

}  // namespace dunlin::descent

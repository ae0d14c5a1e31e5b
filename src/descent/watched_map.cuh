// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "descent/map_of.cuh"
#include "descent/watched_map.hpp"
#include "device/cuda.cuh"

namespace dunlin::descent {

/// The map is put into the original order on the GPU, and copied to page-locked memory by a second stream while the
/// loop goes on. Between two later iterations it is shown.
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
        if (host_ != nullptr) cudaFreeHost(host_);
        for (cudaEvent_t event : {ordered_, copied_})
            if (event != nullptr) cudaEventDestroy(event);
        if (copying_ != nullptr) cudaStreamDestroy(copying_);
    }
    WatchedMap(const WatchedMap&) = delete;
    WatchedMap& operator=(const WatchedMap&) = delete;

    void show(Offset iteration) {
        if (watcher_ == nullptr) return;
        if (!is_copying_) {
            if (watcher_->wants()) begin(iteration);
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
        begin(iteration);
        device::cuda_check(cudaEventSynchronize(copied_));
        end();
        return true;
    }

private:
    void begin(Offset iteration) {
        const std::size_t size = static_cast<std::size_t>(state_.n) * static_cast<std::size_t>(state_.map_dim);
        iteration_ = iteration;
        is_copying_ = true;
        if (size == 0) return;
        cuda_.resize(map_, size);
        if (host_ == nullptr)
            device::cuda_check(cudaMallocHost(reinterpret_cast<void**>(&host_), size * sizeof(float)));
        cuda_.each(state_.n,
                   ToOriginal{state_.y.data(), state_.original.data(), map_.data(), state_.dim, state_.map_dim});
        device::cuda_check(cudaEventRecord(ordered_, cuda_.stream()));
        device::cuda_check(cudaStreamWaitEvent(copying_, ordered_));
        device::cuda_check(cudaMemcpyAsync(host_, map_.data(), size * sizeof(float), cudaMemcpyDeviceToHost, copying_));
        device::cuda_check(cudaEventRecord(copied_, copying_));
    }

    void end() {
        is_copying_ = false;
        watcher_->show({iteration_, state_.map_dim, std::span<const float>(host_, map_.size())});
    }

    device::Cuda& cuda_;
    const DescentState<device::Cuda>& state_;
    live::Watcher* watcher_;
    device::Cuda::Buffer<float> map_;
    float* host_ = nullptr;  ///< page-locked, as large
    cudaStream_t copying_ = nullptr;
    cudaEvent_t ordered_ = nullptr, copied_ = nullptr;
    Offset iteration_ = 0;  ///< of the map that is copied
    bool is_copying_ = false;
};

}  // namespace dunlin::descent

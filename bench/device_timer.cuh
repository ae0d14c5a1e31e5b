// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda.cuh"

namespace dunlin::bench {

/// Milliseconds on a GPU between two points of its stream.
class DeviceTimer {
public:
    explicit DeviceTimer(const device::Cuda& cuda) : stream_(cuda.stream()) {
        device::cuda_check(cudaEventCreate(&begin_));
        device::cuda_check(cudaEventCreate(&end_));
        start();
    }
    ~DeviceTimer() {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }
    DeviceTimer(const DeviceTimer&) = delete;
    DeviceTimer& operator=(const DeviceTimer&) = delete;

    void start() { device::cuda_check(cudaEventRecord(begin_, stream_)); }
    /// Time since construction or the last lap; waits for the stream.
    double lap() {
        device::cuda_check(cudaEventRecord(end_, stream_));
        device::cuda_check(cudaEventSynchronize(end_));
        float passed = 0;
        device::cuda_check(cudaEventElapsedTime(&passed, begin_, end_));
        start();
        return static_cast<double>(passed);
    }

private:
    cudaStream_t stream_;
    cudaEvent_t begin_{}, end_{};
};

}  // namespace dunlin::bench

// SPDX-License-Identifier: Apache-2.0
#include "device/cuda.cuh"

#include <cudaTypedefs.h>

#include <atomic>
#include <limits>

#include "device/gpus.hpp"
#include "device/staging.cuh"

namespace dunlin::device {

namespace {

std::atomic<std::uint64_t> held{0}, peak{0};

void count_taken(std::uint64_t bytes) {
    const std::uint64_t now = held += bytes;
    std::uint64_t before = peak;
    while (before < now && !peak.compare_exchange_weak(before, now)) {
    }
}

/// Keeps freed memory in the process's pool, so that a second run need not allocate from the driver again.
void keep_freed_memory(int device) {
    cudaMemPool_t pool = nullptr;
    cuda_check(cudaDeviceGetDefaultMemPool(&pool, device));
    std::uint64_t everything = std::numeric_limits<std::uint64_t>::max();
    cuda_check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
}

/// A function of the driver, looked up at run time because nothing links to the driver; null without a driver.
template <class Function>
Function driver_function(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    const bool asked = cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result) == cudaSuccess;
    if (!asked) cudaGetLastError();
    return asked && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(found) : nullptr;
}

}  // namespace

CallersContext::CallersContext() {
    static const auto current = driver_function<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent");
    CUcontext context = nullptr;
    if (current != nullptr && current(&context) == CUDA_SUCCESS) context_ = context;
}

CallersContext::~CallersContext() {
    static const auto bind = driver_function<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent");
    if (bind != nullptr) bind(static_cast<CUcontext>(context_));
}

void cuda_check(cudaError_t status, std::source_location where) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // clears a recoverable error, so that the next call does not report it again
    fail_on_gpu(cudaGetErrorString(status), where);
}

void* cuda_take(std::size_t bytes, cudaStream_t stream, std::source_location where) {
    void* memory = nullptr;
    const cudaError_t status = cudaMallocAsync(&memory, bytes, stream);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        std::size_t available = 0, total = 0;
        cudaMemGetInfo(&available, &total);
        fail_for_gpu_memory(bytes, held, available, where);
    }
    cuda_check(status, where);
    count_taken(bytes);
    return memory;
}

void cuda_give_back(void* memory, std::size_t bytes, cudaStream_t stream) noexcept {
    cudaFreeAsync(memory, stream);
    held -= bytes;
}

int backend::cuda_devices() {
    int count = 0;
    const bool found = cudaGetDeviceCount(&count) == cudaSuccess;
    if (!found) cudaGetLastError();
    return found ? count : 0;
}

Gpu backend::cuda_device(int index) {
    const int count = cuda_devices();
    if (index < 0 || index >= count) fail_without_gpu(index, count);
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, index));
    return {properties.name, properties.totalGlobalMem, cuda_free_memory(index)};
}

std::uint64_t backend::cuda_free_memory(int index) {
    const CallersContext callers;
    cuda_check(cudaSetDevice(index));
    std::size_t available = 0, total = 0;
    cuda_check(cudaMemGetInfo(&available, &total));
    cudaMemPool_t pool = nullptr;
    std::uint64_t reserved = 0, used = 0;
    cuda_check(cudaDeviceGetDefaultMemPool(&pool, index));
    cuda_check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    cuda_check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    return available + reserved - used;
}

std::uint64_t backend::cuda_held_memory() { return held; }
std::uint64_t backend::cuda_peak_memory() { return peak; }
void backend::reset_cuda_peak_memory() { peak = held.load(); }

Cuda::Cuda(const Run& run) : run_(run) {
    backend::cuda_device(run.gpu());  // throws if there is no such GPU
    cuda_check(cudaSetDevice(run.gpu()));
    cuda_check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, run.gpu()));
    keep_freed_memory(run.gpu());
    cuda_check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (cudaEvent_t& event : launched_) cuda_check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    resize(parts_, math::max_runs);
    fill(ticket_, 1, 0U);
}

Cuda::~Cuda() {
    forget();
    for (cudaEvent_t event : launched_) cudaEventDestroy(event);
    cudaStreamSynchronize(stream_);
    parts_ = {};
    ticket_ = {};
    cudaStreamDestroy(stream_);
}

void Cuda::copy_in(void* to, const void* from, std::size_t bytes) {
    if (bytes >= staged_from) return copy_in_staged(*this, to, from, bytes);
    if (bytes > 0) cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()));
}

void Cuda::copy_out(void* to, const void* from, std::size_t bytes) {
    if (bytes >= staged_from) return copy_out_staged(*this, to, from, bytes);
    if (bytes > 0) cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()));
    wait();
}

void Cuda::begin_recording() { cuda_check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal)); }

void Cuda::end_recording() {
    cudaGraph_t graph = nullptr;
    cuda_check(cudaStreamEndCapture(stream_, &graph));
    const cudaError_t status = cudaGraphInstantiate(&recorded_, graph, 0);
    cudaGraphDestroy(graph);
    cuda_check(status);
}

void Cuda::drop_recording() noexcept {
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
}

void Cuda::launch_recorded() {
    cudaEvent_t& mark = launched_[next_launch_];
    next_launch_ = (next_launch_ + 1) % run_ahead;
    cuda_check(cudaEventSynchronize(mark));  // the launch of `run_ahead` launches ago
    cuda_check(cudaGraphLaunch(recorded_, stream_));
    cuda_check(cudaEventRecord(mark, stream_));
}

void Cuda::forget() {
    if (recorded_ != nullptr) cudaGraphExecDestroy(recorded_);
    recorded_ = nullptr;
}

}  // namespace dunlin::device

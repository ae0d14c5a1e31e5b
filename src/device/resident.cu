// SPDX-License-Identifier: Apache-2.0
#include "device/resident.cuh"

#include "device/gpus.hpp"

namespace dunlin::device {

namespace {

/// A Run that names a GPU and nothing else.
Run run_on(int gpu) {
    Run run;
    run.gpus = {gpu};
    return run;
}

/// Frees memory of cudaMalloc. cudaFree waits for the GPU, so that the caller's last kernels on any stream have ended.
struct FreeForCaller {
    int gpu;
    void operator()(void* memory) const noexcept {
        const CallersContext callers;
        if (cudaSetDevice(gpu) == cudaSuccess) cudaFree(memory);
        cudaGetLastError();  // at the end of a process the driver may be gone
    }
};

}  // namespace

void follow(Cuda& cuda, void* stream) {
    cudaEvent_t written = nullptr;
    cuda_check(cudaEventCreateWithFlags(&written, cudaEventDisableTiming));
    cudaError_t status = cudaEventRecord(written, static_cast<cudaStream_t>(stream));
    if (status == cudaSuccess) status = cudaStreamWaitEvent(cuda.stream(), written, 0);
    cudaEventDestroy(written);
    cuda_check(status);
}

void require_resident(const Cuda& cuda, const void* memory) {
    cudaPointerAttributes found{};
    cuda_check(cudaPointerGetAttributes(&found, memory));
    const bool managed = found.type == cudaMemoryTypeManaged;
    if (managed || (found.type == cudaMemoryTypeDevice && found.device == cuda.run().gpu())) return;
    fail_for_foreign_pointer(cuda.run().gpu());
}

std::shared_ptr<void> memory_for_caller(Cuda& cuda, std::size_t bytes) {
    const int gpu = cuda.run().gpu();
    void* memory = nullptr;
    cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {  // the pool of the stream-ordered allocations may hold what is free
        cudaGetLastError();
        cuda.wait();
        cudaMemPool_t pool = nullptr;
        cuda_check(cudaDeviceGetDefaultMemPool(&pool, gpu));
        cuda_check(cudaMemPoolTrimTo(pool, 0));
        status = cudaMalloc(&memory, bytes);
    }
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        fail_for_gpu_memory(bytes, backend::cuda_held_memory(), backend::cuda_free_memory(gpu),
                            std::source_location::current());
    }
    cuda_check(status);
    return {memory, FreeForCaller{gpu}};
}

std::shared_ptr<void> backend::copy_to_gpu(const void* values, std::size_t bytes, int gpu) {
    Cuda cuda(run_on(gpu));
    std::shared_ptr<void> memory = memory_for_caller(cuda, bytes);
    cuda.copy_in(memory.get(), values, bytes);
    cuda.wait();
    return memory;
}

void backend::copy_from_gpu(void* to, const DeviceMatrixView<const float>& from) {
    Cuda cuda(run_on(from.gpu));
    require_resident(cuda, from.data);
    follow(cuda, from.stream);
    cuda.copy_out(to, from.data, static_cast<std::size_t>(from.size()) * sizeof(float));
}

}  // namespace dunlin::device

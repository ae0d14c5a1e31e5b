#pragma once

#include <cublas_v2.h>

#include "device/cuda.cuh"

namespace dunlin::device {

/// Throws Error{device_failure} naming the caller's line.
void cublas_check(cublasStatus_t status, std::source_location where = std::source_location::current());

/// A handle of cuBLAS that works on the stream of its maker. With one stream, a workspace of its own and no atomics a
/// product has the same bytes every time.
class CudaBlas {
public:
    explicit CudaBlas(Cuda& cuda);
    ~CudaBlas();
    CudaBlas(const CudaBlas&) = delete;
    CudaBlas& operator=(const CudaBlas&) = delete;

    [[nodiscard]] cublasHandle_t handle() const { return handle_; }

private:
    cublasHandle_t handle_ = nullptr;
    CudaBuffer<char> workspace_;
};

}  // namespace dunlin::device

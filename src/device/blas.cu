#include "device/blas.cuh"

#include "device/gpus.hpp"

namespace dunlin::device {

namespace {
constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what NVIDIA recommends for its largest GPUs
}

void cublas_check(cublasStatus_t status, std::source_location where) {
    if (status != CUBLAS_STATUS_SUCCESS) fail_on_gpu(cublasGetStatusString(status), where);
}

CudaBlas::CudaBlas(Cuda& cuda) : workspace_(workspace_bytes, cuda.stream()) {
    cublas_check(cublasCreate(&handle_));
    cublas_check(cublasSetStream(handle_, cuda.stream()));
    cublas_check(cublasSetWorkspace(handle_, workspace_.data(), workspace_bytes));
    cublas_check(cublasSetAtomicsMode(handle_, CUBLAS_ATOMICS_NOT_ALLOWED));
}

CudaBlas::~CudaBlas() { cublasDestroy(handle_); }

}  // namespace dunlin::device

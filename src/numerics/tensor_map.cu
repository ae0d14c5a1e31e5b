// SPDX-License-Identifier: Apache-2.0
#include "numerics/tensor_map.cuh"

namespace dunlin::numerics {

namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

/// cuTensorMapEncodeTiled, looked up through the runtime, so that nothing links to the driver; null if it is missing.
Encode find_encode() {
    static const Encode encode = [] {
        void* function = nullptr;
        cudaDriverEntryPointQueryResult found{};
        const cudaError_t status =
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
        if (status != cudaSuccess) cudaGetLastError();
        const bool usable = status == cudaSuccess && found == cudaDriverEntryPointSuccess;
        return usable ? reinterpret_cast<Encode>(function) : nullptr;
    }();
    return encode;
}

}  // namespace

bool has_warpgroup_products(const device::Cuda& cuda) {
    int major = 0, minor = 0;
    device::cuda_check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, cuda.run().gpu()));
    device::cuda_check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, cuda.run().gpu()));
    return major == 9 && minor == 0 && find_encode() != nullptr;
}

CUtensorMap tensor_map(const __half* values, Index rows, Index width, Index box_columns, Index box_rows) {
    CUtensorMap map{};
    const cuuint64_t sizes[] = {static_cast<cuuint64_t>(width), static_cast<cuuint64_t>(rows)};
    const cuuint64_t strides[] = {static_cast<cuuint64_t>(width) * sizeof(__half)};
    const cuuint32_t box[] = {static_cast<cuuint32_t>(box_columns), static_cast<cuuint32_t>(box_rows)};
    const cuuint32_t steps[] = {1, 1};
    const CUresult status =
        find_encode()(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<__half*>(values), sizes, strides, box, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    device::cuda_check(status == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue);
    return map;
}

}  // namespace dunlin::numerics

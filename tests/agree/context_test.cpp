// SPDX-License-Identifier: Apache-2.0
#include <cudaTypedefs.h>

#include <thread>

#include "agree/agree.hpp"
#include "device/cuda.cuh"

namespace dunlin::device {
namespace {

/// The CUDA context that is bound to this thread, or null.
CUcontext bound() {
    void* current = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    cuda_check(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &current, 12000, cudaEnableDefault, &result));
    CUcontext context = nullptr;
    EXPECT_EQ(reinterpret_cast<PFN_cuCtxGetCurrent_v4000>(current)(&context), CUDA_SUCCESS);
    return context;
}

TEST(CallersContext, IsAsItWasWhetherThereWasOneOrNot) {
    DUNLIN_NEEDS_GPU();
    std::thread([] {
        EXPECT_EQ(bound(), nullptr);
        for (int i = 0; i < 2; ++i) {
            const Cuda cuda{dunlin::Run{}};
            EXPECT_NE(bound(), nullptr);
        }
        EXPECT_EQ(bound(), nullptr);
        cuda_free_memory(0);
        EXPECT_EQ(bound(), nullptr);
    }).join();
    std::thread([] {
        cuda_check(cudaSetDevice(0));
        const CUcontext own = bound();
        EXPECT_NE(own, nullptr);
        {
            const Cuda cuda{dunlin::Run{}};
        }
        EXPECT_EQ(bound(), own);
    }).join();
}

TEST(CallersContext, OfAnotherDeviceComesBack) {
    DUNLIN_NEEDS_GPU();
    if (cuda_devices() < 2) GTEST_SKIP() << "one GPU here";
    cuda_check(cudaSetDevice(0));
    const CUcontext own = bound();
    for (int i = 0; i < 2; ++i) {
        dunlin::Run run;
        run.gpus = {1};
        const Cuda cuda(run);
        EXPECT_NE(bound(), own);
    }
    EXPECT_EQ(bound(), own);
    int device = -1;
    cuda_check(cudaGetDevice(&device));
    EXPECT_EQ(device, 0);
}

}  // namespace
}  // namespace dunlin::device

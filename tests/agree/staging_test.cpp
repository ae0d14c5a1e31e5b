// SPDX-License-Identifier: Apache-2.0
#include "device/staging.cuh"

#include "agree/agree.hpp"

namespace dunlin::device {
namespace {

TEST(StagingOnGpu, CopiesEveryByte) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{1000}, staged_from / 4 - 1, staged_from / 4 + 3, std::size_t{50000003}}) {
        std::vector<std::uint32_t> values(size);
        for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::uint32_t>(i * 2654435761U);
        CudaBuffer<std::uint32_t> buffer;
        cuda.upload(buffer, values);
        EXPECT_EQ(cuda.host(buffer), values) << size;
        cuda.fill(buffer, size, 0U);
        copy_in_staged(cuda, buffer.data(), values.data(), size * sizeof(std::uint32_t));
        EXPECT_EQ(cuda.host(buffer), values) << size;
    }
}

TEST(StagingOnGpu, OneThreadWillDo) {
    DUNLIN_NEEDS_GPU();
    dunlin::Run run;
    run.threads = 1;
    Cuda cuda{run};
    const std::vector<float> values(20000000, 3.0F);
    CudaBuffer<float> buffer;
    cuda.upload(buffer, values);
    EXPECT_EQ(cuda.host(buffer), values);
}

}  // namespace
}  // namespace dunlin::device

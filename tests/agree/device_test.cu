// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include <dunlin/error.hpp>

#include "agree/agree.hpp"
#include "device/cpu.hpp"
#include "device/cuda.cuh"

namespace dunlin::device {
namespace {

struct Reciprocal {
    DUNLIN_HD double operator()(Offset i) const { return 1.0 / static_cast<double>(i + 1); }
};
struct Place {
    DUNLIN_HD math::Vec<double, 3> operator()(Offset i) const { return {{1.0, static_cast<double>(i), 0.5}}; }
};
struct Increment {
    int* values;
    __device__ void operator()(Offset i) const { values[i] += static_cast<int>(i); }
};

TEST(Cuda, EachVisitsEveryItemOnce) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    for (const std::size_t n : {0, 1, 2, 31, 32, 33, 1000, 70001, 3000000}) {
        CudaBuffer<int> values;
        cuda.fill(values, n, 7);
        cuda.each(static_cast<Offset>(n), Increment{values.data()});
        std::vector<int> expected(n);
        std::iota(expected.begin(), expected.end(), 7);
        EXPECT_EQ(cuda.host(values), expected) << n;
    }
}

TEST(Cuda, SumsAreTheCpusAndAlwaysTheSame) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    Cpu cpu(2);
    for (const Offset n : {0, 1, 2, 31, 32, 33, 1000, 70001, 10000000}) {
        Cell<double> expected;
        CudaCell<double> found, again;
        cpu.sum(n, Reciprocal{}, expected);
        cuda.sum(n, Reciprocal{}, found);
        cuda.sum(n, Reciprocal{}, again);
        EXPECT_NEAR(cuda.read(found), expected.value, 1e-12 * expected.value) << n;
        EXPECT_EQ(cuda.read(found), cuda.read(again)) << n;
        CudaCell<math::Vec<double, 3>> places;
        cuda.sum(n, Place{}, places);
        const auto sum = cuda.read(places);
        EXPECT_EQ(sum.at[0], static_cast<double>(n));
        EXPECT_EQ(sum.at[1], static_cast<double>(n) * static_cast<double>(n - 1) / 2);
        EXPECT_EQ(sum.at[2], 0.5 * static_cast<double>(n));
    }
}

struct Uneven {
    __device__ double operator()(Offset i) const { return 1.0 / static_cast<double>(i + 1); }
};

/// Parts that begin and end with a run: 1, 2, 3 and 8 of them, uneven, some empty.
TEST(Cuda, SumsHaveTheSameBytesInParts) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    for (const Offset n : {Offset{1}, Offset{256}, Offset{70001}, Offset{600001}, Offset{10000003}}) {
        const math::Runs runs = math::runs_of(n);
        CudaCell<double> whole;
        cuda.sum(n, Uneven{}, whole);
        const double expected = cuda.read(whole);
        for (const Offset parts : {1, 2, 3, 8}) {
            CudaBuffer<double> sums;
            cuda.fill(sums, static_cast<std::size_t>(runs.count()), -1.0);
            for (Offset p = parts; p-- > 0;) {  // in reverse order; lengths of parts grow quadratically
                const auto border = [&](Offset q) {
                    return q == 1 && parts > 2 ? 0 : runs.count() * q * q / (parts * parts);
                };
                cuda.run_sums(runs, border(p), border(p + 1), Uneven{}, sums.data());
            }
            CudaCell<double> total;
            cuda.add_parts(static_cast<int>(runs.count()), sums.data(), total);
            EXPECT_EQ(cuda.read(total), expected) << n << " in " << parts;
        }
    }
}

TEST(Cuda, WhatIsReplayedRunsEachTime) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    CudaBuffer<int> values;
    cuda.fill(values, 1000, 0);
    for (int round = 0; round < 100; ++round) {
        if (round == 40) cuda.forget();
        cuda.replay([&] { cuda.each(1000, Increment{values.data()}); });
    }
    std::vector<int> expected(1000);
    for (int i = 0; i < 1000; ++i) expected[static_cast<std::size_t>(i)] = 100 * i;
    EXPECT_EQ(cuda.host(values), expected);
}

TEST(Cuda, OutOfMemorySaysHowMuchAndLeavesTheProcessUsable) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    try {
        const CudaBuffer<double> much(std::size_t{1} << 40, cuda.stream());
        FAIL() << "8 TB were given";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::out_of_memory);
        EXPECT_NE(std::string(error.what()).find("8796.093 GB"), std::string::npos) << error.what();
    }
    CudaBuffer<int> values;
    cuda.fill(values, 10, 3);
    EXPECT_EQ(cuda.host(values), std::vector<int>(10, 3));
}

TEST(Cuda, PeakMemoryCountsWhatWasHeld) {
    DUNLIN_NEEDS_GPU();
    Cuda cuda{dunlin::Run{}};
    reset_cuda_peak_memory();
    const std::uint64_t before = cuda_peak_memory();
    {
        const CudaBuffer<char> held(100000000, cuda.stream());
    }
    EXPECT_EQ(cuda_peak_memory() - before, 100000000U);
}

TEST(Cuda, WhatIsGivenBackIsFreeAgain) {
    DUNLIN_NEEDS_GPU();
    constexpr std::size_t much = 2000000000, little = much / 4;
    Cuda cuda{dunlin::Run{}};
    const std::uint64_t before = cuda_free_memory(0);
    {
        const CudaBuffer<char> held(much, cuda.stream());
        EXPECT_LT(cuda_free_memory(0), before - much + little);
    }
    cuda.wait();
    EXPECT_GT(cuda_free_memory(0), before - little);
    EXPECT_GT(cuda_device(0).free_memory, before - little);
}

TEST(Cuda, ADeviceThatIsNotThereIsAnError) {
    dunlin::Run run;
    run.gpus = {99};
    try {
        const Cuda cuda(run);
        FAIL() << "device 99 was found";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::no_device);
    }
}

}  // namespace
}  // namespace dunlin::device

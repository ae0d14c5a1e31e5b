// SPDX-License-Identifier: Apache-2.0
// Products of a training on a GPU, alone: those of a step with a batch of 1,000 rows in the default network of MNIST
// with its 256 prototypes, and of 10,000 rows placed.
//
//   bench_parametric_gpu [--commit NAME] [--runs N]
//
// Prints a CSV row per product: microseconds of one of 20 in a row, median of the runs, and TFLOP/s.
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <dunlin/gpus.hpp>

#include "arguments.hpp"
#include "device_timer.cuh"
#include "math/rng.hpp"
#include "numerics/dense_product.cuh"
#include "timing.hpp"

namespace {

using namespace dunlin;

struct Case {
    Index rows, cols, inner;
    bool a_transposed, b_transposed;
};

struct Draw {
    float* values;
    __device__ void operator()(Offset i) const {
        values[i] = static_cast<float>(math::random_normal(1, static_cast<std::uint64_t>(i)));
    }
};

std::vector<Case> cases() {
    const std::vector<Index> widths{784, 500, 500, 2000, 256};
    std::vector<Case> all;
    for (const Index rows : {1000, 10000}) {
        for (std::size_t l = 1; l < widths.size(); ++l) {
            const Index in = widths[l - 1], out = widths[l];
            all.push_back({rows, out, in, false, false});
            if (rows > 1000) continue;
            all.push_back({in, out, rows, true, false});
            if (l > 1) all.push_back({rows, in, out, false, true});
        }
    }
    return all;
}

}  // namespace

int bench_main(int count, char** words) {
    const bench::Arguments given = bench::arguments_from(count, words, {"--commit", "--runs"}, 9);
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%F", std::gmtime(&now));
    std::printf("date,commit,device,rows,cols,inner,transposed,us,tflops\n");
    device::Cuda cuda{Run{}};
    constexpr std::size_t most = std::size_t{10000} * 2000;
    device::CudaBuffer<float> a(most, cuda.stream()), b(most, cuda.stream()), c(most, cuda.stream());
    for (auto* each : {&a, &b}) cuda.each(static_cast<Offset>(most), Draw{each->data()});
    for (const Case& one : cases()) {
        const numerics::DenseProduct job{.rows = one.rows,
                                         .cols = one.cols,
                                         .inner = one.inner,
                                         .a = {a.data(), one.a_transposed ? one.rows : one.inner, one.a_transposed},
                                         .b = {b.data(), one.b_transposed ? one.inner : one.cols, one.b_transposed},
                                         .c = c.data()};
        constexpr int repeats = 20;
        std::vector<double> times;
        for (int run = 0; run <= given.runs; ++run) {
            bench::DeviceTimer timer(cuda);
            for (int i = 0; i < repeats; ++i) numerics::multiply(cuda, job);
            const double us = 1e3 * timer.lap() / repeats;
            if (run > 0) times.push_back(us);
        }
        const double us = bench::median(times), flops = 2.0 * one.rows * one.cols * one.inner;
        std::printf("%s,%s,%s,%d,%d,%d,%s%s,%.2f,%.2f\n", date, given.commit.c_str(), gpus().front().name.c_str(),
                    one.rows, one.cols, one.inner, one.a_transposed ? "a" : "", one.b_transposed ? "b" : "", us,
                    flops / us * 1e-6);
        std::fflush(stdout);
    }
    return 0;
}

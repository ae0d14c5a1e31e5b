// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <chrono>
#include <cmath>

#include "numerics/fft.hpp"

using namespace dunlin;

int bench_main(int, char**) {
    for (const int n :
         {32, 64, 100, 128, 200, 256, 320, 400, 480, 500, 512, 600, 640, 720, 800, 1000, 1024, 1200, 1536}) {
        numerics::Fft fft(n);
        device::AlignedBuffer<float> columns(static_cast<std::size_t>(n) * numerics::fft_element, 1e-20F),
            ones(16 * static_cast<std::size_t>(n), 1.0F / static_cast<float>(n));
        std::vector<int> place(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) place[static_cast<std::size_t>(i)] = i;
        double best = 1e30;
        for (int round = 0; round < 20; ++round) {
            const auto t0 = std::chrono::steady_clock::now();
            for (int r = 0; r < 20; ++r) {
                fft.filter(columns.data(), ones.data(), place.data());
            }
            const double us =
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - t0).count() / 40;
            best = std::min(best, us);
        }
        fmt::print("{:5} {:8.2f} us  {:6.1f} Gflop/s\n", n, best, 5.0 * 16 * n * std::log2(n) / best * 1e-3);
    }
    return 0;
}

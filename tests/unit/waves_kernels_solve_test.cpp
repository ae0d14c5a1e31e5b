// SPDX-License-Identifier: Apache-2.0
// The kernels of waves for GPUs, emulated on the CPU: solvers of tridiagonal systems.
#include <dunlin/waves.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cases/emulated_gpu.hpp"
#include "cases/waves_kernels.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "waves/cuda/tridiagonal.cuh"
#pragma GCC diagnostic pop

namespace dunlin::waves {
namespace {

using namespace kernels;

/// Rows with |b| = dominance (|a| + |c|).
struct Matrix {
    std::vector<double> a, b, c, d;
    Matrix(Index n, double dominance)
        : a(numbers(n, 3, -1, 2)), b(a.size()), c(numbers(n, 4, -1, 2)), d(numbers(n, 5, -1, 2)) {
        for (std::size_t i = 0; i < b.size(); ++i)
            b[i] = (std::abs(a[i]) + std::abs(c[i]) + 1e-3) * dominance * (i % 7 == 3 ? -1 : 1);
        a.front() = c.back() = 7;  // not to be read as couplings
    }
    [[nodiscard]] DeviceSystem view() const {
        return {a.data(), b.data(), c.data(), d.data(), static_cast<int>(b.size())};
    }
    /// Largest |Ax - d| relative to |A||x| + |d|, in units of 2^-52.
    [[nodiscard]] double backward_error(const std::vector<double>& x) const {
        double largest = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const long double left = i > 0 ? static_cast<long double>(a[i]) * x[i - 1] : 0;
            const long double right = i + 1 < x.size() ? static_cast<long double>(c[i]) * x[i + 1] : 0;
            const long double here = static_cast<long double>(b[i]) * x[i];
            const long double size = std::abs(left) + std::abs(here) + std::abs(right) + std::abs(d[i]);
            const auto error = static_cast<double>(std::abs(left + here + right - d[i]) / size);
            if (!(error <= largest)) largest = error;
        }
        return largest / 0x1p-52;
    }
};

std::vector<double> solve_by_partition(const DeviceSystem& system, bool descending) {
    std::vector<double> x(static_cast<std::size_t>(system.n), nan_value);
    if (system.n <= tile_rows) {
        emulated::launch({}, solve_threads, tile_bytes, descending, [&] { solve_block(system, x.data()); });
        return x;
    }
    const auto size = static_cast<std::size_t>(reduced_size(system.n));
    std::vector<double> a(size, nan_value), b(a), c(a), d(a);
    const Reduced reduced{a.data(), b.data(), c.data(), d.data()};
    emulated::launch({static_cast<unsigned>(reduced_tiles(system.n)), 1, 1}, solve_threads, tile_bytes, descending,
                     [&] { reduce_rows(system, reduced); });
    const std::vector<double> last =
        solve_by_partition({a.data(), b.data(), c.data(), d.data(), static_cast<int>(size)}, !descending);
    emulated::launch({static_cast<unsigned>((system.n + tile_rows - 1) / tile_rows), 1, 1}, solve_threads, tile_bytes,
                     descending, [&] { expand_rows(system, last.data(), x.data()); });
    return x;
}

TEST(WavesKernels, PartitionSolvesTridiagonalSystems) {
    for (const Index n : {1, 2, 3, 14, 15, 16, 31, 32, 33, 1000, 1905, 1919, 1920, 1921, 4095, 4097, 70001}) {
        for (const double dominance : {1.001, 1.5, 3.0}) {
            const Matrix matrix(n, dominance);
            EXPECT_LE(matrix.backward_error(solve_by_partition(matrix.view(), n % 2 == 0)), 8)
                << n << " rows, " << dominance;
        }
    }
}

TEST(WavesKernels, TilesSolveDominantSystemsAndBoundTheirInfluence) {
    for (const Index n : {1, 33, 1000, 1921, 9001}) {
        const Matrix matrix(n, 3);
        std::vector<double> x(static_cast<std::size_t>(n), nan_value);
        for (const int halo_parts : {1, 4}) {
            const int written = (solve_threads - 2 * halo_parts) * part;
            unsigned long long influence = 0;
            emulated::launch({static_cast<unsigned>((n + written - 1) / written), 1, 1}, solve_threads, tile_bytes,
                             n % 2 == 0, [&] { solve_tiles(matrix.view(), halo_parts, x.data(), &influence); });
            const std::vector<double> exact = solve_by_partition(matrix.view(), false);
            double largest = 0, size = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                largest = std::max(largest, std::abs(x[i] - exact[i]));
                size = std::max(size, std::abs(exact[i]));
            }
            EXPECT_LE(largest, (2 * std::bit_cast<double>(influence) + 1e-14) * size) << n << " rows";
            if (halo_parts == 4) {
                EXPECT_LE(std::bit_cast<double>(influence), 1e-16) << n << " rows";
            }
        }
    }
    const Matrix weak(9001, 1.001);
    std::vector<double> x(9001);
    unsigned long long influence = 0;
    emulated::launch({5, 1, 1}, solve_threads, tile_bytes, false,
                     [&] { solve_tiles(weak.view(), 1, x.data(), &influence); });
    EXPECT_GT(std::bit_cast<double>(influence), 1e-16);
}

}  // namespace
}  // namespace dunlin::waves

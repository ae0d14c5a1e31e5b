// SPDX-License-Identifier: Apache-2.0
// The kernel of dense products for GPUs, emulated on the CPU: its tilings beside each other to the byte, and beside
// sums in double.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "math/rng.hpp"
#include "numerics/tiled_product.hpp"

#include "cases/cases.hpp"
#include "cases/emulated_gpu.hpp"

namespace dunlin::numerics {

constexpr unsigned most_threads = 512;

inline void __syncthreads() { emulated::Block::running->wait_for_block(); }
inline std::uint32_t __float_as_uint(float value) { return std::bit_cast<std::uint32_t>(value); }
inline float __uint_as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline float* launch_memory() { return reinterpret_cast<float*>(emulated::Block::launch_memory.data()); }

/// Copies of a thread are done as late as its waits allow.
struct Copies {
    std::vector<std::vector<std::function<void()>>> committed;
    std::vector<std::function<void()>> begun;

    static Copies& own() {
        static std::vector<Copies> all(most_threads);
        return all[emulated::Block::thread.x];
    }
};
template <int Width>
void copy_async(float* shared, const float* global, int there) {
    Copies::own().begun.emplace_back([=] {
        for (int i = 0; i < Width; ++i) shared[i] = i < there ? global[i] : 0.0F;
    });
}
inline void commit_copies() {
    Copies& own = Copies::own();
    own.committed.push_back(std::move(own.begun));
    own.begun.clear();
}
template <std::size_t Left>
void wait_for_copies() {
    auto& committed = Copies::own().committed;
    while (committed.size() > Left) {
        for (const auto& copy : committed.front()) copy();
        committed.erase(committed.begin());
    }
}

/// mma.sync.m16n8k8 by a warp, each entry in the order of the levels. With one barrier: factors of the call before are
/// in the other half.
inline void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
    struct Factors {
        float a[4], b[2];
    };
    static Factors factors[2][most_threads];
    static unsigned calls[most_threads];
    const unsigned me = emulated::Block::thread.x, lane = me % 32, half = calls[me]++ % 2;
    Factors& own = factors[half][me];
    for (int i = 0; i < 4; ++i) own.a[i] = std::bit_cast<float>(a[i]);
    for (int i = 0; i < 2; ++i) own.b[i] = std::bit_cast<float>(b[i]);
    emulated::Block::running->wait_for_warp();
    const Factors* const warp = factors[half] + me / 32 * 32;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = lane / 4 + i / 2 * 8, col = lane % 4 * 2 + i % 2;
        for (unsigned level = 0; level < 8; ++level)
            c[i] += warp[row % 8 * 4 + level % 4].a[row / 8 + level / 4 * 2] * warp[col * 4 + level % 4].b[level / 4];
    }
}

}  // namespace dunlin::numerics

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "numerics/dense_product_kernel.cuh"
#pragma GCC diagnostic pop

namespace dunlin::numerics {
namespace {

struct Shape {
    Index rows, cols, inner;
};

std::vector<float> normals(Index count, std::uint64_t seed) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(math::random_normal(seed, i));
    return values;
}

/// The product of factors with rows of `stride` more numbers than they need.
struct Given {
    Shape shape;
    bool a_transposed, b_transposed;
    Index more;
    std::vector<float> a, b, before;

    Given(const Shape& of, bool of_a, bool of_b, Index stride)
        : shape(of),
          a_transposed(of_a),
          b_transposed(of_b),
          more(stride),
          a(normals((of_a ? of.inner : of.rows) * ((of_a ? of.rows : of.inner) + stride), 1)),
          b(normals((of_b ? of.cols : of.inner) * ((of_b ? of.inner : of.cols) + stride), 2)),
          before(normals(of.rows * of.cols, 3)) {}

    [[nodiscard]] Factor factor_a() const {
        return {a.data(), (a_transposed ? shape.rows : shape.inner) + more, a_transposed};
    }
    [[nodiscard]] Factor factor_b() const {
        return {b.data(), (b_transposed ? shape.inner : shape.cols) + more, b_transposed};
    }

    template <class T, bool AByItems, bool BByItems, int Width>
    [[nodiscard]] std::vector<float> by_kernel(bool descending) const {
        std::vector<float> c = before;
        const DenseProduct job{shape.rows, shape.cols, shape.inner, factor_a(), factor_b(), c.data(), 0.5F, 2};
        const auto tiles = [](Index count, int side) { return static_cast<unsigned>((count + side - 1) / side); };
        emulated::launch({tiles(shape.rows, T::rows), tiles(shape.cols, dense::tile_cols), 1}, T::threads,
                         static_cast<std::size_t>(dense::block_bytes<T, AByItems, BByItems>), descending,
                         [&] { dense::dense_product_kernel<T, AByItems, BByItems, Width>(job); });
        return c;
    }
    template <class T, bool AByItems, bool BByItems>
    [[nodiscard]] std::vector<float> by_tiling(bool descending) const {
        const bool aligned = factor_a().stride % 4 == 0 && factor_b().stride % 4 == 0;
        return aligned ? by_kernel<T, AByItems, BByItems, 4>(descending)
                       : by_kernel<T, AByItems, BByItems, 1>(descending);
    }
    template <class T>
    [[nodiscard]] std::vector<float> by(bool descending) const {
        if (a_transposed)
            return b_transposed ? by_tiling<T, false, true>(descending) : by_tiling<T, false, false>(descending);
        return b_transposed ? by_tiling<T, true, true>(descending) : by_tiling<T, true, false>(descending);
    }
};

void expect_product(const Given& given) {
    SCOPED_TRACE(std::to_string(given.shape.rows) + " x " + std::to_string(given.shape.cols) + " x " +
                 std::to_string(given.shape.inner) + ", " + std::to_string(given.a_transposed) +
                 std::to_string(given.b_transposed) + ", " + std::to_string(given.more));
    const std::vector<float> found = given.by<dense::ManyTiles>(false);
    EXPECT_EQ(given.by<dense::FewTiles>(true), found);
    EXPECT_EQ(given.by<dense::FewestTiles>(false), found);
    for (Index i = 0; i < given.shape.rows; ++i) {
        for (Index j = 0; j < given.shape.cols; ++j) {
            double sum = 0, most = 0;
            for (Index k = 0; k < given.shape.inner; ++k) {
                const double term = static_cast<double>(*given.factor_a().from(i, k)) *
                                    static_cast<double>(*given.factor_b().from(k, j));
                sum += term, most += std::abs(term);
            }
            const auto entry = static_cast<std::size_t>(i * given.shape.cols + j);
            const double expected = 0.5 * sum + 2 * static_cast<double>(given.before[entry]);
            ASSERT_NEAR(found[entry], expected, cases::split_product * (most + std::abs(expected))) << i << ", " << j;
        }
    }
}

TEST(DenseProductKernel, TilingsGiveTheSameBytes) {
    for (const bool a : {false, true}) {
        for (const bool b : {false, true}) {
            expect_product({{65, 66, 101}, a, b, 0});
            expect_product({{32, 64, 128}, a, b, 4});
            expect_product({{33, 9, 36}, a, b, 1});
            expect_product({{1, 12, 9}, a, b, 3});
        }
    }
}

TEST(DenseProductKernel, TheTilingKeepsMultiprocessorsBusy) {
    const auto threads = [](Index rows, Index cols) {
        int found = 0;
        dense::with_tiling(rows, cols, 132, [&](auto tiling) { found = tiling.rows * 1000 + tiling.threads; });
        return found;
    };
    EXPECT_EQ(threads(1000, 256), 32512);        // 64 tiles
    EXPECT_EQ(threads(64 * 66, 64), 32512);      // 66
    EXPECT_EQ(threads(64 * 66 + 1, 64), 64512);  // 67
    EXPECT_EQ(threads(1000, 500), 64512);        // 128
    EXPECT_EQ(threads(64 * 132, 64), 64512);
    EXPECT_EQ(threads(64 * 132 + 1, 64), 64256);
    EXPECT_EQ(threads(10000, 2000), 64256);
}

}  // namespace
}  // namespace dunlin::numerics

// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "cases/kmeans.hpp"
#include "device/aligned.hpp"
#include "kmeans/bytes.hpp"
#include "kmeans/reassignments.hpp"
#include "kmeans/sums.hpp"
#include "math/at.hpp"

namespace dunlin::kmeans {
namespace {

TEST(KmeansFormulas, IntegersRoundToNearest) {
    EXPECT_EQ(to_integer(1.26, 10), 13);
    EXPECT_EQ(to_integer(-1.26, 10), -13);
    EXPECT_EQ(to_integer(0.05, 10), 0);  // half to even
    EXPECT_EQ(to_integer(std::ldexp(1.0, 50), 1), Sum{1} << 50);
}

TEST(KmeansFormulas, ScaleLeavesRoomForAllSums) {
    for (const Offset count : {Offset{1}, Offset{1000}, Offset{100'000'000}, Offset{2'000'000'000}}) {
        for (const double most : {1e-30, 0.3, 1.0, 1e15}) {
            const double largest = most * integer_scale(most, count);
            EXPECT_LT(largest, 0x1p51);
            EXPECT_LT(largest * static_cast<double>(count), 0x1p62);
            EXPECT_GE(largest * static_cast<double>(count) * 16, std::min(0x1p50 * static_cast<double>(count), 0x1p62));
        }
    }
}

/// Equal numbers, one outlier, and sums just below and at a power of two.
TEST(KmeansFormulas, ScaleByTheSumLeavesRoomForIt) {
    for (const Offset count : {Offset{1}, Offset{1000}, Offset{1 << 20}, Offset{2'000'000'000}}) {
        const auto n = static_cast<double>(count);
        for (const double most : {1e-80, 0.3, 1.0, 1.999999, 1e15}) {
            for (const double all : {most, most * n, most * n * 0.999999999, most * (1 + 1e-9 * (n - 1))}) {
                const double scale = integer_scale(most, all, count);
                EXPECT_LT(most * scale, 0x1p51);
                EXPECT_LT(all * scale + n, 0x1p62);
                EXPECT_TRUE(most * scale >= 0x1p50 || all * (1 + 0x1p-20) * scale * 2 + n >= 0x1p62);
                EXPECT_EQ(scale, std::exp2(std::ilogb(scale)));
            }
        }
    }
    EXPECT_EQ(integer_scale(0.0, 0.0, 10), 1);
    EXPECT_EQ(integer_scale(1.0, 2.0, 2), 0x1p50);
    EXPECT_EQ(integer_scale(1.0, 4096.0, 4096), 0x1p49);
}

/// The result has the same bits for any number of threads and any blocks of rows.
TEST(KmeansFormulas, MeasuresWeightsAsRepeatedRows) {
    const std::vector<float> points{1, 5, 7, -300, 2, 1e9F}, weights{1, 3, 2, 0, 1, 0};
    const std::vector<float> repeated{1, 5, 5, 5, 7, 7, 2};
    device::Cpu cpu(3);
    const Scales some = measure(cpu, {view(points, 1), weights}), all = measure(cpu, {view(repeated, 1)});
    EXPECT_DOUBLE_EQ(some.means[0], 32.0 / 7);
    EXPECT_DOUBLE_EQ(some.means[0], all.means[0]);
    EXPECT_DOUBLE_EQ(some.variance, (1 + 75 + 98 + 4) / 7.0 - 32.0 * 32 / 49);
    EXPECT_DOUBLE_EQ(some.variance, all.variance);
    EXPECT_EQ(some.most[0], static_cast<double>(1e9F));  // includes rows of weight 0
    EXPECT_EQ(some.columns[0], 0x1p47);                  // 15 is the largest weight * magnitude
    EXPECT_EQ(some.weights, 0x1p49);
}

TEST(KmeansFormulas, MeanOfAHundredMillionRowsIsExact) {
    const double scale = integer_scale(0.3F, 100'000'000);
    const Sum one = to_integer(static_cast<double>(0.3F), scale);
    EXPECT_EQ(mean_of(one * 100'000'000, scale, 100'000'000, 1), 0.3F);
}

TEST(KmeansNearest, TilesAreWhatDoubleSays) {
    for (const Index cols : {1, 2, 3, 4, 5, 17, 128}) {
        for (const Index rows : {1, 31, 32, 33, 64}) {
            for (const Index k : {1, 2, 7, 100}) {
                const auto points = blobs_of(rows, cols, 5), centroids = blobs_of(k, cols, 5, 9);
                device::AlignedBuffer<float> columns(static_cast<std::size_t>(cols) * tile_rows);
                Index label[tile_rows];
                nearest_of_tile(points.data(), rows, cols, centroids.data(), k, columns.data(), label);
                for (Index r = 0; r < rows; ++r) {
                    const float* x = points.data() + Offset{r} * cols;
                    const Index expected = nearest_in_double(x, cols, centroids.data(), k);
                    ASSERT_EQ(label[r], expected) << cols << " columns, row " << r << " of " << rows << ", k " << k;
                }
            }
        }
    }
}

TEST(KmeansNearest, ProductsAreWhatDoubleSays) {
    device::Cpu cpu(1);
    for (const Index cols : {1, 8, 17, 128}) {
        for (const Index rows : {1, 31, 32, 33, 64}) {
            for (const Index k : {1, 2, 3, 100}) {
                for (const float offset : {0.0F, 1e4F}) {
                    const auto points = blobs_of(rows, cols, 5, 1, offset);
                    auto centroids = blobs_of(k, cols, 5, 9, offset);
                    if (k > 2) std::copy_n(centroids.begin(), cols, centroids.begin() + Offset{2} * cols);  // a tie
                    CenteredCentroids centered(measure(cpu, {view(points, cols)}));
                    centered.set(centroids);
                    device::AlignedBuffer<float> columns(static_cast<std::size_t>(cols) * tile_rows);
                    Index label[tile_rows];
                    nearest_by_products(points.data(), rows, cols, centered, centroids.data(), k, columns.data(),
                                        label);
                    for (Index r = 0; r < rows; ++r) {
                        const float* x = points.data() + Offset{r} * cols;
                        ASSERT_EQ(label[r], nearest_in_double(x, cols, centroids.data(), k))
                            << cols << " columns, row " << r << " of " << rows << ", k " << k;
                    }
                }
            }
        }
    }
}

TEST(KmeansNearest, TiesGoToTheLowerNumber) {
    const std::vector<float> points{0, 0, 1, 1}, centroids{1, 0, 0, 1, -1, 0, 1, 0};
    device::AlignedBuffer<float> columns(2 * tile_rows);
    Index label[tile_rows];
    nearest_of_tile(points.data(), 2, 2, centroids.data(), 4, columns.data(), label);
    EXPECT_EQ(label[0], 0);
    EXPECT_EQ(label[1], 0);
}

TEST(KmeansNearest, WhatFloatCannotTellDoubleDoes) {
    const float nudge = std::nextafter(1.0F, 2.0F);
    const std::vector<float> points{0, 0, 0, 0}, centroids{nudge, 1, 1, 1, 1, 1, 1, 1};
    device::AlignedBuffer<float> columns(4 * tile_rows);
    Index label[tile_rows];
    nearest_of_tile(points.data(), 1, 4, centroids.data(), 2, columns.data(), label);
    EXPECT_EQ(label[0], 1);
}

TEST(KmeansNearest, BytesAreWhatDoubleSays) {
    device::Cpu cpu(1);
    for (const Index cols : {1, 33, 128}) {
        for (const Index rows : {1, 9, 64}) {
            for (const Index k : {1, 17, 250}) {
                for (const float offset : {0.0F, 1e4F}) {
                    auto points = blobs_of(rows, cols, 5, 1, offset), centroids = blobs_of(k, cols, 5, 9, offset);
                    if (k > 200) {
                        std::copy_n(centroids.begin(), cols, centroids.begin() + Offset{201} * cols);   // a tie
                        for (Index c = 0; c < cols; ++c) centroids[at(Offset{7} * cols + c)] *= -1e5F;  // far away
                    }
                    if (rows > 9) points[at(Offset{9} * cols)] = 1e9F;
                    CenteredCentroids centered(measure(cpu, {view(points, cols)}));
                    centered.set(centroids);
                    ByteCentroids bytes;
                    bytes.pack(centered, k);
                    for (const Index guessed : {-1, 0, k - 1}) {
                        const std::vector<Index> guess(tile_rows, guessed);
                        ByteTile tile;
                        Index label[tile_rows];
                        tile.label(points.data(), rows, centered, bytes, centroids.data(), k, guess.data(), label);
                        for (Index r = 0; r < rows; ++r) {
                            const float* x = points.data() + Offset{r} * cols;
                            ASSERT_EQ(label[r], nearest_in_double(x, cols, centroids.data(), k))
                                << cols << " columns, row " << r << " of " << rows << ", k " << k;
                        }
                    }
                }
            }
        }
    }
}

TEST(KmeansNearest, BytesOfTinyNumbersAreWhatDoubleSays) {
    device::Cpu cpu(1);
    const Index cols = 33, k = 17;
    auto points = blobs_of(tile_rows, cols, 5, 1), centroids = blobs_of(k, cols, 5, 9);
    for (float& x : points) x *= 1e-39F;
    for (float& x : centroids) x *= 1e-39F;
    CenteredCentroids centered(measure(cpu, {view(points, cols)}));
    centered.set(centroids);
    ByteCentroids bytes;
    bytes.pack(centered, k);
    const std::vector<Index> guess(tile_rows, 3);
    ByteTile tile;
    Index label[tile_rows];
    tile.label(points.data(), tile_rows, centered, bytes, centroids.data(), k, guess.data(), label);
    for (Index r = 0; r < tile_rows; ++r) {
        EXPECT_EQ(label[r], nearest_in_double(points.data() + Offset{r} * cols, cols, centroids.data(), k)) << r;
    }
}

TEST(KmeansReassignments, DifferencesAreFound) {
    Index a[tile_rows] = {}, b[tile_rows] = {};
    std::uint64_t rows = 1;
    find_differences(a, b, &rows);
    EXPECT_EQ(rows, 0U);
    a[0] = -1, a[17] = 1 << 30, b[63] = 5;
    find_differences(a, b, &rows);
    EXPECT_EQ(rows, std::uint64_t{1} | std::uint64_t{1} << 17 | std::uint64_t{1} << 63);
}

TEST(KmeansReassignments, ATileIsAddedAsItsRows) {
    const Index cols = 3, clusters = 5;
    const auto points = blobs_of(tile_rows, cols, 4);
    Scales scales;
    scales.columns = {0x1p30, 0x1p10, 0x1p40};
    std::vector<float> columns(points.size());
    Index label[tile_rows];
    ClusterSums expected(clusters, cols), sums(clusters, cols);
    for (Index r = 0; r < tile_rows; ++r) {
        label[r] = r * r % 7 - 1;  // -1: no cluster
        const float* x = points.data() + Offset{r} * cols;
        for (Index c = 0; c < cols; ++c) columns[at(Offset{c} * tile_rows + r)] = x[c];
        if (label[r] >= 0 && label[r] < clusters) expected.add(label[r], x, 1, scales, -1);
    }
    add_tile({columns.data(), cols, scales.columns.data()}, label, -1, clusters, sums.of(0));
    EXPECT_EQ(sums.values(), expected.values());
}

/// If centroids move by the bound, each in the worst direction, the first remains the nearest: checked in long double,
/// with squares in float32, at many scales and with nearly equal distances.
TEST(KmeansFormulas, HamerlysBoundIsNeverTooLarge) {
    std::uint64_t item = 0;
    const auto normal = [&] { return math::random_normal(5, item++); };
    for (const double scale : {1e-24, 1e-20, 1e-16, 1e-15, 1e-13, 1e-6, 1.0, 1e7, 1e14}) {
        for (int draw = 0; draw < 20000; ++draw) {
            const auto x = static_cast<float>(scale * normal()), y = static_cast<float>(scale * normal());
            const double apart = draw % 2 == 0 ? normal() : normal() * 1e-6;
            const auto a = static_cast<float>(static_cast<double>(x) + scale * normal());
            const auto b = static_cast<float>(2 * static_cast<double>(x) - static_cast<double>(a) + scale * apart);
            const float squares[] = {(x - a) * (x - a) + y * y, (x - b) * (x - b) + y * y};
            const auto distance = [&](float at) {
                const long double dx = static_cast<long double>(x) - static_cast<long double>(at);
                return std::sqrt(dx * dx + static_cast<long double>(y) * static_cast<long double>(y));
            };
            const bool first = squares[0] <= squares[1];
            float square = std::numeric_limits<float>::infinity();
            lower_hamerly_bound(square, squares[first ? 0 : 1], squares[first ? 1 : 0], float_error(2));
            const double far = expiry_of(square, 0.0);
            const long double gap = first ? distance(b) - distance(a) : distance(a) - distance(b);
            if (far > 0) {
                EXPECT_GT(gap, 2 * static_cast<long double>(far)) << scale << ", draw " << draw;
            }
        }
    }
}

}  // namespace
}  // namespace dunlin::kmeans

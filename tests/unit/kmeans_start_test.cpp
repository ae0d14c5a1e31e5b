// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>

#include "cases/kmeans.hpp"
#include "kmeans/d2_sampling.hpp"
#include "kmeans/start.hpp"

namespace dunlin::kmeans {
namespace {

TEST(KmeansDraws, ByHand) {
    EXPECT_EQ(target_of(0, 10), 0);
    EXPECT_EQ(target_of(0.55, 10), 5);
    EXPECT_EQ(target_of(std::nextafter(1.0, 0.0), Sum{1} << 60), (Sum{1} << 60) - 128);  // the nearest double below
    EXPECT_EQ(any_row(std::nextafter(1.0, 0.0), 2'000'000'000), 1'999'999'999);
    EXPECT_EQ(add_float_square(1, 5, 2), 10);
    EXPECT_EQ(d2_weight_of(3, 2), 6);
    EXPECT_FALSE(is_drawn(100, 0, 10, 1, 0, 1));
    EXPECT_TRUE(is_drawn(100, 1, 10, 1, 0, 1));
}

TEST(KmeansDraws, RowsAreDrawnByTheirDSquaredWeights) {
    // the first centroid is any of the four rows; distant rows are more likely to be the second
    const std::vector<float> points{0, 1, 3, 7};
    std::vector<int> second(4);
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        const Options options{.clusters = 2, .start = Start::plusplus, .iterations = 0};
        const auto centroids = values_of(cluster(view(points, 1), options, {.seed = seed}).centroids);
        EXPECT_NE(centroids[0], centroids[1]);
        ++second[centroids[1] == 7 ? 3 : centroids[1] == 3 ? 2 : centroids[1] == 1 ? 1 : 0];
    }
    EXPECT_GT(second[3], second[1] + second[2]);
}

/// Weights of several magnitudes in different blocks and groups of blocks.
TEST(KmeansDraws, ARowIsDrawnByItsWeight) {
    const Index n = 70001;
    std::vector<float> points(static_cast<std::size_t>(n)), weights(static_cast<std::size_t>(n));
    weights[5] = 1, weights[1024] = 2, weights[40000] = 4, weights[70000] = 1;
    const Rows rows{view(points, 1), weights};
    device::Cpu one(1), five(5);
    std::map<Offset, int> drawn;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        const Offset row = draw_by_weight(one, rows, seed);
        ++drawn[row];
        EXPECT_EQ(row, draw_by_weight(five, rows, seed));
    }
    EXPECT_EQ(drawn.size(), 4U);
    EXPECT_NEAR(drawn[5], 100, 40);
    EXPECT_NEAR(drawn[1024], 200, 50);
    EXPECT_NEAR(drawn[40000], 400, 60);
    EXPECT_NEAR(drawn[70000], 100, 40);
}

TEST(Kmeans, PlusPlusBeatsRandomStartsOnFarBlobs) {
    const auto points = blobs_of(4000, 2, 25);
    double plus = 0, random = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        plus += cluster(view(points, 2), {.clusters = 25}, {.seed = seed}).inertia;
        random += cluster(view(points, 2), {.clusters = 25, .start = Start::random}, {.seed = seed}).inertia;
    }
    EXPECT_LT(plus, random);
}

TEST(Kmeans, RestartsKeepTheBest) {
    const auto points = blobs_of(2000, 2, 15);
    const Options once{.clusters = 15, .start = Start::random},
        often{.clusters = 15, .start = Start::random, .restarts = 8};
    EXPECT_LE(cluster(view(points, 2), often).inertia, cluster(view(points, 2), once).inertia);
}

}  // namespace
}  // namespace dunlin::kmeans

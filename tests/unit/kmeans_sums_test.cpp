// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "cases/kmeans.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/rows.hpp"
#include "math/ordered_sum.hpp"

namespace dunlin::kmeans {
namespace {

TEST(Kmeans, AnOutlierDoesNotSpoilTheOthersSums) {
    auto points = blobs_of(1000, 1, 1);
    for (float& value : points) value *= 1e-3F;
    points.push_back(1e6F);
    const std::vector<float> from{0, 1e6F};
    const Result result = cluster(view(points, 1), {.clusters = 2}, {}, {.centroids = view(from, 1)});
    double mean = 0;
    for (std::size_t r = 0; r < 1000; ++r) mean += static_cast<double>(points[r]) / 1000;
    EXPECT_NEAR(static_cast<double>(values_of(result.centroids)[0]), mean, 1e-7 * std::abs(mean));
}

/// The outlier is 1e9 times the many other numbers, whose rounding error is at most 2^-50 of it.
TEST(Kmeans, AnOutlierLeavesManyOthersTheirBits) {
    std::vector<float> points(300'000, 0.1F);
    points[7] = 1e8F;
    const std::vector<float> from{0.2F, 1e8F};
    const Result result = cluster(view(points, 1), {.clusters = 2}, {}, {.centroids = view(from, 1)});
    EXPECT_EQ(result.counts, (std::vector<Offset>{299'999, 1}));
    EXPECT_NEAR(static_cast<double>(values_of(result.centroids)[0]), 0.1, 1e8 * 0x1p-50);
}

/// A distant row of weight 0 costs the others no precision.
TEST(Kmeans, AHeavyRowLeavesLightOnesTheirWeight) {
    std::vector<float> points(100'000, 0.7F), weights(100'000, 1e-6F);
    points[3] = 5, weights[3] = 1e6F;
    points[4] = 1e12F, weights[4] = 0;
    const std::vector<float> from{0, 5};
    const Result result =
        cluster(view(points, 1), {.clusters = 2}, {}, {.centroids = view(from, 1), .weights = weights});
    EXPECT_EQ(result.counts, (std::vector<Offset>{99'998, 2}));
    EXPECT_NEAR(static_cast<double>(values_of(result.centroids)[0]), 0.7, 1e-2);
}

/// Definition of the inertia: each row's contribution is rounded, then summed by the tree of math/ordered_sum.hpp. The
/// same bytes for any number of threads and columns.
TEST(Kmeans, TheInertiaIsTheTreesSumOfTheRows) {
    for (const Index cols : {1, 2, 7, 100, 1500}) {
        for (const Index n : {1, 33, 1025, cols < 100 ? 40001 : 2100}) {
            const auto points = blobs_of(n, cols, 5);
            std::vector<float> weights;
            for (Index r = 0; r < n; ++r) weights.push_back(static_cast<float>(r % 7) * 0.3F + 0.1F);
            const Options options{.clusters = std::min<Index>(n, 5), .iterations = 3, .stop = Rule::inertia};
            const Given given{.weights = weights};
            const Result one = cluster(view(points, cols), options, {.threads = 1}, given);
            const std::vector<float> centroids = values_of(one.centroids);
            const auto term = [&](Offset r) {
                const float* centroid = centroids.data() + Offset{one.labels[static_cast<std::size_t>(r)]} * cols;
                return static_cast<double>(weights[static_cast<std::size_t>(r)]) *
                       squared_distance(points.data() + r * cols, centroid, cols);
            };
            EXPECT_EQ(one.inertia, math::tree_sum<double>(0, n, term)) << n << " x " << cols;
            for (const int threads : {2, 5}) {
                EXPECT_EQ(cluster(view(points, cols), options, {.threads = threads}, given).inertia, one.inertia);
            }
        }
    }
}

/// Statistics are summed over fixed blocks of rows, so the scales do not depend on the number of threads.
TEST(Kmeans, ScalesHaveTheSameBytesForAnyNumberOfThreads) {
    const auto points = blobs_of(70001, 3, 5);
    std::vector<float> weights;
    for (Index r = 0; r < 70001; ++r) weights.push_back(static_cast<float>(r % 11) * 0.3F);
    device::Cpu one(1);
    const Rows rows{view(points, 3), weights};
    const Scales expected = measure(one, rows);
    for (const int threads : {2, 5}) {
        device::Cpu cpu(threads);
        const Scales found = measure(cpu, rows);
        EXPECT_EQ(found.means, expected.means);
        EXPECT_EQ(found.columns, expected.columns);
        EXPECT_EQ(found.most, expected.most);
        EXPECT_EQ(found.weights, expected.weights);
        EXPECT_EQ(found.variance, expected.variance);
    }
}

}  // namespace
}  // namespace dunlin::kmeans

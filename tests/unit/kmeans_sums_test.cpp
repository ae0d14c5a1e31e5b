#include <cmath>
#include <limits>

#include "kmeans/nearest.hpp"
#include "kmeans_points.hpp"

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

/// The largest number is 1e9 times the others, of which there are many: they keep 2^-50 of it.
TEST(Kmeans, AnOutlierLeavesManyOthersTheirBits) {
    std::vector<float> points(300'000, 0.1F);
    points[7] = 1e8F;
    const std::vector<float> from{0.2F, 1e8F};
    const Result result = cluster(view(points, 1), {.clusters = 2}, {}, {.centroids = view(from, 1)});
    EXPECT_EQ(result.counts, (std::vector<Offset>{299'999, 1}));
    EXPECT_NEAR(static_cast<double>(values_of(result.centroids)[0]), 0.1, 1e8 * 0x1p-50);
}

/// A row without weight, however far, takes no bits.
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

}  // namespace
}  // namespace dunlin::kmeans

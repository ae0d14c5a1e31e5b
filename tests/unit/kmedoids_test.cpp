// SPDX-License-Identifier: Apache-2.0
#include <dunlin/kmedoids.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin::kmedoids {
namespace {

/// Points of some Gaussian clusters in the plane.
Matrix clusters_of_points(Index n, Index clusters, double spread, std::uint64_t seed) {
    std::vector<float> values;
    for (Index i = 0; i < n; ++i) {
        const auto item = static_cast<std::uint64_t>(i);
        const double angle = 6.283 * (i % clusters) / clusters;
        values.push_back(static_cast<float>(10 * std::cos(angle) + spread * math::random_normal(seed, item, 0)));
        values.push_back(static_cast<float>(10 * std::sin(angle) + spread * math::random_normal(seed, item, 1)));
    }
    return {n, 2, std::move(values)};
}

float distance(const Matrix& points, Index i, Index j) {
    return std::hypot(points.view()(i, 0) - points.view()(j, 0), points.view()(i, 1) - points.view()(j, 1));
}

Matrix distances_of(const Matrix& points) {
    std::vector<float> values;
    for (Index i = 0; i < points.rows(); ++i) {
        for (Index j = 0; j < points.rows(); ++j) values.push_back(distance(points, i, j));
    }
    return {points.rows(), points.rows(), std::move(values)};
}

double inertia_of(const Matrix& d, const std::vector<Index>& medoids) {
    double sum = 0;
    for (Index o = 0; o < d.rows(); ++o) {
        float least = std::numeric_limits<float>::infinity();
        for (const Index medoid : medoids) least = std::min(least, d.view()(medoid, o));
        sum += static_cast<double>(least);
    }
    return sum;
}

/// The least inertia over all sets of k medoids.
double least_inertia(const Matrix& d, Index k) {
    std::vector<bool> chosen(static_cast<std::size_t>(d.rows()), false);
    std::fill_n(chosen.begin(), k, true);
    double least = std::numeric_limits<double>::infinity();
    do {
        std::vector<Index> medoids;
        for (Index i = 0; i < d.rows(); ++i) {
            if (chosen[static_cast<std::size_t>(i)]) medoids.push_back(i);
        }
        least = std::min(least, inertia_of(d, medoids));
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return least;
}

void expect_sound(const Result& result, const Matrix& d) {
    const auto k = static_cast<Index>(result.medoids.size());
    EXPECT_EQ(std::accumulate(result.counts.begin(), result.counts.end(), Offset{0}), d.rows());
    EXPECT_NEAR(result.inertia, inertia_of(d, result.medoids), 1e-6 * (1 + result.inertia));
    for (Index o = 0; o < d.rows(); ++o) {
        const Index own = result.labels[static_cast<std::size_t>(o)];
        for (Index c = 0; c < k; ++c)
            EXPECT_LE(d.view()(result.medoids[static_cast<std::size_t>(own)], o),
                      d.view()(result.medoids[static_cast<std::size_t>(c)], o));
    }
    for (Index c = 0; c < k; ++c)
        EXPECT_EQ(result.labels[static_cast<std::size_t>(result.medoids[static_cast<std::size_t>(c)])], c);
}

/// No replacement of a single medoid lowers the inertia.
void expect_local_minimum(const Result& result, const Matrix& d) {
    for (std::size_t c = 0; c < result.medoids.size(); ++c) {
        std::vector<Index> medoids = result.medoids;
        for (Index other = 0; other < d.rows(); ++other) {
            medoids[c] = other;
            EXPECT_GE(inertia_of(d, medoids), result.inertia * (1 - 1e-9)) << "cluster " << c << ", item " << other;
        }
    }
}

TEST(Kmedoids, FindsTheLeastInertiaOfFewItems) {
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        const Matrix d = distances_of(clusters_of_points(14, 3, 3, seed));
        for (const Index k : {1, 2, 3, 4}) {
            const Result result = cluster(mds::Dissimilarities::of_matrix(d), {.clusters = k, .restarts = 20});
            EXPECT_NEAR(result.inertia, least_inertia(d, k), 1e-5) << k << " clusters, seed " << seed;
            EXPECT_EQ(result.stopped, Stopped::converged);
            expect_sound(result, d);
        }
    }
}

TEST(Kmedoids, EveryStartEndsInALocalMinimum) {
    const Matrix d = distances_of(clusters_of_points(120, 6, 2, 9));
    for (const Start start : {Start::plusplus, Start::build, Start::random}) {
        const Result result = cluster(mds::Dissimilarities::of_matrix(d), {.clusters = 5, .start = start});
        expect_sound(result, d);
        expect_local_minimum(result, d);
    }
}

TEST(Kmedoids, ClustersThatAreApartAreFound) {
    const Matrix points = clusters_of_points(600, 6, 0.3, 5);
    const Result result = cluster(mds::Dissimilarities::of_points(points), {.clusters = 6});
    for (Index i = 0; i < 600; ++i)
        EXPECT_EQ(result.labels[static_cast<std::size_t>(i)], result.labels[static_cast<std::size_t>(i % 6)]);
    EXPECT_EQ(result.counts, std::vector<Offset>(6, 100));
    EXPECT_GT(result.silhouette, 0.9);
}

TEST(Kmedoids, EverySourceGivesTheSameClusters) {
    const Matrix points = clusters_of_points(200, 4, 3, 7), d = distances_of(points);
    const Options options{.clusters = 7};
    const Result of_matrix = cluster(mds::Dissimilarities::of_matrix(d), options);
    const Result of_points = cluster(mds::Dissimilarities::of_points(points), options);
    const auto on_demand = mds::Dissimilarities::of_callback(
        200, [&](std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
            for (std::size_t k = 0; k < out.size(); ++k) out[k] = distance(points, i[k], j[k]);
        });
    const Result of_callback = cluster(on_demand, options);
    dunlin::Run small;
    small.memory = 1000;  // as a file that is larger than memory
    const Result of_rows = cluster(mds::Dissimilarities::of_matrix(d, small), options);
    EXPECT_EQ(of_points.labels, of_matrix.labels);
    EXPECT_EQ(of_callback.labels, of_matrix.labels);
    EXPECT_EQ(of_rows.labels, of_matrix.labels);
    EXPECT_EQ(of_callback.varies_because, "its distances are the caller's");
    EXPECT_EQ(of_matrix.varies_because, "");
    EXPECT_EQ(on_demand.usage().computed, 200 * 199 / 2);
}

TEST(Kmedoids, AnyNumberOfThreadsGivesTheSameResult) {
    const Matrix d = distances_of(clusters_of_points(500, 5, 4, 3));
    const auto items = mds::Dissimilarities::of_matrix(d);
    const Options options{.clusters = 12, .restarts = 2};
    const Result one = cluster(items, options, {.threads = 1});
    for (const int threads : {2, 5}) {
        const Result many = cluster(items, options, {.threads = threads});
        EXPECT_EQ(many.labels, one.labels);
        EXPECT_EQ(many.medoids, one.medoids);
        EXPECT_EQ(many.inertia, one.inertia);
        EXPECT_EQ(many.silhouette, one.silhouette);
        EXPECT_EQ(many.swaps, one.swaps);
    }
}

TEST(Kmedoids, ASampleComesNearTheWhole) {
    const Matrix points = clusters_of_points(3000, 5, 2, 8);
    const auto items = mds::Dissimilarities::of_points(points);
    const Result all = cluster(items, {.clusters = 5}), some = cluster(items, {.clusters = 5, .sample = 300});
    EXPECT_LT(some.inertia, 1.05 * all.inertia);
    EXPECT_GE(some.inertia, 0.999 * all.inertia);
    EXPECT_EQ(some.labels.size(), 3000U);
    expect_sound(some, distances_of(points));
    const auto matrix = mds::Dissimilarities::of_matrix(distances_of(points));
    EXPECT_EQ(cluster(matrix, {.clusters = 5, .sample = 300}).labels, some.labels);
}

TEST(Kmedoids, FewAndEqualItems) {
    const auto square = [](Index n, float value) {
        std::vector<float> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), value);
        for (Index i = 0; i < n; ++i) values[static_cast<std::size_t>(i * n + i)] = 0;
        return mds::Dissimilarities::of_matrix({n, n, std::move(values)});
    };
    const Result one = cluster(square(1, 0), {.clusters = 1});
    EXPECT_EQ(one.labels, std::vector<Index>{0});
    EXPECT_TRUE(std::isnan(one.silhouette));
    for (const Start start : {Start::plusplus, Start::build, Start::random}) {
        const Result equal = cluster(square(6, 0), {.clusters = 4, .start = start});
        EXPECT_EQ(equal.inertia, 0);
        std::vector<Index> medoids = equal.medoids;
        std::sort(medoids.begin(), medoids.end());
        EXPECT_EQ(std::unique(medoids.begin(), medoids.end()), medoids.end());
        for (const Offset count : equal.counts) EXPECT_GE(count, 1);
        const Result all = cluster(square(5, 1), {.clusters = 5, .start = start});
        EXPECT_EQ(all.inertia, 0);
        EXPECT_EQ(all.counts, std::vector<Offset>(5, 1));
    }
}

TEST(Kmedoids, SilhouetteIsTheDefinition) {
    // Items at 0, 1 | 5, 7 on a line
    const std::vector<float> at{0, 1, 5, 7};
    std::vector<float> d;
    for (const float a : at) {
        for (const float b : at) d.push_back(std::abs(a - b));
    }
    const Result result =
        cluster(mds::Dissimilarities::of_matrix({4, 4, std::move(d)}), {.clusters = 2, .restarts = 5});
    EXPECT_NEAR(result.silhouette, (5.0 / 6 + 4.0 / 5 + 2.5 / 4.5 + 4.5 / 6.5) / 4, 1e-6);
}

TEST(Kmedoids, BadInputIsRefused) {
    const Matrix points = clusters_of_points(10, 2, 1, 1);
    const auto items = mds::Dissimilarities::of_points(points);
    const auto refused = [](const mds::Dissimilarities& of, const Options& options) {
        return refusal(Fault::bad_input, [&] { cluster(of, options); });
    };
    EXPECT_NE(refused(items, {.clusters = 11}).find("there are 10 items"), std::string::npos);
    EXPECT_NE(refused(items, {.clusters = 5, .sample = 3}).find("sought among 3 items"), std::string::npos);
    EXPECT_NE(refused(items, {.clusters = 0}).find("clusters is 0"), std::string::npos);
    std::vector<float> values(9, 1);
    values[0] = values[4] = values[8] = 0;
    values[1] = values[3] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refused(mds::Dissimilarities::of_matrix({3, 3, values}), {.clusters = 2}).find("1 pairs"),
              std::string::npos);
    dunlin::Run small;
    small.memory = 8;
    EXPECT_NE(refused(mds::Dissimilarities::of_matrix({3, 3, values}, small), {.clusters = 2}).find("is missing"),
              std::string::npos);
    auto budget = mds::Dissimilarities::of_callback(
        10, [](std::span<const Index>, std::span<const Index>, std::span<float> out) { std::ranges::fill(out, 1.0F); });
    budget.set_budget(20);
    EXPECT_NE(refused(budget, {.clusters = 2}).find("distances is too small"), std::string::npos);
    budget.set_budget(20);
    EXPECT_EQ(cluster(budget, {.clusters = 2, .sample = 2}).labels.size(), 10U);
    const auto no_gpu = [&] { cluster(items, {.clusters = 2}, {.device = Device::cuda}); };
    EXPECT_NE(refusal(Fault::no_device, no_gpu), "");
}

TEST(Kmedoids, AStopReturnsTheMedoidsSoFar) {
    const Matrix points = clusters_of_points(3000, 5, 2, 8);
    const auto items = mds::Dissimilarities::of_points(points);
    std::stop_source stop;
    dunlin::Run run;
    run.stop = stop.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "optimize") stop.request_stop();
    };
    const Result some = cluster(items, {.clusters = 50, .start = Start::random}, run);
    EXPECT_EQ(some.stopped, Stopped::cancelled);
    EXPECT_EQ(some.labels.size(), 3000U);
    EXPECT_EQ(some.medoids.size(), 50U);
    const Result none = cluster(items, {.clusters = 50}, run);  // stopped before it began
    EXPECT_EQ(none.stopped, Stopped::cancelled);
    EXPECT_TRUE(none.labels.empty());
}

}  // namespace
}  // namespace dunlin::kmedoids

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "cases/cases.hpp"
#include "cases/kmeans.hpp"
#include "kmeans/nearest.hpp"

namespace dunlin::kmeans {
namespace {

void expect_same(const Result& a, const Result& b) {
    EXPECT_EQ(a.labels, b.labels);
    EXPECT_EQ(values_of(a.centroids), values_of(b.centroids));
    EXPECT_EQ(a.inertia, b.inertia);
    EXPECT_EQ(a.iterations, b.iterations);
}

TEST(Kmeans, FourPointsByHand) {
    const std::vector<float> points{0, 1, 10, 12}, from{0, 1};
    const Result result = cluster(view(points, 1), {.clusters = 2}, {}, {.centroids = view(from, 1)});
    EXPECT_EQ(result.labels, (std::vector<Index>{0, 0, 1, 1}));
    EXPECT_EQ(values_of(result.centroids), (std::vector<float>{0.5F, 11}));
    EXPECT_EQ(result.counts, (std::vector<Offset>{2, 2}));
    EXPECT_DOUBLE_EQ(result.inertia, 0.25 + 0.25 + 1 + 1);
    EXPECT_EQ(result.stopped, Stopped::converged);
}

TEST(Kmeans, EqualsPlainLoopsInDouble) {
    for (const Index cols : {1, 2, 3, 10, 70}) {
        for (const Index n : {31, 32, 33, 1000, 7001}) {
            for (const Index k : {1, 2, 8, 31}) {
                for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
                    const auto points = blobs_of(n, cols, 6);
                    const auto from = first_rows(points, k, cols);
                    Options options{.clusters = k, .metric = metric, .iterations = 20};
                    options.tolerance = 0;
                    const Given given{.centroids = view(from, cols)};
                    const Result fast = cluster(view(points, cols), options, {}, given);
                    options.method = Method::sequential;
                    const Result plain = cluster(view(points, cols), options, {}, given);
                    EXPECT_EQ(fast.labels, plain.labels) << n << " x " << cols << ", k " << k;
                    EXPECT_NEAR(fast.inertia, plain.inertia, cases::inertia_rounding * plain.inertia);
                }
            }
        }
    }
}

/// With Rule::inertia all rows are read in every iteration; otherwise rows whose Hamerly bound has not expired are
/// skipped. Squares that underflow in float32 or are near its maximum, and differences that cancel.
TEST(Kmeans, RowsThatAreNotReadKeepTheirClusters) {
    for (const Index cols : {1, 2, 3, 7}) {
        for (const Index k : {3, 7, 40}) {
            for (const float scale : {1.0F, 1e-16F, 1e-13F, 1e12F}) {
                auto points = blobs_of(6011, cols, 1, 1, scale == 1 ? 1e3F : 0);
                for (float& value : points) value *= scale;
                const auto from = first_rows(points, k, cols);
                const Given given{.centroids = view(from, cols)};
                Options options{.clusters = k, .iterations = 60, .stop = Rule::inertia};
                options.tolerance = 0;
                const Result all = cluster(view(points, cols), options, {}, given);
                const Result some = cluster(
                    view(points, cols), {.clusters = k, .iterations = all.iterations, .stop = Rule::never}, {}, given);
                expect_same(all, some);
            }
        }
    }
}

TEST(Kmeans, PointsWhoseSquaredDistancesVanishAreRefused) {
    const std::vector<float> tiny{0, 1e-20F, 3e-20F, 4e-20F}, zeros(4, 0.0F);
    try {
        cluster(view(tiny, 1), {.clusters = 2}, {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "the largest magnitude of the points is 4e-20; k-means needs at least 1e-15: multiply them all");
    }
    EXPECT_THROW(assign(view(tiny, 1), view(tiny, 1)), Error);
    EXPECT_EQ(cluster(view(zeros, 1), {.clusters = 1}, {}).inertia, 0);
    const std::vector<float> centers{0, 1};
    EXPECT_EQ(assign(view(tiny, 1), view(centers, 1)).counts, (std::vector<Offset>{4, 0}));
    EXPECT_EQ(cluster(view(tiny, 2), {.clusters = 1, .metric = Metric::cosine}, {}).counts.front(), 2);
}

/// Enough clusters for the filter in bytes; one row has an outlier, which makes the scale of its tile useless.
TEST(Kmeans, ManyClustersEqualPlainLoopsInDouble) {
    const Index n = 1011, cols = 70, k = 300;
    auto points = blobs_of(n, cols, 200);
    for (Index c = 0; c < cols; ++c) points[static_cast<std::size_t>(500 * cols + c)] *= 1000;
    const auto from = first_rows(points, k, cols);
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
        Options options{.clusters = k, .metric = metric, .iterations = 5, .stop = Rule::never};
        const Given given{.centroids = view(from, cols)};
        const Result fast = cluster(view(points, cols), options, {}, given);
        options.method = Method::sequential;
        const Result plain = cluster(view(points, cols), options, {}, given);
        EXPECT_EQ(fast.labels, plain.labels);
        EXPECT_NEAR(fast.inertia, plain.inertia, cases::inertia_rounding * plain.inertia);
    }
}

TEST(Kmeans, SameBitsForAnyThreads) {
    const auto points = blobs_of(70001, 3, 9);
    for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
        const Options options{.clusters = 12, .start = start, .iterations = 15, .stop = Rule::inertia};
        const Result one = cluster(view(points, 3), options, {.threads = 1});
        for (const int threads : {2, 3, 8}) {
            expect_same(one, cluster(view(points, 3), options, {.threads = threads}));
        }
    }
}

TEST(Kmeans, AnotherOrderOfRowsGivesTheSameCentroids) {
    const Index n = 5000, cols = 4;
    const auto points = blobs_of(n, cols, 5);
    std::vector<float> reversed;
    for (Index r = n; r-- > 0;) {
        reversed.insert(reversed.end(), points.begin() + Offset{r} * cols, points.begin() + Offset{r + 1} * cols);
    }
    const auto from = first_rows(points, 5, cols);
    const Options options{.clusters = 5};
    const Result a = cluster(view(points, cols), options, {}, {.centroids = view(from, cols)});
    const Result b = cluster(view(reversed, cols), options, {}, {.centroids = view(from, cols)});
    EXPECT_EQ(values_of(a.centroids), values_of(b.centroids));
    EXPECT_EQ(a.counts, b.counts);
}

TEST(Kmeans, InertiaNeverRises) {
    const auto points = blobs_of(3000, 5, 20);
    const auto from = first_rows(points, 20, 5);
    double last = std::numeric_limits<double>::infinity();
    for (int iterations = 0; iterations < 12; ++iterations) {
        const Options options{.clusters = 20, .iterations = iterations, .stop = Rule::never};
        const Result result = cluster(view(points, 5), options, {}, {.centroids = view(from, 5)});
        EXPECT_LE(result.inertia, last * (1 + 1e-7));
        EXPECT_EQ(result.iterations, iterations);
        last = result.inertia;
    }
}

/// Stop when the inertia falls by at most 1% or 0.1% of itself, the rules of older GPU programs.
TEST(Kmeans, LittleFallOfInertiaStops) {
    const auto points = blobs_of(3000, 5, 3);
    const auto from = first_rows(points, 20, 5);
    const Given given{.centroids = view(from, 5)};
    std::vector<double> inertia;  // [i]: after i moves of the centroids
    for (int moves = 0; moves < 60; ++moves) {
        const Options options{.clusters = 20, .iterations = moves, .stop = Rule::never};
        inertia.push_back(cluster(view(points, 5), options, {}, given).inertia);
    }
    for (const double least : {0.01, 0.001}) {
        std::size_t last = 1;
        while (inertia[last] < (1 - least) * inertia[last - 1]) ++last;
        ASSERT_LT(last + 1, inertia.size());
        const Options options{.clusters = 20, .stop = Rule::inertia, .tolerance = least};
        const Result result = cluster(view(points, 5), options, {}, given);
        EXPECT_EQ(result.iterations, static_cast<int>(last) + 1);
        EXPECT_EQ(result.inertia, inertia[last + 1]);
        EXPECT_EQ(result.stopped, Stopped::converged);
    }
}

TEST(Kmeans, OneClusterHasTheMean) {
    const std::vector<float> points{1, 2, 3, 4, 8, 6};
    const Result result = cluster(view(points, 2), {.clusters = 1});
    EXPECT_EQ(values_of(result.centroids), (std::vector<float>{4, 4}));
    EXPECT_DOUBLE_EQ(result.inertia, 9 + 4 + 1 + 0 + 16 + 4);
}

TEST(Kmeans, WeightsAreRepeatedRows) {
    const auto points = blobs_of(600, 3, 4);
    std::vector<float> weights, repeated;
    for (std::size_t r = 0; r < 600; ++r) {
        weights.push_back(static_cast<float>(r % 4));
        for (std::size_t i = 0; i < r % 4; ++i) {
            repeated.insert(repeated.end(), points.begin() + static_cast<Offset>(3 * r),
                            points.begin() + static_cast<Offset>(3 * r + 3));
        }
    }
    const auto from = first_rows(points, 4, 3);
    const Options options{.clusters = 4};
    const Result a = cluster(view(points, 3), options, {}, {.centroids = view(from, 3), .weights = weights});
    const Result b = cluster(view(repeated, 3), options, {}, {.centroids = view(from, 3)});
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_NEAR(values_of(a.centroids)[i], values_of(b.centroids)[i], 1e-6);
    }
    EXPECT_NEAR(a.inertia, b.inertia, cases::inertia_rounding * b.inertia);
}

/// Neither a distant row of weight 0 nor one of small weight may decide when a run stops.
TEST(Kmeans, WeightsStopWhereRepeatedRowsDo) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto points = blobs_of(300, 2, 1, seed);
        for (std::size_t i = 0; i < 10; ++i) points[i] *= 300;
        std::vector<float> weights, repeated;
        for (std::size_t r = 0; r < 300; ++r) {
            const std::size_t weight = r == 0 ? 0 : r < 5 ? 1 : 5 * (r % 4 + 1);
            weights.push_back(static_cast<float>(weight));
            for (std::size_t i = 0; i < 2 * weight; ++i) repeated.push_back(points[2 * r + i % 2]);
        }
        const auto from = blobs_of(6, 2, 1, seed + 100);
        for (const Method method : {Method::lloyd, Method::sequential}) {
            const Options options{.clusters = 6, .method = method};
            const Result a = cluster(view(points, 2), options, {}, {.centroids = view(from, 2), .weights = weights});
            const Result b = cluster(view(repeated, 2), options, {}, {.centroids = view(from, 2)});
            EXPECT_EQ(a.iterations, b.iterations) << "seed " << seed;
            EXPECT_EQ(values_of(a.centroids), values_of(b.centroids)) << "seed " << seed;
            EXPECT_NEAR(a.inertia, b.inertia, 1e-12 * b.inertia);
        }
    }
}

TEST(Kmeans, AnOffsetChangesNothingThatMatters) {
    auto points = blobs_of(2000, 2, 4);
    for (float& value : points) value = std::round(value * 256) / 256;  // so that adding 10,000 is exact
    auto moved = points;
    for (float& value : moved) value += 10000;
    const Options options{.clusters = 4};
    const Result a = cluster(view(points, 2), options), b = cluster(view(moved, 2), options);
    EXPECT_EQ(a.counts, b.counts);
    EXPECT_NEAR(a.inertia, b.inertia, 1e-5 * a.inertia);
}

TEST(Kmeans, AnEmptyClusterTakesTheFarthestPoint) {
    const std::vector<float> points{0, 1, 2, 50, 3}, from{1, 1000};
    for (const Method method : {Method::lloyd, Method::sequential}) {
        const Options options{.clusters = 2, .method = method};
        const Result result = cluster(view(points, 1), options, {}, {.centroids = view(from, 1)});
        EXPECT_EQ(result.labels, (std::vector<Index>{0, 0, 0, 1, 0}));
        EXPECT_EQ(values_of(result.centroids), (std::vector<float>{1.5F, 50}));
    }
}

/// Rows on a grid, of which many are equally far from a centroid.
TEST(Kmeans, EmptyClustersDoNotDependOnTheOrderOfRows) {
    const std::vector<float> from{1, 1, 1, 1, 90, 90, 91, 91};
    std::vector<float> points;
    for (int i = 0; i < 25; ++i) points.insert(points.end(), {static_cast<float>(i % 5), static_cast<float>(i / 5)});
    const std::vector<float> first =
        values_of(cluster(view(points, 2), {.clusters = 4}, {}, {.centroids = view(from, 2)}).centroids);
    for (std::size_t step : {2, 3, 7, 24}) {
        std::vector<float> others;
        for (std::size_t i = 0; i < 25; ++i) {
            const std::size_t row = i * step % 25;
            others.insert(others.end(), {points[2 * row], points[2 * row + 1]});
        }
        const Result other = cluster(view(others, 2), {.clusters = 4}, {}, {.centroids = view(from, 2)});
        EXPECT_EQ(values_of(other.centroids), first) << step;
    }
}

/// The farthest two rows are alone in their clusters, so they must stay.
TEST(Kmeans, AnEmptyClusterTakesNoRowThatIsAlone) {
    std::vector<float> points{200, -200};
    for (int i = -5; i <= 5; ++i) points.push_back(static_cast<float>(i) / 5);
    const std::vector<float> from{100, -100, 0, 10000};
    for (const Method method : {Method::lloyd, Method::sequential}) {
        const Options options{.clusters = 4, .method = method};
        const Result result = cluster(view(points, 1), options, {}, {.centroids = view(from, 1)});
        EXPECT_EQ(std::count(result.counts.begin(), result.counts.end(), 0), 0);
        EXPECT_LT(result.inertia, 2);
    }
}

/// A few distant rows, initial centroids even farther away, some rows of weight 0.
TEST(Kmeans, EmptyClustersAreFilledAsPlainLoopsDo) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto k = static_cast<Index>(4 + seed % 8);
        auto points = blobs_of(60, 2, 1, seed), from = blobs_of(k, 2, k, seed + 1000);
        auto far = blobs_of(k, 2, k, seed + 2000);
        for (float& value : far) value *= static_cast<float>(3 + 5 * (seed % 9));
        points.insert(points.end(), far.begin(), far.end());
        for (std::size_t i = 0; i < from.size(); ++i) from[i] *= i < 4 ? 300 : 30;
        std::vector<float> weights(60 + static_cast<std::size_t>(k), 1.0F);
        for (std::size_t r = 0; r < weights.size(); r += 7) weights[r] = static_cast<float>(r % 3);
        for (const bool weighted : {false, true}) {
            const Given given{.centroids = view(from, 2),
                              .weights = weighted ? std::span<const float>(weights) : std::span<const float>()};
            Options options{.clusters = k};
            const Result fast = cluster(view(points, 2), options, {}, given);
            options.method = Method::sequential;
            const Result plain = cluster(view(points, 2), options, {}, given);
            EXPECT_EQ(fast.labels, plain.labels) << "seed " << seed;
            EXPECT_EQ(fast.iterations, plain.iterations) << "seed " << seed;
        }
    }
}

TEST(Kmeans, AsManyClustersAsPoints) {
    const auto points = blobs_of(40, 3, 40);
    const Result result = cluster(view(points, 3), {.clusters = 40});
    EXPECT_EQ(result.counts, std::vector<Offset>(40, 1));
    EXPECT_EQ(result.inertia, 0);
}

TEST(Kmeans, CoincidentPointsLeaveClustersEmpty) {
    const std::vector<float> points(200, 3.0F);
    for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
        const Result result = cluster(view(points, 2), {.clusters = 3, .start = start});
        EXPECT_EQ(result.counts, (std::vector<Offset>{100, 0, 0}));
        EXPECT_EQ(result.inertia, 0);
    }
}

TEST(Kmeans, CosineLooksAtDirectionsOnly) {
    const std::vector<float> points{1, 0.1F, 100, 12, 0.1F, 1, 9, 100};
    const Result result = cluster(view(points, 2), {.clusters = 2, .metric = Metric::cosine});
    EXPECT_EQ(result.labels[0], result.labels[1]);
    EXPECT_EQ(result.labels[2], result.labels[3]);
    for (Index k = 0; k < 2; ++k) {
        EXPECT_NEAR(std::hypot(result.centroids.row(k)[0], result.centroids.row(k)[1]), 1, 1e-6);
    }
}

TEST(Kmeans, ManyColumns) {
    const auto points = blobs_of(70, 10000, 3);
    const Result result = cluster(view(points, 10000), {.clusters = 3});
    for (std::size_t r = 3; r < 70; ++r) EXPECT_EQ(result.labels[r], result.labels[r % 3]);
}

TEST(Kmeans, AssignsNewPoints) {
    const auto points = blobs_of(1000, 3, 4), others = blobs_of(77, 3, 4, 5);
    const Result result = cluster(view(points, 3), {.clusters = 4});
    const Assignment again = assign(view(points, 3), result.centroids.view());
    EXPECT_EQ(again.labels, result.labels);
    EXPECT_EQ(again.counts, result.counts);
    EXPECT_EQ(again.inertia, result.inertia);
    const Assignment fresh = assign(view(others, 3), result.centroids.view());
    for (Index r = 0; r < 77; ++r) {
        const Index expected = nearest_in_double(others.data() + Offset{r} * 3, 3, result.centroids.view().data, 4);
        EXPECT_EQ(fresh.labels[static_cast<std::size_t>(r)], expected);
    }
}

/// Assignment works with fewer points than centroids.
TEST(Kmeans, AssignsFewerPointsThanCentroids) {
    const std::vector<float> points{3}, from{100, -100, 0, 10000};
    for (const Method method : {Method::lloyd, Method::sequential}) {
        const Options options{.clusters = 4, .iterations = 0, .method = method};
        const Result result = cluster(view(points, 1), options, {}, {.centroids = view(from, 1)});
        EXPECT_EQ(result.labels, (std::vector<Index>{2}));
        EXPECT_EQ(result.counts, (std::vector<Offset>{0, 0, 1, 0}));
        EXPECT_EQ(result.inertia, 9);
        EXPECT_EQ(values_of(result.centroids), from);
    }
}

TEST(Kmeans, AStopLeavesTheLastWholeIteration) {
    const auto points = blobs_of(1000, 3, 4);
    for (const Method method : {Method::lloyd, Method::sequential}) {
        std::stop_source stop;
        const auto after = [&](int iterations, const dunlin::Run& run = {}) {
            return cluster(view(points, 3),
                           {.clusters = 4, .iterations = iterations, .stop = Rule::never, .method = method}, run);
        };
        // Cancelled after the second iteration, during the final assignment
        const Result result = after(2, {.stop = stop.get_token(), .on_progress = [&](const Progress& p) {
                                            if (p.stage == "optimize" && p.done == 2) stop.request_stop();
                                        }});
        EXPECT_EQ(result.stopped, Stopped::cancelled);
        EXPECT_EQ(result.iterations, 2);
        const Result whole = after(2);
        const auto same = std::span(result.centroids.view().data, 12), as = std::span(whole.centroids.view().data, 12);
        EXPECT_TRUE(std::equal(same.begin(), same.end(), as.begin()));
        EXPECT_EQ(result.labels, after(1).labels);
        EXPECT_GE(result.inertia, whole.inertia);
        const Result before = after(2, {.stop = stop.get_token()});
        EXPECT_EQ(before.stopped, Stopped::cancelled);
        EXPECT_TRUE(before.labels.empty());
    }
}

/// The message of the error that this throws.
template <class Call>
std::string refusal(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::bad_input);
        return error.what();
    }
    return "no error";
}

TEST(Kmeans, BadInputIsNamed) {
    auto points = blobs_of(100, 2, 4);
    const auto with = [&](const Options& options, const Given& given = {}) {
        return refusal([&] { cluster(view(points, 2), options, {}, given); });
    };
    EXPECT_NE(with({.clusters = 101}).find("101"), std::string::npos);
    const std::vector<float> many(202);
    EXPECT_NE(with({.clusters = 101}, {.centroids = view(many, 2)}).find("iterations 0"), std::string::npos);
    EXPECT_NE(with({.clusters = 101, .iterations = 0}).find("101"), std::string::npos);
    EXPECT_NE(with({.clusters = 0}).find("clusters is 0"), std::string::npos);
    EXPECT_NE(with({.restarts = 0}).find("restarts is 0"), std::string::npos);
    EXPECT_NE(with({.stop = Rule::never, .tolerance = 0.1}).find("never"), std::string::npos);
    const std::vector<float> weights(99, 1.0F), negative(100, -1.0F), three(6);
    EXPECT_NE(with({}, {.weights = weights}).find("99 weights"), std::string::npos);
    EXPECT_NE(with({}, {.weights = negative}).find("row 0 (counting"), std::string::npos);
    EXPECT_NE(with({}, {.centroids = view(three, 2)}).find("3 x 2"), std::string::npos);
    points[7] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(with({}).find("row 3 has nan in column 1"), std::string::npos);
    points[7] = 1e20F;
    EXPECT_NE(with({}).find("column 1"), std::string::npos);
}

}  // namespace
}  // namespace dunlin::kmeans

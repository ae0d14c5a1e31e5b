// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <dunlin/error.hpp>

#include "cases/kmeans.hpp"
#include "kmeans/choose.hpp"
#include "math/rng.hpp"

namespace dunlin::kmeans {
namespace {

TEST(KmeansChoice, LikelihoodByHand) {
    // two clusters of two rows in one column, inertia 2.5: variance 2.5 / 2
    const double expected = -2 * std::log(2 * 3.14159265358979 * 1.25) - 1 + 4 * std::log(0.5);
    EXPECT_NEAR(log_likelihood({2, 2}, 1, 2.5), expected, 1e-12);
    EXPECT_EQ(parameters(2, 1), 4);
    EXPECT_NEAR(bic({2, 2}, 1, 2.5), -2 * expected + 4 * std::log(4), 1e-12);
    EXPECT_NEAR(aic({2, 2}, 1, 2.5), -2 * expected + 8, 1e-12);
}

TEST(KmeansChoice, NoVarianceIsNoLikelihood) {
    EXPECT_TRUE(std::isnan(bic({1, 1, 1}, 1, 1e-9)));  // as many clusters as rows
    EXPECT_TRUE(std::isnan(aic({2, 2}, 1, 0)));
    const std::vector<float> apart{0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32};
    const std::vector<float> places{0, 0, 0, 0, 1, 1, 1, 1, 10, 10, 10, 10};
    for (const Criterion criterion : {Criterion::bic, Criterion::aic}) {
        const Choice choice = choose(view(apart, 1), 12, criterion, {.clusters = 1, .restarts = 5});
        EXPECT_LT(choice.best.options.clusters, 12);
        EXPECT_TRUE(std::isnan(choice.curve.back().value));
        EXPECT_EQ(choose(view(places, 1), 4, criterion, {.clusters = 1, .restarts = 5}).best.options.clusters, 2);
        EXPECT_EQ(choose(view(apart, 1), 12, criterion, {.clusters = 12}).best.options.clusters, 12);
    }
}

TEST(KmeansChoice, SilhouetteByHand) {
    const std::vector<float> points{0, 1, 10, 12};
    // a: 1, 1, 2, 2; b: 11, 10, 9.5, 11.5
    const double expected = (10.0 / 11 + 9.0 / 10 + 7.5 / 9.5 + 9.5 / 11.5) / 4;
    EXPECT_NEAR(silhouette(view(points, 1), {0, 0, 1, 1}, 2, Metric::euclidean, {}), expected, 1e-12);
}

TEST(KmeansChoice, FarBlobsAreCounted) {
    auto points = blobs_of(900, 3, 6, 4);
    for (std::size_t i = 0; i < points.size(); ++i) points[i] += static_cast<float>(40 * ((i / 3) % 6));
    for (const Criterion criterion : {Criterion::bic, Criterion::silhouette}) {
        const Choice choice = choose(view(points, 3), 10, criterion, {.clusters = 2, .restarts = 3});
        EXPECT_EQ(choice.best.options.clusters, 6) << name_of(criterion);
        EXPECT_EQ(choice.curve.size(), 9U);
    }
}

TEST(KmeansChoice, AStopEndsTheCurveBeforeWhatIsNotWhole) {
    const auto points = blobs_of(900, 3, 6, 4);
    std::stop_source stop;
    dunlin::Run run{.stop = stop.get_token()};
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "start" && progress.total == 4) stop.request_stop();
    };
    const Choice choice = choose(view(points, 3), 10, Criterion::bic, {.clusters = 2}, run);
    EXPECT_EQ(choice.curve.size(), 2U);
    EXPECT_EQ(choice.best.stopped, Stopped::cancelled);
    EXPECT_LE(choice.best.options.clusters, 3);
    EXPECT_THROW(choose(view(points, 3), 901, Criterion::bic), Error);
}

/// 150 rows of four columns: two groups of three overlap, as in Fisher's irises.
std::vector<float> like_irises() {
    constexpr double means[3][4] = {{5.0, 3.4, 1.5, 0.2}, {5.9, 2.8, 4.3, 1.3}, {6.6, 3.0, 5.6, 2.0}};
    constexpr double deviations[3] = {0.25, 0.4, 0.45};
    std::vector<float> points;
    for (std::uint64_t r = 0; r < 150; ++r)
        for (std::uint64_t c = 0; c < 4; ++c)
            points.push_back(static_cast<float>(means[r / 50][c] + deviations[r / 50] * math::random_normal(11, r, c)));
    return points;
}

void expect_falling(const Choice& choice, std::size_t numbers, const std::string& what) {
    ASSERT_EQ(choice.curve.size(), numbers) << what;
    for (std::size_t i = 1; i < numbers; ++i)
        EXPECT_LE(choice.curve[i].inertia, choice.curve[i - 1].inertia) << what << ", " << i + 1 << " clusters";
}

TEST(KmeansChoice, SumsOfSquaresFallWithTheNumberOfClusters) {
    const std::vector<float> irises = like_irises(), many = blobs_of(400, 3, 7, 3);
    std::vector<float> duplicates;
    for (int r = 0; r < 60; ++r) duplicates.push_back(static_cast<float>(r % 4) / 3);
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
        for (const Start start : {Start::plusplus, Start::random}) {
            for (const Rule rule : {Rule::shift, Rule::inertia, Rule::never}) {
                const Options options{.clusters = 1, .metric = metric, .start = start, .stop = rule};
                const std::string what = std::string(name_of(metric)) + " " + std::string(name_of(rule));
                expect_falling(choose(view(irises, 4), 20, Criterion::bic, options), 20, what + " irises");
                expect_falling(choose(view(many, 3), 15, Criterion::bic, options), 15, what);
                expect_falling(choose(view(duplicates, 1), 9, Criterion::bic, options), 9, what + " duplicates");
                expect_falling(choose(view(duplicates, 4), 15, Criterion::bic, options), 15, what + " K = n");
            }
        }
    }
    const Choice one = choose(view(std::vector<float>{1, 2}, 2), 1, Criterion::bic, {.clusters = 1});
    EXPECT_EQ(one.curve.size(), 1U);
}

/// With no iterations a number of clusters is as bad as its start, and the run from one cluster fewer as that.
TEST(KmeansChoice, WithoutIterationsTheyDoNotRise) {
    const std::vector<float> points = like_irises();
    const Options options{.clusters = 1, .start = Start::random, .iterations = 0};
    expect_falling(choose(view(points, 4), 30, Criterion::bic, options), 30, "no iterations");
}

TEST(KmeansChoice, OneMoreIsAnEmptyCluster) {
    Result result;
    result.options.clusters = 2;
    result.centroids = Matrix(2, 1, {3, 5});
    result.counts = {4, 2};
    result.inertia = 7;
    EXPECT_EQ(with_one_more(result), (std::vector<float>{3, 5, 3}));
    const Result more = with_empty_cluster(result);
    EXPECT_EQ(more.options.clusters, 3);
    EXPECT_EQ(more.counts, (std::vector<Offset>{4, 2, 0}));
    EXPECT_EQ(more.inertia, 7);
    EXPECT_TRUE(with_one_more({}).empty());
}

}  // namespace
}  // namespace dunlin::kmeans

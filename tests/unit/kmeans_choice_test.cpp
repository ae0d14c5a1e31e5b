// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <dunlin/error.hpp>

#include "cases/kmeans.hpp"
#include "kmeans/criteria.hpp"

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

}  // namespace
}  // namespace dunlin::kmeans

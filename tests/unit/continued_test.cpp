// SPDX-License-Identifier: Apache-2.0
// Maps that go on from a map of some of their points.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/transform.hpp>

#include "cases/maps.hpp"
#include "cases/points.hpp"
#include "refusal.hpp"

namespace dunlin {
namespace {

using descent::Continuation;

const Run on_cpu{.device = Device::cpu};
const float nan = std::numeric_limits<float>::quiet_NaN();

double cost_of(const tsne::Result& result) { return result.kl; }
double cost_of(const umap::Result& result) { return result.cross_entropy; }
double cost_of(const pacmap::Result& result) { return result.loss; }

/// The map, and rows of NaN up to n.
Map extended(Map map, Index n) {
    map.coordinates.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(map.dim), nan);
    return map;
}

template <class Options>
class Continued : public testing::Test {};
using AllOptions = testing::Types<tsne::Options, umap::Options, pacmap::Options>;
TYPED_TEST_SUITE(Continued, AllOptions);

TYPED_TEST(Continued, FixedPointsStayToTheBitAndTheOthersHavePlaces) {
    const made::Points points = made::gaussians(700, 6, 5);
    for (const int dim : {1, 2, 3}) {
        TypeParam options;
        options.dim = dim;
        Map some = embed(points.view(), options, on_cpu).map;
        for (Index i = 0; i < 700; i += 5) {
            for (int d = 0; d < dim; ++d) some.coordinates[static_cast<std::size_t>(i * dim + d)] = nan;
        }
        const auto result =
            continued(points.view(), some, Continuation::fixed, continuing(Continuation::fixed, 0.2, options), on_cpu);
        EXPECT_EQ(result.map.dim, dim);
        EXPECT_EQ(result.iterations, 250);
        EXPECT_TRUE(made::is_finite(result.map));
        for (Index i = 0; i < 700; ++i) {
            if (i % 5 == 0) continue;
            for (Index d = 0; d < dim; ++d) EXPECT_EQ(result.map.view()(i, d), some.view()(i, d));
        }
    }
}

TYPED_TEST(Continued, AGrownMapCostsWhatAFreshOneDoes) {
    const made::Points points = made::gaussians(1200, 8, 6);
    const auto old = embed(MatrixView<const float>{points.values.data(), 1000, 8}, TypeParam(), on_cpu);
    const auto fresh = embed(points.view(), TypeParam(), on_cpu);
    const Map some = extended(old.map, 1200);
    const auto grown = continued(points.view(), some, Continuation::grow,
                                 continuing(Continuation::grow, placement::share_of_new(some), TypeParam()), on_cpu);
    EXPECT_LT(grown.iterations, fresh.iterations);
    EXPECT_LE(cost_of(grown), 1.02 * cost_of(fresh));  // as maps of other seeds
    // Known points keep their arrangement: their distances correlate
    double sum[5] = {};
    for (Index i = 0; i < 1000; i += 3) {
        const Index j = (i * 7 + 11) % 1000;
        const auto a = std::sqrt(made::distance2(old.map.view(), i, j)),
                   b = std::sqrt(made::distance2(grown.map.view(), i, j));
        sum[0] += a, sum[1] += b, sum[2] += a * a, sum[3] += b * b, sum[4] += a * b;
    }
    const double m = 334, cov = sum[4] / m - sum[0] * sum[1] / m / m;
    const double correlation =
        cov / std::sqrt((sum[2] / m - sum[0] * sum[0] / m / m) * (sum[3] / m - sum[1] * sum[1] / m / m));
    EXPECT_GE(correlation, 0.95);
}

TYPED_TEST(Continued, TheSameSeedGivesTheSameBytesForAnyNumberOfThreads) {
    const made::Points points = made::gaussians(500, 6, 5);
    Map some{2, made::cloud(500, 2, 3)};
    for (std::size_t i = 600; i < 1000; ++i) some.coordinates[i] = nan;
    const auto map = [&](int threads) {
        return continued(points.view(), some, Continuation::grow, continuing(Continuation::grow, 0.4, TypeParam()),
                         Run{.device = Device::cpu, .threads = threads})
            .map.coordinates;
    };
    EXPECT_EQ(map(1), map(3));
}

TYPED_TEST(Continued, FewPoints) {
    for (Index n = 2; n <= 5; ++n) {
        const made::Points points = made::gaussians(n, 3, 2);
        for (const auto how : {Continuation::fixed, Continuation::grow}) {
            Map some{2, made::cloud(n, 2, 1)};
            some.coordinates[0] = some.coordinates[1] = nan;
            EXPECT_TRUE(made::is_finite(
                continued(points.view(), some, how, continuing(how, 1.0 / n, TypeParam()), on_cpu).map));
            // Nothing to place
            const Map whole{2, made::cloud(n, 2, 1)};
            const auto result = continued(points.view(), whole, Continuation::fixed,
                                          continuing(Continuation::fixed, 0, TypeParam()), on_cpu);
            EXPECT_EQ(result.map.coordinates, whole.coordinates);
        }
    }
}

TYPED_TEST(Continued, MistakesAreNamed) {
    const made::Points points = made::gaussians(30, 4, 2);
    const Map whole{2, made::cloud(30, 2, 1)};
    const TypeParam options = continuing(Continuation::grow, 0, TypeParam());
    const auto says = [&](const Map& some, const TypeParam& chosen, const descent::Given& given = {}) {
        return refusal(Fault::bad_input,
                       [&] { continued(points.view(), some, Continuation::grow, chosen, on_cpu, given); });
    };
    EXPECT_NE(says(whole, options, {.start = &whole}).find("start"), std::string::npos);
    TypeParam random = options;
    random.start = descent::Start::random;
    EXPECT_NE(says(whole, random).find("start is random"), std::string::npos);
    EXPECT_NE(says({2, std::vector<float>(58, 0.5F)}, options).find("29 points"), std::string::npos);
    EXPECT_NE(says({2, std::vector<float>(60, nan)}, options).find("no row"), std::string::npos);
    Map half = whole;
    half.coordinates[3] = nan;
    EXPECT_NE(says(half, options).find("row 1"), std::string::npos);
    half.coordinates[2] = nan;
    made::Points bad = points;
    bad.values[9] = nan;
    EXPECT_NE(refusal(Fault::bad_input, [&] { continued(bad.view(), half, Continuation::grow, options, on_cpu); }), "");
}

TYPED_TEST(Continued, AStopLeavesTheMapSoFarOrNone) {
    const made::Points points = made::gaussians(3000, 6, 5);
    const Map some = extended({2, made::cloud(2400, 2, 5)}, 3000);
    for (const char* stage : {"neighbors", "optimize"}) {
        std::stop_source source;
        Run run = on_cpu;
        run.stop = source.get_token();
        run.on_progress = [&](const Progress& progress) {
            if (progress.stage == stage) source.request_stop();
        };
        const auto result =
            continued(points.view(), some, Continuation::grow, continuing(Continuation::grow, 0.2, TypeParam()), run);
        EXPECT_EQ(result.stopped, Stopped::cancelled) << stage;
        EXPECT_TRUE(result.map.size() == 0 || (result.map.size() == 3000 && made::is_finite(result.map))) << stage;
    }
}

TEST(ContinuedSchedule, OfTsneIsBetweenNoneAndThatOfANewMap) {
    const tsne::Options none = tsne::continuing(Continuation::grow, 0),
                        fifth = tsne::continuing(Continuation::grow, 0.2),
                        most = tsne::continuing(Continuation::grow, 0.75),
                        held = tsne::continuing(Continuation::fixed, 0.2);
    EXPECT_EQ(none.iterations, 50);
    EXPECT_EQ(none.exaggerated_iterations, 0);
    EXPECT_EQ(fifth.iterations, 330);  // 50 + 0.4 * 700
    EXPECT_EQ(fifth.exaggerated_iterations, 100);
    EXPECT_NEAR(fifth.exaggeration, std::pow(12, 0.2), 1e-5);
    EXPECT_EQ(most.iterations, 750);
    EXPECT_EQ(most.exaggerated_iterations, 250);
    EXPECT_EQ(held.iterations, 250);
    EXPECT_EQ(held.exaggerated_iterations, 0);
    const tsne::Options other = tsne::continuing(Continuation::grow, 0.5, tsne::options_of(tsne::Preset::sklearn));
    EXPECT_EQ(other.iterations, 1000);
    EXPECT_EQ(placement::share_of_new({2, {0, 1, nan, nan}}), 0.5);
    EXPECT_EQ(placement::share_of_new({2, {}}), 0);
}

}  // namespace
}  // namespace dunlin

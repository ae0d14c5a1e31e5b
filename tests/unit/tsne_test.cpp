// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "cases/cases.hpp"
#include "cases/maps.hpp"
#include "descent/repulsion.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"
#include "tsne/convergence.hpp"
#include "tsne/resolve.hpp"

namespace dunlin::tsne {
namespace {

std::vector<float> random_points(Index n, Index d, std::uint64_t seed = 1) { return made::cloud(n, d, 1, seed); }

/// Two distant blobs of n / 2 points each.
std::vector<float> two_blobs(Index n, Index d) {
    auto x = random_points(n, d);
    for (Index i = n / 2; i < n; ++i) x[static_cast<std::size_t>(i) * static_cast<std::size_t>(d)] += 50;
    return x;
}

// --- options

TEST(Resolve, DefaultsFollowTheSize) {
    const auto of = [](Index n) { return resolve_neighbors({}, n, 50, n - 1); };
    EXPECT_FLOAT_EQ(*of(1000).perplexity, 30);
    EXPECT_EQ(*of(1000).k, 90);
    EXPECT_FLOAT_EQ(*of(31).perplexity, 10);
    EXPECT_EQ(*of(31).k, 30);
    EXPECT_FLOAT_EQ(*of(2).perplexity, 1);
    EXPECT_EQ(*of(31).pca, 50);
    EXPECT_EQ(*resolve_neighbors({.pca = 7}, 31, 50, 30).pca, 7);
    EXPECT_EQ(*resolve_neighbors({.pca = 70}, 31, 50, 30).pca, 50);
}

TEST(Resolve, LearningRatesFollowSizeExaggerationAndEachOther) {
    const auto rates = [](const Options& wanted) {
        const Options o = resolve_descent(wanted, 1200, Device::cpu);
        return std::pair{*o.learning_rate, *o.late_learning_rate};
    };
    EXPECT_EQ(rates({}), std::pair(100.0F, 1200.0F));
    EXPECT_EQ(rates(options_of(Preset::sklearn)), std::pair(200.0F, 200.0F));
    EXPECT_EQ(rates({.learning_rate = 50.0F}), std::pair(50.0F, 50.0F));
    EXPECT_EQ(rates({.late_learning_rate = 70.0F}), std::pair(100.0F, 70.0F));
    EXPECT_EQ(rates({.rate_by_phase = false}), std::pair(100.0F, 100.0F));
}

TEST(Resolve, RepulsionIsNamedAndWhatItDoesNotReadIsLeftOut) {
    const auto small = resolve_descent({}, 900, Device::cpu), large = resolve_descent({}, 5000, Device::cpu);
    EXPECT_EQ(small.repulsion, Repulsion::exact);
    EXPECT_FALSE(small.theta || small.spacing);
    EXPECT_EQ(large.repulsion, Repulsion::adaptive);
    EXPECT_FLOAT_EQ(*large.theta, 0.5F);
    EXPECT_FLOAT_EQ(*large.spacing, 1.0F / 3);
    EXPECT_FLOAT_EQ(*resolve_descent({.dim = 3}, 5000, Device::cpu).spacing, 0.4F);
    EXPECT_EQ(resolve_descent({}, 20000, Device::cuda).repulsion, Repulsion::grid);
    EXPECT_NE(refusal(Fault::bad_input, [] { resolve_descent({.repulsion = Repulsion::adaptive}, 9, Device::cuda); }),
              "");
}

TEST(Resolve, APerplexityTooLargeIsAnErrorWithTheLargestLegalValue) {
    const auto text = refusal(Fault::bad_input, [] { resolve_neighbors({.perplexity = 100.0F}, 50, 3, 49); });
    EXPECT_NE(text.find("at most 49"), std::string::npos) << text;
}

TEST(Embed, ResolvedOptionsGiveTheSameBytes) {
    for (const Index n : {1, 2, 40, 1300}) {
        std::vector<float> values;
        for (Offset i = 0; i < Offset{n} * 6; ++i)
            values.push_back(static_cast<float>(math::random_uniform(11, static_cast<std::uint64_t>(i))));
        const MatrixView<const float> points{values.data(), n, 6};
        for (const Options& wanted : {Options{.iterations = 60}, Options{.pca = 3, .iterations = 60},
                                      Options{.search = neighbors::Method::approximate, .iterations = 60}}) {
            const Result first = embed(points, wanted, {.threads = 2});
            const Result again = embed(points, first.options, {.threads = 2});
            EXPECT_EQ(first.map.coordinates, again.map.coordinates) << n;
            EXPECT_EQ(first.options.search, again.options.search);
            EXPECT_NE(first.options.repulsion, Repulsion::automatic);
            EXPECT_NE(first.options.search, neighbors::Method::automatic);
            EXPECT_FALSE(first.engines.empty());
        }
    }
}

TEST(Check, WhatAMethodWouldIgnoreIsRefused) {
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.theta = 0.3F}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.repulsion = Repulsion::tree, .spacing = 0.3F}); }), "");
    EXPECT_EQ(refusal(Fault::bad_input, [] { check({.repulsion = Repulsion::tree, .theta = 0.3F}); }), "");
    EXPECT_NE(
        refusal(Fault::bad_input, [] { check({.search = neighbors::Method::exact, .recall = 0.9}); }).find("recall"),
        std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.dim = 4}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.momentum = 1.0F}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.learning_rate = -1.0F}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.learning_rate = 3.0F, .least_learning_rate = 4}); }), "");
}

TEST(Repeller, TheRuleForTheQuickestEngine) {
    EXPECT_EQ(descent::quickest(1000, 3, 2, 1.0F / 3), Repulsion::exact);
    EXPECT_EQ(descent::quickest(10000, 60, 2, 1.0F / 3), Repulsion::grid);
    EXPECT_EQ(descent::quickest(10000, 240, 2, 1.0F / 3), Repulsion::tree);
    EXPECT_EQ(descent::quickest(1500, 20, 3, 0.4F), Repulsion::exact);
    EXPECT_EQ(descent::quickest(10000, 20, 3, 0.4F), Repulsion::grid);
    EXPECT_EQ(descent::quickest(10000, 50, 3, 0.4F), Repulsion::tree);
}

// --- whole runs

TEST(Embed, SeparatesTwoBlobs) {
    const auto x = two_blobs(200, 10);
    for (const int dim : {2, 3}) {
        const Result result = embed({x.data(), 200, 10}, {.dim = dim});
        double inside = 0, between = 1e9;
        const auto y = result.map.view();
        for (Index i = 0; i < 200; ++i) {
            for (Index j = 0; j < i; ++j) {
                double d2 = 0;
                for (int c = 0; c < dim; ++c) d2 += std::pow(y(i, c) - y(j, c), 2);
                if ((i < 100) == (j < 100)) {
                    inside = std::max(inside, d2);
                } else {
                    between = std::min(between, d2);
                }
            }
        }
        EXPECT_GT(between, inside) << dim;
        EXPECT_EQ(result.stopped, Stopped::budget);
        EXPECT_EQ(result.iterations, 750);
    }
}

TEST(Embed, TheSameSeedGivesTheSameBytesForAnyNumberOfThreads) {
    const auto x = random_points(1000, 8);
    for (const Repulsion repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid}) {
        for (const int dim : {2, 3}) {
            const Options options{.dim = dim, .iterations = 52, .exaggerated_iterations = 30, .repulsion = repulsion};
            const Result one = embed({x.data(), 1000, 8}, options, {.threads = 1});
            int told = 0;
            dunlin::Run watched{.threads = 2};
            watched.on_progress = [&told](const Progress&) { ++told; };
            watched.snapshot_every = 7;
            EXPECT_EQ(one.map.coordinates, embed({x.data(), 1000, 8}, options, watched).map.coordinates)
                << name_of(repulsion) << dim;
            EXPECT_GT(told, 8);
            EXPECT_EQ(one.map.coordinates, embed({x.data(), 1000, 8}, options, {.threads = 3}).map.coordinates)
                << name_of(repulsion) << dim;
        }
    }
}

TEST(Convergence, PatienceCountsIterationsSinceTheMinimum) {
    const auto stop = [](const Options& options, const std::vector<double>& costs) {
        Convergence convergence(options);
        for (std::size_t c = 0; c < costs.size(); ++c) {
            const int iteration = 50 * (static_cast<int>(c) + 1);
            if (convergence.is_reached(iteration, costs[c])) return iteration;
        }
        return 0;
    };
    const std::vector<double> costs{9, 8, 7, 5, 4, 4.5, 4.2, 3.9, 4, 4, 4};
    EXPECT_EQ(stop({.exaggerated_iterations = 0}, costs), 0);
    EXPECT_EQ(stop({.exaggerated_iterations = 0, .patience = 0}, costs), 300);
    EXPECT_EQ(stop({.exaggerated_iterations = 0, .patience = 49}, costs), 300);
    EXPECT_EQ(stop({.exaggerated_iterations = 0, .patience = 50}, costs), 350);
    EXPECT_EQ(stop({.exaggerated_iterations = 0, .patience = 100}, costs), 550);  // the minimum is at 400
    EXPECT_EQ(stop({.exaggerated_iterations = 0, .patience = 150}, costs), 0);
    EXPECT_EQ(stop({.exaggerated_iterations = 450, .patience = 0}, costs), 500);  // nothing before counts
    EXPECT_EQ(stop({.exaggerated_iterations = 0, .patience = 0}, {1, 1}), 100);
}

TEST(Convergence, ARunWithoutProgressEndsByPatience) {
    const auto x = two_blobs(100, 5);
    // Exaggeration from a map of low KL on raises it
    const Result start = embed({x.data(), 100, 5}, {.iterations = 500});
    Options options{.iterations = 1000, .exaggerated_iterations = 0, .late_exaggeration = 12};
    const auto run = [&] { return embed({x.data(), 100, 5}, options, {}, {.start = &start.map}); };
    EXPECT_EQ(run().iterations, 1000);
    options.patience = 0;
    const Result result = run();
    EXPECT_EQ(result.stopped, Stopped::converged);
    EXPECT_LT(result.iterations, 1000);
    EXPECT_EQ(result.iterations % 50, 0);
    EXPECT_GE(result.iterations, 100);
    options = result.options;
    EXPECT_EQ(run().map.coordinates, result.map.coordinates);
}

TEST(Convergence, ASmallGradientEndsARun) {
    const auto x = two_blobs(100, 5);
    Options options{.iterations = 1000, .exaggerated_iterations = 100};
    options.min_gradient = 1e9F;
    EXPECT_EQ(embed({x.data(), 100, 5}, options).iterations, 100);  // the first check after early exaggeration
    options.min_gradient = 1e-3F;
    const Result result = embed({x.data(), 100, 5}, options);
    EXPECT_EQ(result.stopped, Stopped::converged);
    EXPECT_LT(result.iterations, 1000);
    options.min_gradient = 1e-30F;
    EXPECT_EQ(embed({x.data(), 100, 5}, options).iterations, 1000);
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.min_gradient = -1}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [] { check({.patience = -1}); }), "");
}

TEST(Embed, TinyInputs) {
    for (const Index n : {1, 2, 3, 4, 5}) {
        const auto x = random_points(n, 3);
        const Result result = embed({x.data(), n, 3}, {.iterations = 100});
        ASSERT_EQ(result.map.size(), n);
        for (const float value : result.map.coordinates) EXPECT_TRUE(std::isfinite(value)) << n;
    }
    EXPECT_NE(refusal(Fault::bad_input, [] { embed(MatrixView<const float>{}); }), "");
}

TEST(Embed, EqualPointsGiveAFiniteMap) {
    const std::vector<float> x(300, 2.5F);
    for (const Repulsion repulsion : {Repulsion::exact, Repulsion::tree, Repulsion::grid}) {
        const Result result = embed({x.data(), 100, 3}, {.iterations = 300, .repulsion = repulsion});
        for (const float value : result.map.coordinates) EXPECT_TRUE(std::isfinite(value));
        EXPECT_TRUE(std::isfinite(result.kl));
    }
}

TEST(Embed, NoIterationsReturnTheGivenStart) {
    const auto x = random_points(50, 4);
    const Map start{2, random_points(50, 2, 8)};
    const Result result = embed({x.data(), 50, 4}, {.iterations = 0}, {}, {.start = &start});
    EXPECT_EQ(result.map.coordinates, start.coordinates);
}

TEST(Embed, GivenNeighborsAreUsed) {
    const auto x = random_points(200, 4);
    const Graph graph = neighbors::search({x.data(), 200, 4}, {.k = 90}).graph;
    const Result given = embed({x.data(), 200, 4}, {}, {}, {.neighbors = &graph});
    EXPECT_EQ(given.map.coordinates, embed({x.data(), 200, 4}).map.coordinates);
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed({x.data(), 100, 4}, {}, {}, {.neighbors = &graph}); }), "");
}

TEST(Embed, GivenNeighborsAreListsOfDistances) {
    const auto x = random_points(200, 4);
    const Graph graph = neighbors::search({x.data(), 200, 4}, {.k = 90}).graph;
    const Options quick{.iterations = 1};
    const auto said = [&](const Graph& given) {
        return refusal(Fault::bad_input, [&] { embed({x.data(), 200, 4}, quick, {}, {.neighbors = &given}); });
    };
    const auto with = [&](const auto& change) {
        Graph changed = graph;
        change(changed);
        return said(changed);
    };
    const std::size_t row = 90 * 7;
    EXPECT_NE(with([&](Graph& g) { g.weights[row + 3] = -0.5F; }).find("row 7 (counting from 0) has the weight -0.5"),
              std::string::npos);
    EXPECT_NE(with([&](Graph& g) { g.targets[row + 3] = 7; }).find("row 7 (counting from 0) has itself"),
              std::string::npos);
    EXPECT_NE(with([&](Graph& g) { g.targets[row + 3] = g.targets[row + 50]; }).find("twice"), std::string::npos);
    EXPECT_NE(with([&](Graph& g) { g.targets[row + 3] = 200; }).find("points 0 to 199"), std::string::npos);

    // Positive inner products decrease along a row
    auto positive = x;
    for (float& value : positive) value = std::abs(value) + 1;
    const Graph products =
        neighbors::search({positive.data(), 200, 4}, {.k = 90, .metric = neighbors::Metric::inner_product}).graph;
    EXPECT_NE(said(products).find("only fall"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { affinities(products, 30); }), "");

    // Other programs list neighbors by column
    EXPECT_EQ(with([](Graph& g) {
                  for (std::size_t r = 0; r < 200; ++r) {
                      std::reverse(g.targets.begin() + 90 * std::ptrdiff_t(r),
                                   g.targets.begin() + 90 * std::ptrdiff_t(r + 1));
                      std::reverse(g.weights.begin() + 90 * std::ptrdiff_t(r),
                                   g.weights.begin() + 90 * std::ptrdiff_t(r + 1));
                      std::swap(g.targets[90 * r], g.targets[90 * r + 89]);
                      std::swap(g.weights[90 * r], g.weights[90 * r + 89]);
                  }
              }),
              "");
}

TEST(Embed, ANegativeNumberOfThreadsIsRefused) {
    const auto x = random_points(50, 4);
    const dunlin::Run run{.threads = -1};
    const MatrixView<const float> points{x.data(), 50, 4};
    EXPECT_NE(refusal(Fault::bad_input, [&] { embed(points, {}, run); }).find("threads is -1"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { neighbors::search(points, {}, run); }).find("threads is -1"),
              std::string::npos);
}

TEST(Embed, StopsWhenAskedBeforeAndDuring) {
    const auto x = random_points(300, 4);
    std::stop_source source;
    dunlin::Run run{.stop = source.get_token()};
    run.on_progress = [&source](const Progress& p) {
        if (p.stage == "optimize" && p.done >= 1) source.request_stop();
    };
    run.snapshot_every = 1;
    const Result during = embed({x.data(), 300, 4}, {}, run);
    EXPECT_EQ(during.stopped, Stopped::cancelled);
    EXPECT_GE(during.iterations, 1);
    EXPECT_LT(during.iterations, 750);
    EXPECT_EQ(during.map.size(), 300);

    const Result before = embed({x.data(), 300, 4}, {}, run);
    EXPECT_EQ(before.stopped, Stopped::cancelled);
    EXPECT_EQ(before.iterations, 0);
    EXPECT_EQ(before.map.size(), 300);
}

TEST(Embed, StopsByConvergence) {
    const auto x = two_blobs(100, 3);
    const Result result = embed({x.data(), 100, 3}, {.iterations = 5000, .tolerance = 1e-3F});
    EXPECT_EQ(result.stopped, Stopped::converged);
    EXPECT_LT(result.iterations, 5000);
}

TEST(Embed, KlNeverRisesWithMoreIterations) {
    const auto x = random_points(400, 5);
    double last = 1e9;
    for (const int iterations : {250, 300, 350, 750}) {
        const double kl = embed({x.data(), 400, 5}, {.iterations = iterations}).kl;
        EXPECT_LE(kl, last + 1e-3);
        last = kl;
    }
}

TEST(Embed, OffsetsChangeNothing) {
    auto x = random_points(300, 4);
    const double kl = embed({x.data(), 300, 4}).kl;
    for (float& value : x) value += 64;  // adding a power of two loses few digits
    EXPECT_NEAR(embed({x.data(), 300, 4}).kl, kl, cases::kl_spread);
}

}  // namespace
}  // namespace dunlin::tsne

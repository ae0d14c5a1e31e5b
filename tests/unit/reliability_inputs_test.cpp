// SPDX-License-Identifier: Apache-2.0
// Diagnostics of unusual inputs: few points, copies, other metrics, what is refused, threads, stops, memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/reliability.hpp>
#include <dunlin/tsne.hpp>

#include "cases/maps.hpp"
#include "math/at.hpp"
#include "refusal.hpp"

namespace dunlin::reliability {
namespace {

Matrix random_points(Index n, Index d, std::uint64_t seed = 1) { return {n, d, made::cloud(n, d, 1, seed)}; }

Map random_map(Index n, int dim, double deviation = 5, std::uint64_t seed = 3) {
    return {dim, made::cloud(n, dim, deviation, seed)};
}

TEST(Reliability, FewPoints) {
    for (const int dim : {1, 2, 3}) {
        for (const Index n : {1, 2, 3, 4, 5, 13, 31}) {
            const Matrix points = random_points(n, 3);
            const Result found = evaluate(random_map(n, dim), points.view(),
                                          {.perturb = true, .bootstrap = 2, .null = true, .iterations = 50});
            EXPECT_EQ(found.stopped, Stopped::converged);
            each_column(found.columns, [&](const char* name, const std::vector<float>& column) {
                ASSERT_EQ(std::ssize(column), n) << name;
                const bool undefined = std::all_of(column.begin(), column.end(), [](float v) { return std::isnan(v); });
                if (n == 1) {
                    EXPECT_TRUE(undefined) << name;
                } else if (n > 3) {
                    EXPECT_FALSE(undefined) << name << " of " << n;
                }
            });
        }
    }
    EXPECT_NE(refusal(Fault::bad_input, [] { evaluate({2, {}}, {nullptr, 0, 3}); }), "");
}

TEST(Reliability, DuplicatesAndCoincidentPoints) {
    Matrix points = random_points(60, 3);
    std::vector<float> values(points.view().data, points.view().data + points.view().size());
    for (std::size_t i = 0; i < 30 * 3; ++i) values[i] = values[i % 3];  // 30 copies of a row
    points = Matrix(60, 3, values);
    const tsne::Result made = tsne::embed(points.view(), {});
    const Result found = evaluate(made.map, points.view(), {.perturb = true});
    for (const float kl : found.columns.kl) EXPECT_TRUE(std::isfinite(kl));
    for (const float home : found.columns.home) EXPECT_TRUE(std::isfinite(home));
    // All points at one place: no unit of distance
    const Result coincident = evaluate({2, std::vector<float>(120, 1.0F)}, points.view());
    EXPECT_TRUE(std::isnan(coincident.summary.nn_distance));
    for (const float kl : coincident.columns.kl) EXPECT_TRUE(std::isfinite(kl));
    // Equal data: nothing to perturb along
    const Matrix equal(60, 3, std::vector<float>(180, 2.0F));
    evaluate(random_map(60, 2), equal.view(), {.perturb = true, .bootstrap = 2, .null = true, .iterations = 20});
}

TEST(Reliability, RefusesWhatItCannotDiagnose) {
    const Matrix points = random_points(50, 3);
    const Map map = random_map(50, 2);
    const auto says = [&](const Options& options, const char* word) {
        const std::string sentence = refusal(Fault::bad_input, [&] { evaluate(map, points.view(), options); });
        EXPECT_NE(sentence.find(word), std::string::npos) << word << ": " << sentence;
    };
    says({.perplexity = 60}, "perplexity");
    says({.k = 60}, "k is 60");
    says({.ranks = 60}, "ranks");
    says({.starts = 0}, "starts");
    says({.home_sample = 51}, "home-sample");
    says({.length = 1}, "perturb");
    says({.iterations = 10}, "bootstrap or null");
    // Of UMAP's map: no loss of t-SNE
    says({.method = Method::umap, .perturb = true}, "method");
    says({.method = Method::umap, .perplexity = 10}, "method");
    says({.method = Method::umap, .home_sample = 10}, "method");
    EXPECT_NE(refusal(Fault::bad_input, [&] { evaluate(random_map(50, 4), points.view()); }).find("dimensions"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { evaluate(random_map(49, 2), points.view()); }), "");
    Map broken = map;
    broken.coordinates[20] = NAN;
    EXPECT_NE(refusal(Fault::bad_input, [&] { evaluate(broken, points.view()); }).find("row 10"), std::string::npos);
    std::vector<float> values(150, 1.0F);
    values[31] = INFINITY;
    EXPECT_NE(refusal(Fault::bad_input, [&] { evaluate(map, {values.data(), 50, 3}); }).find("row 10"),
              std::string::npos);
}

TEST(Reliability, AMapOfUmapHasWhatApplies) {
    const Matrix points = random_points(120, 4);
    const Result found = evaluate(random_map(120, 2), points.view(),
                                  {.method = Method::umap, .bootstrap = 2, .null = true, .iterations = 50});
    EXPECT_TRUE(found.columns.kl.empty());
    EXPECT_TRUE(found.columns.singularity.empty());
    EXPECT_TRUE(found.columns.home.empty());
    EXPECT_FALSE(found.median_newton_step);
    for (const auto* column :
         {&found.columns.intruders, &found.columns.lost, &found.columns.stability, &found.columns.null_p})
        EXPECT_EQ(column->size(), 120U);
}

TEST(Reliability, OtherMetricsAndGivenNeighbors) {
    const Matrix points = random_points(150, 5);
    const Map map = random_map(150, 2);
    for (const auto metric :
         {neighbors::Metric::cosine, neighbors::Metric::manhattan, neighbors::Metric::correlation}) {
        const Result found = evaluate(map, points.view(), {.metric = metric, .perturb = true});
        const Graph nearest = neighbors::search(points.view(), {.k = 90, .metric = metric}).graph;
        EXPECT_EQ(found.columns.kl, evaluate(map, points.view(), {.metric = metric}, {}, {&nearest}).columns.kl);
    }
    // Lists in any order
    Graph nearest = neighbors::search(points.view(), {.k = 90}).graph;
    const Columns sorted = evaluate(map, points.view(), {}, {}, {&nearest}).columns;
    for (Index i = 0; i < 150; ++i) {
        std::reverse(nearest.targets.begin() + i * 90, nearest.targets.begin() + (i + 1) * 90);
        std::reverse(nearest.weights.begin() + i * 90, nearest.weights.begin() + (i + 1) * 90);
    }
    std::swap(nearest.targets[0], nearest.targets[40]);  // not all rows fall
    std::swap(nearest.weights[0], nearest.weights[40]);
    const Columns shuffled = evaluate(map, points.view(), {}, {}, {&nearest}).columns;
    EXPECT_EQ(shuffled.lost, sorted.lost);
    EXPECT_EQ(shuffled.intruders, sorted.intruders);
    EXPECT_NE(refusal(Fault::bad_input, [&] { evaluate(map, points.view(), {.ranks = 91}, {}, {&nearest}); }), "");
}

TEST(Reliability, TheScaleOfTheDataChangesNothing) {
    const Matrix points = random_points(300, 5);
    std::vector<float> values(points.view().data, points.view().data + points.view().size());
    for (float& value : values) value *= 1024;
    const Map map = tsne::embed(points.view(), {}).map;
    const Columns one = evaluate(map, points.view(), {.perturb = true}).columns,
                  other = evaluate(map, {values.data(), 300, 5}, {.perturb = true}).columns;
    for (std::size_t i = 0; i < 300; ++i) {
        EXPECT_NEAR(one.kl[i], other.kl[i], 1e-4);
        EXPECT_EQ(one.lost[i], other.lost[i]);
    }
}

TEST(Reliability, ThreadsDoNotChangeABit) {
    const Matrix points = random_points(700, 6);
    const Map map = random_map(700, 2);
    const Options options{.home_sample = 300, .perturb = true, .bootstrap = 2, .null = true, .iterations = 60};
    const Result one = evaluate(map, points.view(), options, {.device = Device::cpu, .threads = 1});
    for (const int threads : {2, 3}) {
        const Result other = evaluate(map, points.view(), options, {.device = Device::cpu, .threads = threads});
        std::vector<std::vector<float>> a, b;
        each_column(one.columns, [&](const char*, const std::vector<float>& column) { a.push_back(column); });
        each_column(other.columns, [&](const char*, const std::vector<float>& column) { b.push_back(column); });
        for (std::size_t c = 0; c < a.size(); ++c) {
            for (std::size_t i = 0; i < 700; ++i)
                EXPECT_TRUE(a[c][i] == b[c][i] || (std::isnan(a[c][i]) && std::isnan(b[c][i]))) << c << ", " << i;
        }
        EXPECT_EQ(one.median_newton_step, other.median_newton_step);
    }
    EXPECT_EQ(std::count_if(one.columns.home.begin(), one.columns.home.end(), [](float v) { return !std::isnan(v); }),
              300);
    EXPECT_GT(one.summary.points_elsewhere->se, 0);
}

TEST(Reliability, AStopLeavesTheColumnsFoundSoFar) {
    const Matrix points = random_points(4000, 6);
    const Map map = random_map(4000, 2);
    std::stop_source source;
    const Result found = evaluate(map, points.view(), {.bootstrap = 5},
                                  {.stop = source.get_token(), .on_progress = [&](const Progress& progress) {
                                       if (progress.stage == "bootstrap") source.request_stop();
                                   }});
    EXPECT_EQ(found.stopped, Stopped::cancelled);
    EXPECT_EQ(found.columns.home.size(), 4000U);
    EXPECT_TRUE(found.columns.stability.empty());
    EXPECT_NE(found.varies_because, "");
    source = {};
    source.request_stop();
    EXPECT_TRUE(evaluate(map, points.view(), {}, {.stop = source.get_token()}).columns.kl.empty());
}

TEST(Reliability, NeedsTheMemoryThatItSays) {
    const Matrix points = random_points(5000, 6);
    EXPECT_NE(refusal(Fault::out_of_memory,
                      [&] { evaluate(random_map(5000, 2), points.view(), {.bootstrap = 1000}, {.memory = 60000000}); })
                  .find("reliability"),
              std::string::npos);
}

}  // namespace
}  // namespace dunlin::reliability

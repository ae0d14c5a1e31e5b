// SPDX-License-Identifier: Apache-2.0
// Stress of whole maps, compared with the best known values (from long runs of several programs).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <dunlin/io.hpp>
#include <dunlin/mds.hpp>
#include <dunlin/network.hpp>
#include <dunlin/square.hpp>

#include "cases/cases.hpp"
#include "cases/mds.hpp"
#include "data.hpp"

namespace dunlin::mds {
namespace {

namespace fs = std::filesystem;

fs::path data_file(const fs::path& name) { return data_folder() / name; }

#define SKIP_WITHOUT(file) \
    if (!fs::exists(file)) GTEST_SKIP() << (file).string() << " is not there"

double stress_of(const Dissimilarities& items, const Options& options, std::uint64_t seed) {
    const Map map = place(items, options, {.seed = seed}).map;
    return stress(items, map, {.exact_rows = 50000, .sample = 2000}).normalized_stress.value;
}

Dissimilarities minmax(const fs::path& file, const std::string& labels = "") {
    return Dissimilarities::of_points(io::read_points(file, {.labels = labels}).values,
                                      {.normalize = Normalize::minmax});
}

/// 33 x 33 points of Bronstein's roll.
Dissimilarities swiss_roll() {
    std::vector<float> x;
    for (int a = 0; a < 33; ++a) {
        for (int b = 0; b < 33; ++b) {
            const double p = b / 33.0, angle = 2.5 * std::numbers::pi * p;
            const double radius = 0.51 * (1 / (2.75 * std::numbers::pi) + 0.75 * p);
            for (const double value : {a / 33.0, radius * std::cos(angle), radius * std::sin(angle)})
                x.push_back(static_cast<float>(value));
        }
    }
    return Dissimilarities::of_points(Matrix(1089, 3, std::move(x)));
}

TEST(MdsQuality, Eurodist) {
    const fs::path file = data_file("matrices/eurodist.csv");
    SKIP_WITHOUT(file);
    const auto items = Dissimilarities::of_matrix(io::read_square(file).values);
    for (const Start start : {Start::automatic, Start::random}) {
        for (const std::uint64_t seed : {1U, 2U})
            EXPECT_LE(stress_of(items, {.start = start}, seed), cases::eurodist_stress);
    }
    EXPECT_NEAR(stress_of(items, {.method = Method::classical}, 1), 0.0081254, 1e-6);  // R's cmdscale
}

TEST(MdsQuality, EurodistHasTheEigenvaluesAndStressOfR) {
    const fs::path file = data_file("matrices/eurodist.csv");
    SKIP_WITHOUT(file);
    const auto items = Dissimilarities::of_matrix(io::read_square(file).values);
    const Map axes = place(items, {.method = Method::classical}).map;
    double squares[2] = {};
    for (Index i = 0; i < axes.size(); ++i) {
        for (const int c : {0, 1}) squares[c] += std::pow(static_cast<double>(axes.view()(i, c)), 2);
    }
    EXPECT_NEAR(squares[0], 19538377, 100);  // cmdscale
    EXPECT_NEAR(squares[1], 11856555, 100);
    EXPECT_NEAR(stress(items, place(items, {.method = Method::smacof}).map).stress1.value, 0.0723499, 1e-4);
}

/// Rows of Iris without the duplicate.
Matrix unlike_irises(const fs::path& file) {
    const Matrix rows = io::read_points(file).values;
    std::vector<float> unlike;
    Index count = 0;
    for (Index i = 0; i < rows.rows(); ++i) {
        const auto here = rows.row(i).first(4);
        bool known = false;
        for (Index j = 0; j < i && !known; ++j) known = std::ranges::equal(here, rows.row(j).first(4));
        if (known) continue;
        unlike.insert(unlike.end(), here.begin(), here.end());
        ++count;
    }
    return {count, 4, std::move(unlike)};
}

TEST(MdsQuality, Iris) {
    const fs::path file = data_file("points/sklearn/iris.csv");
    SKIP_WITHOUT(file);
    const auto items = Dissimilarities::of_points(unlike_irises(file));
    ASSERT_EQ(items.size(), 149);
    for (const Method method : {Method::dunlin, Method::smacof})
        EXPECT_LE(stress_of(items, {.method = method}, 1), 0.00106677 * 1.003) << name_of(method);
    const Map map = place(items, {.method = Method::smacof, .transform = Transform::ordinal}).map;
    EXPECT_LE(transformed_stress1(items, map, Transform::ordinal), 0.02564);  // isoMDS
}

TEST(MdsQuality, DocumentsAreBelowTheSimplex) {
    const fs::path file = data_file("points/bbc/bbc.mtx.xz");
    SKIP_WITHOUT(file);
    const auto items = Dissimilarities::of_points(io::read_points(file, {.transpose = true}).values,
                                                  {.metric = neighbors::Metric::cosine});
    EXPECT_LE(stress_of(items, {.iterations = 200}, 1), 0.99 * simplex_stress(items.size(), 2));
}

TEST(MdsQuality, OfAGraphATenthOfThePathsIsNearlyAll) {
    const fs::path file = data_file("graphs/tfdp-bench/commanche.mtx.xz");
    SKIP_WITHOUT(file);
    const Graph graph = io::read_network(file, {.weights_from = "none"}).graph;
    const auto fed = Dissimilarities::of_graph(graph), all = Dissimilarities::of_graph(graph);
    const Map few = place(fed).map;
    EXPECT_LE(fed.usage().share, 0.1);
    const StressOptions exact{.exact_rows = graph.size()};
    const double best = stress(all, place(all, {.landmarks = graph.size()}).map, exact).normalized_stress.value;
    EXPECT_LE(stress(all, few, exact).normalized_stress.value, 1.015 * best);
}

TEST(MdsQuality, EurodistByOrder) {
    const fs::path file = data_file("matrices/eurodist.csv");
    SKIP_WITHOUT(file);
    const auto items = Dissimilarities::of_matrix(io::read_square(file).values);
    const Map map = place(items, {.method = Method::smacof, .transform = Transform::ordinal}).map;
    // R's isoMDS: 0.058866; scikit-learn 1.9.1, the best of 20 random starts: 0.05833
    EXPECT_LE(transformed_stress1(items, map, Transform::ordinal), 0.05833);
}

TEST(MdsQuality, Cancer) {
    const fs::path file = data_file("points/breast-cancer/breast_cancer_original_683x9.csv");
    SKIP_WITHOUT(file);
    const auto items = minmax(file, "Class");
    for (const std::uint64_t seed : {1U, 2U}) EXPECT_LE(stress_of(items, {}, seed), cases::cancer_stress);
}

TEST(MdsQuality, Shuttle) {
    const fs::path large = data_file("points/shuttle/shuttle_train_43500x9.csv.xz"),
                   small = data_file("points/shuttle/shuttle_test_14500x9.csv.xz");
    SKIP_WITHOUT(large);
    SKIP_WITHOUT(small);
    EXPECT_LE(stress_of(minmax(small), {}, 1), cases::shuttle_small_stress);
    EXPECT_LE(stress_of(minmax(large), {}, 1), cases::shuttle_big_stress);
}

TEST(MdsQuality, SwissRoll) { EXPECT_LE(stress_of(swiss_roll(), {}, 1), cases::swissroll_stress); }

TEST(MdsQuality, GridsUntwist) {
    for (const Index side : {32, 100}) {
        EXPECT_LE(stress_of(grid(side), {}, 1), cases::flat_stress) << side;
        EXPECT_LE(stress_of(grid(side), {.start = Start::random}, 1), cases::flat_stress) << side;
    }
}

TEST(MdsQuality, GlimmerIsThatOfItsPaper) {
    EXPECT_LE(stress_of(grid(100), {.method = Method::glimmer}, 1), 1e-9);
    EXPECT_LE(stress_of(grid(100), {.method = Method::landmark}, 1), 1e-9);
    const fs::path file = data_file("points/breast-cancer/breast_cancer_original_683x9.csv");
    SKIP_WITHOUT(file);
    const auto items = minmax(file, "Class");
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        EXPECT_NEAR(stress_of(items, {.method = Method::glimmer}, seed), 0.026, 0.004);
        EXPECT_LE(stress_of(items, {.method = Method::hybrid}, seed), 0.030);  // the paper's: 0.076
    }
}

}  // namespace
}  // namespace dunlin::mds

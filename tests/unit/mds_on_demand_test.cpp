// SPDX-License-Identifier: Apache-2.0
#include <dunlin/mds.hpp>
#include <dunlin/shepard.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin::mds {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// n random points in the plane: a map without stress exists.
Map random_places(Index n) {
    Map map{2, {}};
    for (Index k = 0; k < 2 * n; ++k)
        map.coordinates.push_back(static_cast<float>(math::random_normal(5, static_cast<std::uint64_t>(k))));
    return map;
}

float distance(const Map& map, Index i, Index j) {
    const auto y = map.view();
    return std::hypot(y(i, 0) - y(j, 0), y(i, 1) - y(j, 1));
}

std::vector<float> matrix_of(const Map& map) {
    std::vector<float> values;
    for (Index i = 0; i < map.size(); ++i) {
        for (Index j = 0; j < map.size(); ++j) values.push_back(distance(map, i, j));
    }
    return values;
}

/// Computes distances from the map and records the requested pairs.
struct Asked {
    std::set<std::pair<Index, Index>> pairs;
    Offset count = 0;

    Distances of(const Map& map) {
        return [this, &map](std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
            for (std::size_t k = 0; k < out.size(); ++k) {
                pairs.insert(std::minmax(i[k], j[k]));
                ++count;
                out[k] = distance(map, i[k], j[k]);
            }
        };
    }
};

/// Paths of n vertices each.
Graph lines(const std::vector<Index>& sizes, float length = 1) {
    Graph graph;
    Index first = 0;
    for (const Index n : sizes) {
        for (Index v = 0; v < n; ++v) {
            if (v > 0) graph.targets.push_back(first + v - 1);
            if (v + 1 < n) graph.targets.push_back(first + v + 1);
            graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
        }
        first += n;
    }
    graph.weights.assign(graph.targets.size(), length);
    return graph;
}

TEST(OnDemandRows, EachPairIsComputedOnceAndOnlyThoseOfLandmarks) {
    const Map places = random_places(900);
    Asked asked;
    const auto items = Dissimilarities::of_callback(900, asked.of(places));
    const Result result = place(items, {.landmarks = 40});
    const Offset expected = 40 * 899 - 40 * 39 / 2;
    EXPECT_EQ(asked.count, expected);
    EXPECT_EQ(std::ssize(asked.pairs), expected);
    EXPECT_EQ(items.usage().computed, expected);
    EXPECT_NEAR(items.usage().share, 2.0 * static_cast<double>(expected) / (900 * 899), 1e-12);
    EXPECT_LT(stress(items, result.map, {.exact_rows = 900}).normalized_stress.value, 1e-8);
    EXPECT_EQ(items.usage().share, 1);  // the score used all pairs
    EXPECT_EQ(std::ssize(asked.pairs), asked.count);
}

TEST(OnDemandRows, FewItemsAreAMatrix) {
    const Map places = random_places(50);
    Asked asked;
    const auto items = Dissimilarities::of_callback(50, asked.of(places));
    const auto matrix = Dissimilarities::of_matrix(Matrix(50, 50, matrix_of(places)));
    for (const Method method : {Method::dunlin, Method::smacof, Method::classical}) {
        EXPECT_EQ(place(items, {.method = method}).map.coordinates, place(matrix, {.method = method}).map.coordinates);
    }
    EXPECT_EQ(asked.count, 50 * 49 / 2);
}

TEST(OnDemandRows, TheScoreUsesKnownRows) {
    const Map places = random_places(200);
    Asked asked;
    const auto items = Dissimilarities::of_callback(200, asked.of(places));
    const Result some = place(items, {.method = Method::landmark, .landmarks = 10});
    EXPECT_GT(stress(items, some.map).normalized_stress.se, 0);
    const Result all = place(items, {.method = Method::classical});
    EXPECT_EQ(stress(items, all.map).normalized_stress.se, 0);
}

TEST(OnDemandRows, LandmarkAndPivotRequestTheirRowsOnly) {
    const Map places = random_places(200);
    for (const Method method : {Method::landmark, Method::pivot}) {
        Asked asked;
        const auto items = Dissimilarities::of_callback(200, asked.of(places));
        const Result result = place(items, {.method = method, .landmarks = 10});
        EXPECT_EQ(asked.count, 10 * 199 - 45);
        EXPECT_LT(stress(items, result.map).normalized_stress.value, method == Method::landmark ? 1e-6 : 1e-2);
    }
}

TEST(OnDemandRows, ABudgetIsKept) {
    const Map places = random_places(600);
    Asked asked;
    auto items = Dissimilarities::of_callback(600, asked.of(places));
    items.set_budget(20000);
    const Result result = place(items);
    EXPECT_EQ(result.stopped, Stopped::budget);
    EXPECT_LT(*result.options.landmarks, 400);
    EXPECT_LE(asked.count, 20000 * 7 / 8);
    EXPECT_GT(asked.count, 20000 * 7 / 8 - 600);
    EXPECT_LT(stress(items, result.map).normalized_stress.value, 1e-8);
    EXPECT_LE(asked.count, 20000);
}

TEST(OnDemandRows, TooSmallABudgetIsRefused) {
    const Map places = random_places(600);
    Asked asked;
    auto items = Dissimilarities::of_callback(600, asked.of(places));
    items.set_budget(1000);
    EXPECT_NE(refusal([&] { place(items); }).find("3 items"), std::string::npos);
    EXPECT_NE(refusal([&] { place(items, {.method = Method::smacof}); }).find("179700"), std::string::npos);
    auto matrix = Dissimilarities::of_matrix(Matrix(1, 1, std::vector<float>{0}));
    EXPECT_NE(refusal([&] { matrix.set_budget(5); }).find("on demand"), std::string::npos);
}

TEST(OnDemandRows, InvalidDistancesAreRefusedWithTheirItems) {
    for (const auto& [answer, fault] : {std::pair{nan, "not a number"}, {-1.0F, "at least 0"}, {1e30F, "1e18"}}) {
        const auto items = Dissimilarities::of_callback(
            9, [&, wrong = answer](std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
                for (std::size_t k = 0; k < out.size(); ++k)
                    out[k] = std::minmax(i[k], j[k]) == std::minmax<Index>(3, 7) ? wrong : 1.0F;
            });
        const std::string said = refusal([&] { place(items); });
        EXPECT_NE(said.find("3"), std::string::npos) << said;
        EXPECT_NE(said.find("7"), std::string::npos) << said;
        EXPECT_NE(said.find(fault), std::string::npos) << said;
    }
}

TEST(OnDemandRows, ACancelledRunReturnsTheMapOfTheKnownRows) {
    const Map places = random_places(900);
    Asked asked;
    std::stop_source stop;
    const Distances all = asked.of(places);
    const auto items = Dissimilarities::of_callback(
        900, [&](std::span<const Index> i, std::span<const Index> j, std::span<float> out) {
            all(i, j, out);
            if (asked.count > 20000) stop.request_stop();
        });
    dunlin::Run run;
    run.stop = stop.get_token();
    const Result result = place(items, {}, run);
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_LT(asked.count, 40000);
    EXPECT_LT(
        stress(Dissimilarities::of_matrix(Matrix(900, 900, matrix_of(places))), result.map).normalized_stress.value,
        1e-4);
}

TEST(OnDemandRows, TheSameBytesForAnyNumberOfThreads) {
    const Map places = random_places(700);
    Asked asked;
    dunlin::Run one, three;
    one.threads = 1;
    three.threads = 3;
    EXPECT_EQ(place(Dissimilarities::of_callback(700, asked.of(places)), {.landmarks = 50}, one).map.coordinates,
              place(Dissimilarities::of_callback(700, asked.of(places)), {.landmarks = 50}, three).map.coordinates);
}

TEST(GraphMds, ALineIsALine) {
    for (const float length : {1.0F, 2.5F}) {
        const Result result = place(Dissimilarities::of_graph(lines({7}, length)), {.dim = 1});
        for (Index v = 1; v < 7; ++v) {
            const auto at = static_cast<std::size_t>(v);
            EXPECT_NEAR(std::abs(result.map.coordinates[at] - result.map.coordinates[at - 1]), length, 1e-3F * length);
        }
    }
}

TEST(GraphMds, ComponentsLieSideBySide) {
    const auto items = Dissimilarities::of_graph(lines({6, 4, 1}));
    EXPECT_EQ(items.missing(), 6 * 4 + 6 + 4);
    const Result result = place(items);
    for (Index i = 0; i < 11; ++i) {
        for (Index j = 0; j < i; ++j) {
            const bool same = (i < 6) == (j < 6) && (i < 10) == (j < 10);
            if (same) {
                EXPECT_NEAR(distance(result.map, i, j), static_cast<float>(i - j), 0.01F) << i << ' ' << j;
            } else {
                EXPECT_GT(distance(result.map, i, j), 1) << i << ' ' << j;
            }
        }
    }
    EXPECT_LT(stress(items, result.map, {.exact_rows = 20}).normalized_stress.value, 1e-5);
    EXPECT_NE(refusal([&] { place(items, {.dim = 4}); }).find("packed"), std::string::npos);
}

TEST(GraphMds, ComponentsShareABudget) {
    auto items = Dissimilarities::of_graph(lines({700, 600, 5, 1}));
    items.set_budget(40000);
    const Result result = place(items);
    EXPECT_EQ(result.stopped, Stopped::budget);
    const DistanceUsage spent = items.usage();
    EXPECT_LE(spent.computed, 40000);
    EXPECT_GT(spent.computed, 30000);
    // The component of five vertices costs ten pairs, all of them
    for (Index i = 1301; i < 1305; ++i) EXPECT_NEAR(distance(result.map, i, i - 1), 1, 0.01F);
    const double judged = stress(items, result.map).normalized_stress.value;
    EXPECT_GT(judged, 0);
    EXPECT_LT(judged, 1e-4);
    EXPECT_LE(items.usage().computed, 40000);
}

TEST(GraphMds, TooSmallABudgetNamesTheComponent) {
    auto items = Dissimilarities::of_graph(lines({700, 600}));
    items.set_budget(500);
    EXPECT_NE(refusal([&] { place(items); }).find("00 vertices: distances is too small"), std::string::npos);
}

TEST(PagedMds, ReadsOfMethodsThatNeedAllAreCounted) {
    constexpr Index n = 300;
    constexpr Offset pairs = Offset{n} * (n - 1) / 2;
    const std::vector<float> values = matrix_of(random_places(n));
    dunlin::Run small;
    small.memory = 100000;
    small.threads = 2;
    const auto reads = [&](const Options& options) {
        const auto paged = Dissimilarities::of_matrix(Matrix(n, n, values), small);
        const Map map = place(paged, options, small).map;
        EXPECT_EQ(paged.usage().computed, pairs);
        const Offset read = paged.usage().requested;
        EXPECT_GE(stress(paged, map).normalized_stress.value, 0);
        EXPECT_EQ(paged.usage().computed, pairs) << "the score's pairs had been read";
        EXPECT_EQ(paged.usage().share, 1);
        return read;
    };
    const auto springs = [](int iterations) {
        return Options{.method = Method::gpu_sf, .iterations = iterations, .until = Until::count};
    };
    EXPECT_EQ(reads(springs(30)) - reads(springs(10)), 20 * 4 * n);  // four random partners of each item
    EXPECT_GT(reads({.method = Method::smacof, .start = Start::random, .starts = 1, .iterations = 10}), 20 * pairs);

    auto limited = Dissimilarities::of_matrix(Matrix(n, n, values), small);
    limited.set_budget(pairs - 1);
    EXPECT_NE(refusal([&] { place(limited, springs(1), small); }).find("44850"), std::string::npos);
}

TEST(PagedMds, AMatrixBeyondTheMemoryIsReadByRows) {
    const Map places = random_places(800);
    std::vector<float> values = matrix_of(places);
    dunlin::Run small;
    small.memory = 2000000;
    const auto paged = Dissimilarities::of_matrix(Matrix(800, 800, values), small);
    ASSERT_NE(paged.on_demand(), nullptr);
    const Result result = place(paged, {.landmarks = 30}, small);
    EXPECT_EQ(paged.usage().computed, 30 * 799 - 435);
    EXPECT_LT(stress(paged, result.map).normalized_stress.value, 1e-8);

    dunlin::Run smaller = small;
    smaller.memory = 100000;
    EXPECT_NE(refusal([&] { place(paged, {.landmarks = 30}, smaller); }).find("raise memory"), std::string::npos);

    const auto refused = [&] {
        return refusal(
            [&] { place(Dissimilarities::of_matrix(Matrix(800, 800, values), small), {.landmarks = 100}, small); });
    };
    for (Index i = 0; i < 800; ++i) {
        for (Index j = 0; j < i; ++j) values[static_cast<std::size_t>(i * 800 + j)] += 1;
    }
    EXPECT_NE(refused().find("entry ("), std::string::npos);
}

TEST(StressPerPoint, IsLargestForTheMisplacedItem) {
    // Three items 1 apart on a line; the map puts the last one where the first is
    const auto items = Dissimilarities::of_matrix(Matrix(3, 3, std::vector<float>{0, 1, 2, 1, 0, 1, 2, 1, 0}));
    const Map map{1, {0, 1, 0}};
    const std::vector<double> stress = stress_per_point(items, map);
    EXPECT_NEAR(stress[0], 4.0 / 5, 1e-12);
    EXPECT_NEAR(stress[1], 0, 1e-12);
    EXPECT_NEAR(stress[2], 4.0 / 5, 1e-12);
}

TEST(StressPerPoint, SumsToTheStressOfTheMap) {
    const Map places = random_places(300);
    const auto items = Dissimilarities::of_points(Matrix(300, 2, places.coordinates));
    Map map = random_places(300);
    for (std::size_t k = 0; k < 600; k += 2) map.coordinates[k] = 0;
    const std::vector<double> stress = stress_per_point(items, map);
    double errors = 0, squares = 0;
    for (Index i = 0; i < 300; ++i) {
        double square = 0;
        for (Index j = 0; j < 300; ++j) square += std::pow(static_cast<double>(distance(places, i, j)), 2);
        errors += stress[static_cast<std::size_t>(i)] * square;
        squares += square;
    }
    const double whole = mds::stress(items, map).normalized_stress.value;
    EXPECT_NEAR(errors / squares, whole, 1e-4 * whole);
}

TEST(Shepard, APerfectMapLiesOnTheDiagonal) {
    const Map places = random_places(40);
    const auto matrix = Dissimilarities::of_matrix(Matrix(40, 40, matrix_of(places)));
    const Map diagram = shepard_diagram(matrix, places, 500);
    ASSERT_GT(diagram.size(), 400);
    ASSERT_LE(diagram.size(), 500);
    for (Index k = 0; k < diagram.size(); ++k) EXPECT_NEAR(diagram.view()(k, 0), diagram.view()(k, 1), 1e-5);
}

TEST(Shepard, EveryPlaceIsThatOfItsPair) {
    const Map places = random_places(40);
    const Map map{2, {places.coordinates.rbegin(), places.coordinates.rend()}};
    const auto matrix = Dissimilarities::of_matrix(Matrix(40, 40, matrix_of(places)));
    for (const Index pairs : {500, 780}) {
        const ShepardPairs found = shepard_pairs(matrix, map, pairs);
        EXPECT_EQ(found.diagram.coordinates, shepard_diagram(matrix, map, pairs).coordinates);
        ASSERT_EQ(std::ssize(found.first), found.diagram.size());
        ASSERT_EQ(std::ssize(found.second), found.diagram.size());
        for (Index k = 0; k < found.diagram.size(); ++k) {
            const Index i = found.first[static_cast<std::size_t>(k)], j = found.second[static_cast<std::size_t>(k)];
            EXPECT_NE(i, j);
            EXPECT_NEAR(found.diagram.view()(k, 0), distance(places, i, j), 1e-5);
            EXPECT_NEAR(found.diagram.view()(k, 1), distance(map, i, j), 1e-5);
        }
        EXPECT_EQ(found.diagram.size() == 780, pairs == 780);  // every pair once
    }
    const auto two = Dissimilarities::of_matrix(Matrix(2, 2, std::vector<float>{0, 3, 3, 0}));
    EXPECT_EQ(shepard_diagram(two, {1, {0, 5}}, 9).coordinates, (std::vector<float>{3, 5}));
    EXPECT_EQ(
        shepard_pairs(Dissimilarities::of_matrix(Matrix(1, 1, std::vector<float>{0})), {1, {0}}, 9).diagram.size(), 0);
}

}  // namespace
}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stop_token>
#include <string>
#include <vector>

#include <dunlin/clusters.hpp>
#include <dunlin/separation.hpp>
#include <dunlin/tsne.hpp>

#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin::clusters {
namespace {

using Labels = std::vector<Index>;

/// `count` sets of normal points, whose centers are `apart` from each other along the first axes.
Matrix normal_sets(Index count, Index each, Index cols, float apart) {
    std::vector<float> values;
    for (Index p = 0; p < count * each; ++p) {
        for (Index c = 0; c < cols; ++c) {
            const double normal = math::random_normal(7, static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(c));
            values.push_back(static_cast<float>(normal) + (c == p / each ? apart : 0));
        }
    }
    return {count * each, cols, std::move(values)};
}

Labels labels_of(Index count, Index each) {
    Labels labels;
    for (Index p = 0; p < count * each; ++p) labels.push_back(p / each);
    return labels;
}

TEST(Separation, ConductanceByHand) {
    // 0 -> 1 -> 2 -> 3 -> 0, and 2 -> 1: a cluster of 0 and 1, one of 2
    Graph lists;
    lists.offsets = {0, 1, 2, 4, 5};
    lists.targets = {1, 2, 3, 1, 0};
    lists.weights = {1, 1, 1, 1, 1};
    const Separations found = separations({0, 0, 1, -1}, lists);
    // Pairs: 0-1, 1-2 twice, 2-3, 3-0. {0, 1} has 2 + 3 ends, of which 3 lead out; {2} has 3, all of them
    EXPECT_EQ(found.conductances, (std::vector<double>{3.0 / 5, 1}));
    EXPECT_EQ(found.grown[1], 1);
    EXPECT_TRUE(found.map_only(1));
    EXPECT_EQ(found.stopped, Stopped::converged);
    // A cluster without pairs to others, one of all points
    Graph apart;
    apart.offsets = {0, 1, 2, 3, 4};
    apart.targets = {1, 0, 3, 2};
    apart.weights = {1, 1, 1, 1};
    EXPECT_EQ(separations({0, 0, 1, 1}, apart).conductances, (std::vector<double>{0, 0}));
    EXPECT_FALSE(separations({0, 0, 1, 1}, apart).map_only(0));
    EXPECT_TRUE(std::isnan(separations({0, 0, 0, 0}, apart).conductances[0]));
    EXPECT_FALSE(separations({0, 0, 0, 0}, apart).map_only(0));
}

TEST(Separation, OfFewPoints) {
    EXPECT_TRUE(separations({}, MatrixView<const float>{nullptr, 0, 3}).conductances.empty());
    const std::vector<float> values{1, 1, 2, 2};
    EXPECT_TRUE(std::isnan(separations({0}, {values.data(), 1, 2}).conductances[0]));
    EXPECT_TRUE(separations({-1, -3}, {values.data(), 2, 2}).conductances.empty());
    EXPECT_EQ(separations({0, 1}, {values.data(), 2, 2}).conductances, (std::vector<double>{1, 1}));
    // Copies are neighbors of copies
    std::vector<float> copies(60, 0);
    for (std::size_t p = 30; p < 60; ++p) copies[p] = 5;
    EXPECT_EQ(separations(labels_of(2, 30), {copies.data(), 60, 1}).conductances, (std::vector<double>{0, 0}));
}

TEST(Separation, SetsThatAreApartAreNotOfTheMapOnly) {
    const Matrix points = normal_sets(4, 150, 8, 9);
    const Separations found = separations(labels_of(4, 150), points.view());
    for (Index c = 0; c < 4; ++c) {
        EXPECT_LT(found.conductances[static_cast<std::size_t>(c)], 0.02);
        EXPECT_FALSE(found.map_only(c));
    }
    // Halves of a set are
    const Separations halves = separations(labels_of(8, 75), points.view());
    for (Index c = 0; c < 8; ++c) EXPECT_TRUE(halves.map_only(c)) << halves.conductances[static_cast<std::size_t>(c)];
}

TEST(Separation, IslandsOfMapsOfOneSetAreOfTheMapOnly) {
    int islands = 0, found = 0;
    for (const Index cols : {3, 5, 20}) {
        const Matrix points = normal_sets(1, 1000, cols, 0);
        const tsne::Result map = tsne::embed(points.view(), {.iterations = 400});
        const Matrix placed(1000, 2, map.map.coordinates);
        const Result clusters = cluster(placed.view(), {.min_size = 15, .select = Selection::leaf});
        const Separations separated = separations(clusters.labels, points.view());
        islands += clusters.clusters;
        for (Index c = 0; c < clusters.clusters; ++c) found += separated.map_only(c) ? 1 : 0;
    }
    EXPECT_GE(islands, 20);
    EXPECT_GE(found, 0.9 * islands);
}

TEST(Separation, TheSameForAnyNumberOfThreads) {
    const Matrix points = normal_sets(3, 80, 5, 2);
    const Labels labels = labels_of(6, 40);
    const Separations one = separations(labels, points.view(), {}, {.threads = 1});
    for (const int threads : {2, 3}) {
        const Separations more = separations(labels, points.view(), {}, {.threads = threads});
        EXPECT_EQ(more.conductances, one.conductances);
        EXPECT_EQ(more.grown, one.grown);
    }
    EXPECT_NE(separations(labels, points.view(), {}, {.seed = 2}).grown, one.grown);
}

TEST(Separation, RefusesWhatDoesNotFit) {
    const Matrix points = normal_sets(1, 10, 2, 0);
    const auto says = [&](const Labels& labels, const SeparationOptions& options = {}) {
        return refusal(Fault::bad_input, [&] { separations(labels, points.view(), options); });
    };
    EXPECT_NE(says({0, 1}).find("10 rows, and the clusters are of 2 points"), std::string::npos);
    EXPECT_NE(says(Labels(10, 12)).find("label 12"), std::string::npos);
    EXPECT_NE(says(Labels(10, 0), {.of_neighbors = 0}).find("of-neighbors is 0"), std::string::npos);
    std::vector<float> with_nan(20, 1);
    with_nan[5] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal(Fault::bad_input, [&] { separations(Labels(10, 0), {with_nan.data(), 10, 2}); }), "");
    EXPECT_NE(refusal(Fault::out_of_memory, [&] { separations(Labels(10, 0), points.view(), {}, {.memory = 100}); }),
              "");
    Graph lists;
    lists.offsets = {0, 1};
    lists.targets = {3};
    lists.weights = {1};
    EXPECT_NE(refusal(Fault::bad_input, [&] { separations({0}, lists); }).find("lists point 3"), std::string::npos);
    std::stop_source stop;
    stop.request_stop();
    const Separations none = separations(Labels(10, 0), points.view(), {}, {.stop = stop.get_token()});
    EXPECT_TRUE(none.conductances.empty());
    EXPECT_EQ(none.stopped, Stopped::cancelled);
}

}  // namespace
}  // namespace dunlin::clusters

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <dunlin/error.hpp>
#include <dunlin/scores.hpp>

#include "cases/maps.hpp"
#include "cases/neighbors.hpp"
#include "math/at.hpp"
#include "refusal.hpp"
#include "scores/class_rows.hpp"
#include "scores/co_rank.hpp"
#include "scores/triplets.hpp"

namespace dunlin::scores {
namespace {

using neighbors::integers;

double distance(MatrixView<const float> rows, Index i, Index j) {
    double square = 0;
    for (Index c = 0; c < rows.cols; ++c)
        square += std::pow(static_cast<double>(rows(i, c)) - static_cast<double>(rows(j, c)), 2);
    return std::sqrt(square);
}

Map random_map(Index n) { return {2, made::cloud(n, 2, 1)}; }

TEST(Triplets, AreTheShareOfEqualOrder) {
    for (const Index n : {3, 4, 100}) {
        const neighbors::Data points = integers(n, 3, 10);
        const Map map = random_map(n);
        const auto engine = engine_on_cpu(points.view(), neighbors::Metric::euclidean, {});
        const Triplets drawn(*engine, n, 1);
        ASSERT_EQ(drawn.others().size(), drawn.anchors().size() * 10);
        double alike = 0;
        for (std::size_t t = 0; t < drawn.others().size(); t += 2) {
            const Index i = drawn.anchors()[t / 10], j = drawn.others()[t], k = drawn.others()[t + 1];
            EXPECT_TRUE(i != j && i != k && j != k && j >= 0 && k >= 0 && j < n && k < n);
            const bool in_data = distance(points.view(), i, j) < distance(points.view(), i, k);
            alike += in_data == (distance(map.view(), i, j) < distance(map.view(), i, k)) ? 1 : 0;
        }
        const Score found = triplets(points.view(), map);
        EXPECT_NEAR(found.value, alike * 2 / static_cast<double>(drawn.others().size()), 1e-12);
        EXPECT_GE(found.se, 0);
    }
}

/// As PaCMAP's evaluation counts, but that a tie in one of the two is half.
double order_by_definition(const std::vector<double>& x, const std::vector<double>& y) {
    double alike = 0, all = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = i + 1; j < x.size(); ++j) {
            const bool same = (x[i] > x[j]) == (y[i] > y[j]) && (x[i] < x[j]) == (y[i] < y[j]);
            const bool one_tie = (x[i] == x[j]) != (y[i] == y[j]);
            alike += same ? 1 : one_tie ? 0.5 : 0;
            all += 1;
        }
    }
    return alike / all;
}

TEST(Centroids, TripletsAreTheOrderOfDistancesBetweenMedians) {
    for (const Index classes : {3, 4, 11}) {
        const Index n = 6 * classes + 3;  // classes of 6 and 7
        const neighbors::Data points = integers(n, 3, 9);
        const Map map = random_map(n);
        Labels labels;
        for (Index c = 0; c < classes; ++c) labels.names.emplace_back(1, static_cast<char>('a' + c));
        for (Index i = 0; i < n; ++i) labels.of.push_back(i % classes);
        const auto medians = [&](MatrixView<const float> rows) {
            std::vector<float> centers;
            for (Index c = 0; c < classes; ++c) {
                for (Index column = 0; column < rows.cols; ++column) {
                    std::vector<float> own;
                    for (Index i = c; i < n; i += classes) own.push_back(rows(i, column));
                    std::sort(own.begin(), own.end());
                    centers.push_back((own[(own.size() - 1) / 2] + own[own.size() / 2]) / 2);
                }
            }
            return Matrix(classes, rows.cols, centers);
        };
        const Matrix in_data = medians(points.view()), in_map = medians(map.view());
        std::vector<double> x, y;
        for (Index i = 0; i < classes; ++i) {
            for (Index j = 0; j < i; ++j) {
                x.push_back(distance(in_data.view(), i, j));
                y.push_back(distance(in_map.view(), i, j));
            }
        }
        const Score found = centroid_triplets(points.view(), map, labels);
        EXPECT_NEAR(found.value, order_by_definition(x, y), 1e-12) << classes;
        EXPECT_EQ(found.se, 0);
        EXPECT_EQ(evaluate(map, points.view(), {}, labels).centroid_triplets->value, found.value);
    }
}

TEST(Centroids, OfManyClassesAreSampledWithAStandardError) {
    const Index classes = 300, n = 3 * classes;
    const neighbors::Data points = integers(n, 4, 1000);
    Map map{2, {}};
    Labels labels;
    for (Index c = 0; c < classes; ++c) labels.names.push_back(std::to_string(c));
    for (Index i = 0; i < n; ++i) {
        labels.of.push_back(i % classes);
        for (const Index c : {0, 1}) map.coordinates.push_back(points.view()(i, c));
    }
    const Score sampled = centroid_triplets(points.view(), map, labels),
                all = centroid_triplets(points.view(), map, labels, {.extent = Extent::full});
    EXPECT_GT(sampled.se, 0);
    EXPECT_EQ(all.se, 0);
    EXPECT_NEAR(sampled.value, all.value, 4 * sampled.se);
    EXPECT_GT(all.value, 0.6);
}

TEST(Centroids, AreOfPointsWithLabels) {
    const neighbors::Data points = integers(40, 3, 9);
    const Map map = random_map(40);
    Labels labels{{}, {"a", "b", "c"}}, some = labels;
    std::vector<float> rows;
    Map part{2, {}};
    for (Index i = 0; i < 40; ++i) {
        labels.of.push_back(i % 4 == 3 ? no_label : i % 4);
        if (i % 4 == 3) continue;
        some.of.push_back(i % 4);
        for (Index c = 0; c < 3; ++c) rows.push_back(points.view()(i, c));
        for (Index c = 0; c < 2; ++c) part.coordinates.push_back(map.view()(i, c));
    }
    const Matrix known(30, 3, rows);
    EXPECT_EQ(centroid_correlation(points.view(), map, labels).value,
              centroid_correlation(known.view(), part, some).value);
    EXPECT_EQ(centroid_triplets(points.view(), map, labels).value, centroid_triplets(known.view(), part, some).value);
    some.names.pop_back();
    for (Index& label : labels.of) label = label == 2 ? no_label : label;
    EXPECT_FALSE(evaluate(map, points.view(), {}, labels).centroid_correlation) << "two classes";
}

TEST(Centroids, OfTwoClassesHaveNoTriplets) {
    const neighbors::Data points = integers(8, 3, 9);
    const Map map = random_map(8);
    const Labels labels{{0, 1, 0, 1, 0, 1, 0, 1}, {"a", "b"}};
    EXPECT_EQ(refusal(Fault::bad_input, [&] { (void)centroid_triplets(points.view(), map, labels); }),
              "centroid_triplets: there are 2 classes; it needs at least 3");
    EXPECT_FALSE(evaluate(map, points.view(), {}, labels).centroid_triplets);
}

TEST(RnxWeights, OfAPerfectMapSumToTwo) {
    for (const Index n : {3, 4, 100, 70000}) {
        std::int64_t sum = 0;
        for (const std::int64_t weight : rnx_weights(n)) sum += weight;
        EXPECT_NEAR(static_cast<double>(sum) * rnx_unit, 2, 1e-12) << n;
    }
}

TEST(ClassRows, AreGroupedByLabelWithoutUnusedOnes) {
    const ClassRows classes(Labels{{3, 1, 3, 1, 1, 5}, {}});
    EXPECT_EQ(classes.count(), 3);
    EXPECT_EQ(classes.rows, (std::vector<Index>{1, 3, 4, 0, 2, 5}));
    EXPECT_EQ(classes.offsets, (std::vector<Offset>{0, 3, 5, 6}));
    device::Cpu cpu(1);
    const std::vector<float> values{1, 10, -4, 8, 2, 6};
    const MatrixView<const float> column{values.data(), 6, 1};
    // Rows 1, 3 and 4: 10, 8, 2; rows 0 and 2: 1, -4; row 5: 6
    EXPECT_EQ(class_centers(cpu, column, classes, Center::mean), (std::vector<double>{20.0 / 3, -1.5, 6}));
    EXPECT_EQ(class_centers(cpu, column, classes, Center::median), (std::vector<double>{8, -1.5, 6}));
}

}  // namespace
}  // namespace dunlin::scores

// SPDX-License-Identifier: Apache-2.0
#include <dunlin/mds.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/sparse.hpp>
#include <dunlin/tsne.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "distance/common_bits.hpp"
#include "math/at.hpp"
#include "refusal.hpp"

/// Metrics of terms against their definitions, written once more here.
namespace dunlin::neighbors {
namespace {

std::vector<Metric> metrics_of_terms() {
    std::vector<Metric> some;
    for (std::size_t m = 0; m < metric_table.size(); ++m)
        if (metric_table[m].is_by_terms) some.push_back(static_cast<Metric>(m));
    return some;
}

using Row = std::span<const float>;

template <class Of>
double sum(Row x, Row y, const Of& of) {
    double total = 0;
    for (std::size_t c = 0; c < x.size(); ++c) total += of(static_cast<double>(x[c]), static_cast<double>(y[c]));
    return total;
}

double ratio(double over, double under) { return under > 0 ? over / under : 0; }

double hellinger(Row x, Row y) {
    const double of_x = sum(x, x, [](double a, double) { return a; }),
                 of_y = sum(y, y, [](double a, double) { return a; });
    if (of_x == 0 || of_y == 0) return of_x == of_y ? 0 : 1;
    const double common = sum(x, y, [](double a, double b) { return std::sqrt(a) * std::sqrt(b); });
    return std::sqrt(std::max(0.0, 1 - common / std::sqrt(of_x * of_y)));
}

double defined(Metric metric, Row x, Row y) {
    const auto apart = [](double a, double b) { return std::abs(a - b); };
    const auto truths = [&](auto of) { return sum(x, y, [&](double a, double b) { return of(a != 0, b != 0); }); };
    const double one = truths([](bool a, bool b) { return a != b ? 1.0 : 0.0; });
    switch (metric) {
        case Metric::chebyshev: {
            double most = 0;
            for (std::size_t c = 0; c < x.size(); ++c) most = std::max(most, apart(x[c], y[c]));
            return most;
        }
        case Metric::canberra:
            return sum(x, y, [&](double a, double b) { return ratio(apart(a, b), std::abs(a) + std::abs(b)); });
        case Metric::braycurtis:
            return ratio(sum(x, y, apart), sum(x, y, [](double a, double b) { return std::abs(a + b); }));
        case Metric::hamming:
            return sum(x, y, [](double a, double b) { return a != b ? 1.0 : 0.0; }) / static_cast<double>(x.size());
        case Metric::jaccard:
            return ratio(one, truths([](bool a, bool b) { return a || b ? 1.0 : 0.0; }));
        case Metric::dice:
            return ratio(one, truths([](bool a, bool b) { return (a ? 1.0 : 0.0) + (b ? 1.0 : 0.0); }));
        case Metric::hellinger:
            return hellinger(x, y);
        case Metric::haversine: {
            const auto half = [](double a) { return std::sin(a / 2) * std::sin(a / 2); };
            const double a = x[0], b = y[0], along = static_cast<double>(x[1]) - static_cast<double>(y[1]);
            return 2 * std::asin(std::sqrt(half(a - b) + std::cos(a) * std::cos(b) * half(along)));
        }
        default:
            return std::nan("");
    }
}

/// Random rows, of which some are zero, constant, binary or copies.
Matrix rows_for(Metric metric, Index n, Index cols) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> values;
    for (Index r = 0; r < n; ++r)
        for (Index c = 0; c < cols; ++c) {
            float value = uniform(generator);
            if (row_of(metric).takes == Takes::amounts) value = std::max(value, 0.0F);
            if (row_of(metric).takes == Takes::truths || metric == Metric::hamming) value = value > 0.4F ? 1.0F : 0.0F;
            if (r % 10 == 3) value = 0;
            if (r % 10 == 4) value = 0.5F;
            values.push_back(value);
        }
    for (Index r = 9; r < n; r += 10) std::copy_n(values.begin() + (r - 8) * cols, cols, values.begin() + r * cols);
    return {n, cols, std::move(values)};
}

Index columns_of(Metric metric, Index wanted) { return metric == Metric::haversine ? 2 : wanted; }

void expect_lists(const Graph& graph, MatrixView<const float> points, MatrixView<const float> queries, Metric metric,
                  bool is_all) {
    const Index degree = static_cast<Index>(graph.edges() / std::max<Index>(graph.size(), 1));
    for (Index q = 0; q < queries.rows; ++q) {
        std::vector<std::pair<float, Index>> truth;
        for (Index p = 0; p < points.rows; ++p)
            if (!is_all || p != q)
                truth.emplace_back(static_cast<float>(defined(metric, queries.row(q), points.row(p))), p);
        std::sort(truth.begin(), truth.end());
        std::set<Index> seen;
        for (Index j = 0; j < degree; ++j) {
            const std::size_t e = at(Offset{q} * degree + j);
            const double slack = 1e-6 + 1e-6 * static_cast<double>(truth[at(j)].first);
            ASSERT_NEAR(graph.weights[e], truth[at(j)].first, slack) << name_of(metric) << " row " << q << " at " << j;
            ASSERT_NEAR(graph.weights[e], defined(metric, queries.row(q), points.row(graph.targets[e])), slack);
            ASSERT_TRUE(seen.insert(graph.targets[e]).second);
        }
    }
}

TEST(Metrics, SearchesFindWhatTheDefinitionsSay) {
    for (const Metric metric : metrics_of_terms())
        for (const Index cols : {1, 3, 17, 130}) {
            const Matrix points = rows_for(metric, 61, columns_of(metric, cols));
            const Result found = search(points.view(), {.k = 9, .metric = metric});
            EXPECT_EQ(found.options.method, Method::exact);
            expect_lists(found.graph, points.view(), points.view(), metric, true);
        }
}

TEST(Metrics, QueriesFindWhatTheDefinitionsSay) {
    for (const Metric metric : metrics_of_terms()) {
        const Matrix points = rows_for(metric, 40, columns_of(metric, 70));
        const Matrix queries = rows_for(metric, 23, columns_of(metric, 70));
        const Result found = search(points.view(), queries.view(), {.k = 40, .metric = metric});
        expect_lists(found.graph, points.view(), queries.view(), metric, false);
    }
}

TEST(Metrics, ThreadsDoNotChangeLists) {
    for (const Metric metric : metrics_of_terms()) {
        const Matrix points = rows_for(metric, 700, columns_of(metric, 30));
        const Graph one = search(points.view(), {.k = 12, .metric = metric}, {.threads = 1}).graph;
        const Graph three = search(points.view(), {.k = 12, .metric = metric}, {.threads = 3}).graph;
        EXPECT_EQ(one.targets, three.targets);
        EXPECT_EQ(one.weights, three.weights);
    }
}

TEST(Metrics, TiesGoById) {
    const Matrix points(5, 2, std::vector<float>{1, 0, 0, 1, 1, 1, 1, 1, 0, 0});
    const Graph found = search(points.view(), {.k = 4, .metric = Metric::jaccard}).graph;
    EXPECT_EQ(found.targets, (std::vector<Index>{2, 3, 1, 4, 2, 3, 0, 4, 3, 0, 1, 4, 2, 0, 1, 4, 0, 1, 2, 3}));
    EXPECT_EQ(found.weights[4 * 4], 1);
}

TEST(Metrics, OneRowHasNoNeighbors) {
    for (const Metric metric : metrics_of_terms()) {
        const Matrix points = rows_for(metric, 1, columns_of(metric, 3));
        EXPECT_EQ(search(points.view(), {.k = 4, .metric = metric}).graph.edges(), 0);
    }
}

TEST(Metrics, NotANumberIsAnError) {
    Matrix points(2, 2, std::vector<float>{0, 1, std::numeric_limits<float>::quiet_NaN(), 1});
    for (const Metric metric : metrics_of_terms()) {
        const std::string message =
            refusal(Fault::bad_input, [&] { (void)search(points.view(), {.k = 1, .metric = metric}); });
        EXPECT_NE(message.find("row 1"), std::string::npos) << message;
    }
}

TEST(Metrics, ValuesThatAMetricDoesNotTakeAreErrorsWithTheColumn) {
    const Matrix points(2, 3, std::vector<float>{1, 2, 0, 1, 0, -3});
    EXPECT_NE(refusal([&] {
                  (void)search(points.view(), {.k = 1, .metric = Metric::hellinger});
              }).find("row 1, column 2 (counting from 0) is -3"),
              std::string::npos);
    EXPECT_NE(refusal([&] { (void)search(points.view(), {.k = 1, .metric = Metric::haversine}); }).find("3 columns"),
              std::string::npos);
    const Matrix degrees(2, 2, std::vector<float>{1, 2, 51, 7});
    EXPECT_NE(
        refusal([&] { (void)search(degrees.view(), {.k = 1, .metric = Metric::haversine}); }).find("row 1, column 0"),
        std::string::npos);
    const Matrix opposite(2, 1, std::vector<float>{1, -1});
    EXPECT_NE(refusal([&] { (void)search(opposite.view(), {.k = 1, .metric = Metric::braycurtis}); }).find("row 0"),
              std::string::npos);
    const Matrix large(2, 1, std::vector<float>{3e38F, -3e38F});
    EXPECT_NE(refusal([&] { (void)search(large.view(), {.k = 1, .metric = Metric::chebyshev}); }).find("overflow"),
              std::string::npos);
}

TEST(Metrics, WhatTheyCannotDoIsSaid) {
    const Matrix points = rows_for(Metric::jaccard, 20, 5);
    const auto approximate = [&] {
        (void)search(points.view(), {.k = 3, .metric = Metric::jaccard, .method = Method::approximate});
    };
    EXPECT_NE(refusal(approximate).find("no approximate search"), std::string::npos);
    const auto with_pca = [&] { (void)tsne::embed(points.view(), {.pca = 2, .metric = Metric::jaccard}); };
    EXPECT_NE(refusal(with_pca).find("leave pca out"), std::string::npos);
}

TEST(Metrics, BitsInCommonAreCounted) {
    std::mt19937_64 generator(3);
    for (const Index words : {0, 1, 7, 8, 9, 33}) {
        std::vector<std::uint64_t> x(at(words)), y(at(words));
        Offset both = 0;
        for (std::size_t w = 0; w < x.size(); ++w) {
            x[w] = generator(), y[w] = generator();
            both += std::popcount(x[w] & y[w]);
        }
        EXPECT_EQ(distance::common_bits(x.data(), y.data(), words), both);
    }
}

TEST(Metrics, ScalingAndScoresCompareByThem) {
    for (const Metric metric : metrics_of_terms()) {
        const Matrix points = rows_for(metric, 50, columns_of(metric, 20));
        const auto items = mds::Dissimilarities::of_points(points, {.metric = metric});
        EXPECT_NEAR(items.values().view()(3, 7), defined(metric, points.row(3), points.row(7)), 1e-6);
        const Map map = tsne::embed(points.view(), {.perplexity = 5, .metric = metric}, {.threads = 2}).map;
        const scores::Score kept = scores::preservation(points.view(), map, 5, {.metric = metric});
        EXPECT_GT(kept.value, 0.05) << name_of(metric);
        EXPECT_LE(kept.value, 1);
    }
}

}  // namespace
}  // namespace dunlin::neighbors

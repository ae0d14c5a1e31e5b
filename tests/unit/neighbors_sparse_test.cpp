// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cases/neighbors.hpp"
#include "neighbors/exact/sparse_rows.hpp"
#include "neighbors/search_rows.hpp"

namespace dunlin::neighbors {
namespace {

constexpr std::array metrics{Metric::euclidean, Metric::cosine, Metric::correlation};
constexpr std::array metrics_and_products{Metric::euclidean, Metric::cosine, Metric::correlation,
                                          Metric::inner_product};

/// Like word counts: column c is nonzero in about one row of c / 3 + 2.
Data documents(Index rows, Index cols) {
    return make(rows, cols, [&](Index r, Index c) {
        const auto draw = math::random_below(static_cast<std::uint64_t>(c / 3 + 2), 11, static_cast<std::uint64_t>(r),
                                             static_cast<std::uint64_t>(c));
        return draw == 0 ? std::exp(normal(12, r, c)) : 0.0F;
    });
}

/// Row r is 1 in column r % cols, else 0.
Data one_hot(Index rows, Index cols) {
    return make(rows, cols, [&](Index r, Index c) { return c == r % cols ? 1.0F : 0.0F; });
}

TEST(NeighborsSparse, EveryNumberOfRowsAgreesWithTheDefinition) {
    for (const Metric metric : metrics_and_products) {
        for (const Index rows : {1, 2, 3, 31, 32, 33, 500, 2047, 2048, 2049}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << rows << " rows");
            expect_exact(documents(rows, rows > 1000 ? 150 : 900), metric, 10);
        }
    }
}

TEST(NeighborsSparse, RowsWithoutEntriesAndEqualRows) {
    Data data = documents(300, 500);
    for (const Index row : {3, 30, 31}) std::fill_n(data.values.begin() + Offset{500} * row, 500, 0.0F);
    for (const Index row : {7, 70}) {
        std::copy_n(data.values.begin() + Offset{500} * 200, 500, data.values.begin() + Offset{500} * row);
    }
    for (const Metric metric : metrics_and_products) expect_exact(data, metric, 299);
}

TEST(NeighborsSparse, TiesGoById) {
    expect_exact(one_hot(700, 700), Metric::euclidean, 12, true);
    expect_exact(one_hot(700, 350), Metric::cosine, 12, true);
}

TEST(NeighborsSparse, SizesFarApart) {
    Data data = documents(400, 600);
    for (Index r = 0; r < 400; ++r) {
        const float scale = r % 3 == 0 ? 0x1p-130F : r % 3 == 1 ? 1.0F : 0x1p100F;
        for (Index c = 0; c < 600; ++c) data.values[static_cast<std::size_t>(Offset{r} * 600 + c)] *= scale;
    }
    for (const Metric metric : metrics) expect_exact(data, metric, 20);
}

TEST(NeighborsSparse, KeysAreThoseOfTheDenseRows) {
    device::Cpu cpu(2);
    const Data data = documents(60, 500);
    for (const Metric metric : metrics) {
        const distance::Space space(cpu, data.view(), metric);
        const DistinctRows items = find_distinct_rows(cpu, space);
        const SparseRows rows(cpu, space, items);
        for (Index a = 0; a < 60; ++a) {
            EXPECT_EQ(rows.key(a, a), 0);
            for (Index b = 0; b < a; ++b) {
                EXPECT_EQ(rows.key(a, b), rows.key(b, a));
                EXPECT_NEAR(rows.key(a, b), space.key(a, b), 1e-13 * space.key(a, b));
            }
        }
    }
}

TEST(NeighborsSparse, ColumnsInCommonByHand) {
    device::Cpu cpu(1);
    const Data data{4, 3, {1, 1, 0, 2, 0, 0, 3, 0, 0, 4, 0, 5}};  // columns with 4, 1 and 1 nonzeros in 4 rows
    const distance::Space space(cpu, data.view(), Metric::euclidean);
    EXPECT_DOUBLE_EQ(columns_in_common(space, find_distinct_rows(cpu, space)), 1 + 1.0 / 16 + 1.0 / 16);
}

TEST(NeighborsSparse, SameBytesForAnyNumberOfThreads) {
    const Data data = documents(900, 700);
    for (const Metric metric : metrics_and_products) {
        const Graph one = search(data.view(), {.k = 20, .metric = metric}, {.threads = 1}).graph;
        for (const int threads : {2, 3}) {
            const Graph many = search(data.view(), {.k = 20, .metric = metric}, {.threads = threads}).graph;
            EXPECT_EQ(one.targets, many.targets);
            EXPECT_EQ(one.weights, many.weights);
        }
    }
}

}  // namespace
}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#include <dunlin/error.hpp>
#include <dunlin/neighbors.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "cases/neighbors.hpp"
#include "refusal.hpp"

namespace dunlin::neighbors {
namespace {

constexpr std::array metrics{Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation,
                             Metric::inner_product};

Data joined(const Data& a, const Data& b) {
    Data both{a.rows + b.rows, a.cols, a.values};
    both.values.insert(both.values.end(), b.values.begin(), b.values.end());
    return both;
}

Data one_row(const Data& data, Index row) {
    const auto values = data.view().row(row);
    return {1, data.cols, {values.begin(), values.end()}};
}

Data repeated(const Data& data, Index rows) {
    return make(rows, data.cols, [&](Index r, Index c) { return data.view()(r * 7919 % data.rows, c); });
}

/// Checks every list against the definition: nothing is excluded, and ids may differ where distances agree up to
/// rounding.
void expect_definition(const Data& points, const Data& queries, Metric metric, const Graph& graph, Index k,
                       bool ids_must_agree = false) {
    const Data all = joined(points, queries);
    const Index degree = std::min(k, points.rows);
    const double sign = metric == Metric::inner_product ? -1 : 1;
    ASSERT_EQ(graph.size(), queries.rows);
    ASSERT_EQ(graph.edges(), Offset{queries.rows} * degree);
    for (Index q = 0; q < queries.rows; ++q) {
        std::vector<Near> truth;
        for (Index p = 0; p < points.rows; ++p) truth.push_back({distance(all, metric, points.rows + q, p), p});
        std::sort(truth.begin(), truth.end(), [sign](Near a, Near b) {
            return a.distance != b.distance ? sign * a.distance < sign * b.distance : a.row < b.row;
        });
        std::vector<Index> seen;
        for (std::size_t j = 0; j < static_cast<std::size_t>(degree); ++j) {
            const std::size_t e = static_cast<std::size_t>(Offset{q} * degree) + j;
            const double slack = 2e-6 * std::abs(truth[j].distance) + 2e-14;
            ASSERT_GE(graph.targets[e], 0);
            ASSERT_LT(graph.targets[e], points.rows);
            ASSERT_NEAR(static_cast<double>(graph.weights[e]), truth[j].distance, slack)
                << "query " << q << " at " << j;
            ASSERT_NEAR(static_cast<double>(graph.weights[e]), distance(all, metric, points.rows + q, graph.targets[e]),
                        slack)
                << "query " << q << " at " << j;
            if (ids_must_agree) {
                ASSERT_EQ(graph.targets[e], truth[j].row) << "query " << q << " at " << j;
            }
            seen.push_back(graph.targets[e]);
        }
        std::sort(seen.begin(), seen.end());
        ASSERT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "query " << q;
    }
}

void expect_exact_lists(const Data& points, const Data& queries, Metric metric, Index k, bool ids_must_agree = false) {
    const Result found =
        search(points.view(), queries.view(), {.k = k, .metric = metric, .method = Method::exact}, {.threads = 2});
    EXPECT_EQ(found.recall, 1);
    EXPECT_EQ(found.stopped, Stopped::converged);
    expect_definition(points, queries, metric, found.graph, k, ids_must_agree);
}

/// Each query alone, and all with other numbers of threads, give the same bytes.
void expect_independent(const Data& points, const Data& queries, Options options) {
    const Graph all = search(points.view(), queries.view(), options, {.threads = 2}).graph;
    ASSERT_EQ(all.size(), queries.rows);
    for (const int threads : {1, 3}) {
        const Graph again = search(points.view(), queries.view(), options, {.threads = threads}).graph;
        EXPECT_EQ(again.targets, all.targets);
        ASSERT_EQ(std::memcmp(again.weights.data(), all.weights.data(), all.weights.size() * sizeof(float)), 0);
    }
    for (Index q = 0; q < queries.rows; ++q) {
        const Graph one = search(points.view(), one_row(queries, q).view(), options, {.threads = 1}).graph;
        const auto begin = static_cast<std::size_t>(all.offsets[static_cast<std::size_t>(q)]);
        const auto size = static_cast<std::size_t>(one.edges());
        ASSERT_EQ(one.edges(), all.offsets[static_cast<std::size_t>(q) + 1] - all.offsets[static_cast<std::size_t>(q)]);
        ASSERT_EQ(std::memcmp(one.targets.data(), all.targets.data() + begin, size * sizeof(Index)), 0)
            << "query " << q;
        ASSERT_EQ(std::memcmp(one.weights.data(), all.weights.data() + begin, size * sizeof(float)), 0)
            << "query " << q;
    }
}

/// Rows like the points, one of the points, its double, zeros, and rows far outside.
Data mixed_queries(const Data& points, const Data& like) {
    const MatrixView<const float> view = points.view();
    return make(like.rows, points.cols, [&](Index r, Index c) {
        switch (r % 8) {
            case 1:
                return view(r % points.rows, c);
            case 2:
                return 2 * view((r - 1) % points.rows, c);
            case 3:
                return r % 16 == 3 ? 0.0F : 1000 * like.view()(r, c);
            case 4:
                return like.view()(r, c) + (c == 0 ? 1e6F : 0.0F);
            default:
                return like.view()(r, c);
        }
    });
}

TEST(NeighborsOfQueries, AgreeWithTheDefinition) {
    for (const Metric metric : metrics) {
        for (const Index cols : {1, 2, 3, 4, 5, 20, 200}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << cols << " columns");
            const Data points = gaussian(cols > 20 ? 230 : 460, cols);
            expect_exact_lists(points, mixed_queries(points, gaussian(48, cols, 2)), metric, 10);
        }
    }
}

TEST(NeighborsOfQueries, ClustersAndImages) {
    for (const Metric metric : metrics) {
        expect_exact_lists(clustered(500, 10), gaussian(20, 10, 5), metric, 20);
        // Bytes, most of them zero, and queries that are no bytes
        const Data images = make(
            260, 784, [](Index r, Index c) { return c % 28 < 9 ? 0.0F : std::floor(255 * uniform(6, r % 90, c)); });
        const Data others = make(18, 784, [&](Index r, Index c) {
            const float value = images.view()(3 * r, c);
            return r % 3 == 0 ? value : r % 3 == 1 ? value + 0.25F * normal(7, r, c) : 1000 * value;
        });
        SCOPED_TRACE(name_of(metric));
        expect_exact_lists(images, others, metric, 15);
    }
}

TEST(NeighborsOfQueries, DuplicatesAndTiesGoById) {
    for (const Metric metric : {Metric::euclidean, Metric::manhattan}) {
        for (const Index cols : {1, 2, 3, 8, 200}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << cols << " columns");
            const Data few = integers(60, cols, 3);
            const Data points = repeated(few, 300);                                 // copies among the points,
            const Data queries = repeated(joined(few, integers(20, cols, 4)), 50);  // the queries, and both
            for (const Index k : {1, 7, 299, 300, 900}) expect_exact_lists(points, queries, metric, k, true);
        }
    }
}

TEST(NeighborsOfQueries, QueryThatEqualsAPointFindsItFirst) {
    const Data points = gaussian(300, 12);
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation}) {
        const Graph graph = search(points.view(), points.view(), {.k = 3, .metric = metric}).graph;
        const Graph among = search(points.view(), {.k = 2, .metric = metric}).graph;
        for (std::size_t r = 0; r < 300; ++r) {
            EXPECT_EQ(graph.targets[3 * r], static_cast<Index>(r));
            EXPECT_EQ(graph.weights[3 * r], 0);
            for (const std::size_t j : {0U, 1U}) {
                EXPECT_EQ(graph.targets[3 * r + 1 + j], among.targets[2 * r + j]);
                EXPECT_EQ(graph.weights[3 * r + 1 + j], among.weights[2 * r + j]);
            }
        }
    }
}

TEST(NeighborsOfQueries, SmallestSizes) {
    for (const Metric metric : metrics) {
        for (const Index cols : {1, 3, 6, 170}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << cols << " columns");
            for (const Index rows : {1, 2, 49, 193}) {
                expect_exact_lists(gaussian(rows, cols), gaussian(1, cols, 2), metric, 5);
                expect_exact_lists(gaussian(rows, cols), gaussian(17, cols, 2), metric, 1);
                expect_exact_lists(gaussian(rows, cols), gaussian(rows, cols), metric, rows + 3);
            }
        }
    }
    for (const Method method : {Method::automatic, Method::exact, Method::approximate}) {
        const Result none = search(gaussian(9, 6).view(), MatrixView<const float>{nullptr, 0, 6}, {.method = method});
        EXPECT_EQ(none.graph.size(), 0);
        EXPECT_EQ(none.graph.offsets, std::vector<Offset>{0});
        EXPECT_EQ(none.stopped, Stopped::converged);
    }
    const Result found = search(gaussian(4, 6).view(), gaussian(2, 6, 2).view(), {.k = 9});
    EXPECT_EQ(found.options.k, 4);
}

TEST(NeighborsOfQueries, ListsDependOnNoOtherQuery) {
    for (const Metric metric : metrics) {
        for (const Index cols : {2, 9, 170}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << cols << " columns");
            const Data points = joined(gaussian(500, cols), repeated(gaussian(30, cols), 100));
            expect_independent(points, mixed_queries(points, gaussian(20, cols, 3)), {.k = 8, .metric = metric});
        }
    }
    const Data bytes = integers(400, 200, 250);
    const Data others = joined(gaussian(5, 200, 8), repeated(bytes, 6));
    expect_independent(bytes, others, {.k = 8});
}

/// The search by leaves and by codes.
class ApproximateQueries : public testing::TestWithParam<Index> {};
INSTANTIATE_TEST_SUITE_P(Codes, ApproximateQueries, testing::Values(0, 8));

Options approximate_by(Index codes, Metric metric = Metric::euclidean) {
    return {.k = 10, .metric = metric, .method = Method::approximate, .recall = 0.9, .codes = codes};
}

Data manifold(Index rows, Index cols, std::uint64_t seed) {
    return make(rows, cols, [&](Index r, Index c) {
        float sum = 0.05F * normal(seed + 100, r, c);
        for (Index axis = 0; axis < 6; ++axis) sum += normal(seed, r, axis) * normal(50, axis, c);
        return sum;
    });
}

TEST_P(ApproximateQueries, DependOnNoOtherQuery) {
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
        for (const Index cols : {16, 180}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << cols << " columns");
            const Data points = manifold(3500, cols, 1);
            expect_independent(points, mixed_queries(points, manifold(8, cols, 2)), approximate_by(GetParam(), metric));
        }
    }
}

TEST_P(ApproximateQueries, ReachTheRecallOfThePoints) {
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::correlation}) {
        const Data points = manifold(6000, 24, 1), queries = manifold(800, 24, 2);
        const Result truth =
            search(points.view(), queries.view(), {.k = 10, .metric = metric, .method = Method::exact});
        const Result found = search(points.view(), queries.view(), approximate_by(GetParam(), metric));
        EXPECT_EQ(found.options.method, Method::approximate);
        EXPECT_GT(found.probes, 0);
        EXPECT_GE(found.recall, 0.9);
        EXPECT_GT(recall_of_graph(found.graph, truth.graph), 0.87) << name_of(metric);
        // The probes are those of the points
        const Result one = search(points.view(), one_row(queries, 0).view(), approximate_by(GetParam(), metric));
        EXPECT_EQ(one.probes, found.probes);
        EXPECT_EQ(one.recall, found.recall);
    }
}

TEST_P(ApproximateQueries, FarOutsideAreExact) {
    const Data points = manifold(4000, 20, 1);
    const Data far = make(30, 20, [&](Index r, Index c) { return 1000 * normal(9, r, c); });
    const Result truth = search(points.view(), far.view(), {.k = 10, .method = Method::exact});
    const Result found = search(points.view(), far.view(), approximate_by(GetParam()));
    EXPECT_EQ(found.graph.targets, truth.graph.targets);
    EXPECT_EQ(found.graph.weights, truth.graph.weights);
}

TEST_P(ApproximateQueries, SmallestSizesAndDuplicates) {
    for (const Index rows : {1, 2, 300}) {
        for (const Index k : {1, 5, 400}) {
            Options options = approximate_by(GetParam());
            options.k = k;
            const Data same = make(rows, 16, [](Index, Index c) { return static_cast<float>(c); });
            for (const Data& points : {gaussian(rows, 16), same}) {
                const Data queries = mixed_queries(points, gaussian(9, 16, 2));
                const Result found = search(points.view(), queries.view(), options);
                EXPECT_EQ(found.graph.edges(), Offset{9} * std::min(k, rows));
                for (Index q = 0; q < 9; ++q) {
                    const auto list =
                        std::span(found.graph.targets)
                            .subspan(static_cast<std::size_t>(found.graph.offsets[static_cast<std::size_t>(q)]),
                                     static_cast<std::size_t>(std::min(k, rows)));
                    std::vector<Index> seen(list.begin(), list.end());
                    std::sort(seen.begin(), seen.end());
                    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
                    EXPECT_LT(seen.back(), rows);
                }
            }
        }
    }
}

TEST(NeighborsOfQueries, SparseRowsAgreeWithTheDefinition) {
    const auto sparse = [](Index rows, std::uint64_t seed) {
        return make(rows, 400, [&](Index r, Index c) {
            const auto drawn =
                math::random_below(60, seed, static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
            return drawn < 2 ? 1 + static_cast<float>(drawn) + 0.5F * uniform(seed, r, c) : 0.0F;
        });
    };
    const Data points = sparse(300, 11);
    const Data queries = joined(mixed_queries(points, sparse(24, 12)), gaussian(3, 400, 13));
    for (const Metric metric : metrics) {
        SCOPED_TRACE(name_of(metric));
        expect_exact_lists(points, queries, metric, 9);
        expect_independent(points, queries, {.k = 9, .metric = metric});
    }
}

TEST(NeighborsOfQueries, RefusesWhatItCannotUse) {
    const Data points = gaussian(50, 6);
    Data queries = gaussian(20, 6, 2);
    const auto fault = [&](const Options& options = {}) {
        return refusal(Fault::bad_input, [&] { search(points.view(), queries.view(), options); });
    };
    EXPECT_EQ(fault(), "");
    EXPECT_NE(fault({.k = 0}).find("k is 0"), std::string::npos);
    queries.values[7 * 6 + 2] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(fault().find("query row 7"), std::string::npos) << fault();
    queries.values[7 * 6 + 2] = std::numeric_limits<float>::infinity();
    EXPECT_NE(fault().find("query row 7"), std::string::npos) << fault();
    queries.values[7 * 6 + 2] = 3.3e38F;
    EXPECT_EQ(fault(), "");
    queries.values[7 * 6 + 3] = 3.3e38F;
    EXPECT_NE(fault().find("query row 7"), std::string::npos) << fault();
    EXPECT_EQ(fault({.metric = Metric::cosine}), "");
    queries = gaussian(20, 5, 2);
    EXPECT_NE(fault().find("5 columns"), std::string::npos) << fault();
    queries = gaussian(20, 6, 2);
    Data unfit = gaussian(50, 6);
    unfit.values[6 * 9] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal([&] { search(unfit.view(), queries.view(), {}); }).find("points: row 9"), std::string::npos);
    EXPECT_THROW(search(MatrixView<const float>{nullptr, 0, 6}, queries.view(), {}), Error);
}

}  // namespace
}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#include <dunlin/shards.hpp>

#include <limits>
#include <stop_token>

#include "cases/shards.hpp"

/// Exact neighbors over shards beside one process.
namespace dunlin::neighbors {
namespace {

using kmeans::in_process;
using kmeans::refusal_of;
using kmeans::same_bytes;
using kmeans::ShardedProblem;

::testing::AssertionResult same_graph(const Result& a, const Result& b) {
    if (!same_bytes(a.graph.offsets, b.graph.offsets)) return ::testing::AssertionFailure() << "offsets differ";
    if (!same_bytes(a.graph.targets, b.graph.targets)) return ::testing::AssertionFailure() << "neighbors differ";
    if (!same_bytes(a.graph.weights, b.graph.weights)) return ::testing::AssertionFailure() << "distances differ";
    return ::testing::AssertionSuccess();
}

void expect_graph_of_one_process(const ShardedProblem& rows, Options options, Offset chunk = 1024) {
    options.method = Method::exact;
    const Result expected = search(rows.rows(), options);
    for (const int shards : {1, 2, 3, 8}) {
        const auto set = in_process(rows.rows(), {}, kmeans::Metric::euclidean, shards, chunk);
        EXPECT_TRUE(same_graph(search(*set, rows.shape(chunk), options), expected))
            << shards << " shards, " << rows.rows().rows << " x " << rows.cols << ", k " << options.k << " "
            << name_of(options.metric);
    }
}

TEST(ShardsNeighbors, AnyNumberGivesTheGraphOfOneProcess) {
    for (const Index n : {1, 2, 3, 1024, 1025, 5300}) {
        for (const Index cols : {1, 2, 20}) {
            expect_graph_of_one_process({kmeans::blobs_of(n, cols, 4), cols}, {.k = 7});
        }
    }
}

TEST(ShardsNeighbors, EveryMetric) {
    const ShardedProblem rows{kmeans::blobs_of(2500, 9, 4), 9};
    for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::inner_product}) {
        expect_graph_of_one_process(rows, {.k = 12, .metric = metric});
    }
}

/// More copies than neighbors, in several chunks; rows of zeros; and fewer rows in a chunk than neighbors.
TEST(ShardsNeighbors, CopiesZerosAndShortChunks) {
    ShardedProblem copies{{}, 2};
    for (Index r = 0; r < 2100; ++r) {
        copies.points.push_back(static_cast<float>(r % 5));
        copies.points.push_back(static_cast<float>(r % 3));
    }
    for (const Metric metric : {Metric::euclidean, Metric::manhattan, Metric::inner_product}) {
        expect_graph_of_one_process(copies, {.k = 15, .metric = metric});
    }
    expect_graph_of_one_process({kmeans::blobs_of(1030, 3, 2), 3}, {.k = 40});
    expect_graph_of_one_process({kmeans::blobs_of(6, 3, 2), 3}, {.k = 40});
}

TEST(ShardsNeighbors, UnevenAndEmptyShards) {
    const ShardedProblem rows{kmeans::blobs_of(5300, 3, 4), 3};
    const Result expected = search(rows.rows(), {.k = 5, .method = Method::exact});
    const std::vector<std::vector<Offset>> all{{0, 0, 1, 6}, {0, 5, 5, 6, 6}, {0, 6}};
    for (const auto& borders : all) {
        const auto set = in_process(rows.rows(), {}, kmeans::Metric::euclidean, borders, 1024);
        EXPECT_TRUE(same_graph(search(*set, rows.shape(), {.k = 5}), expected));
    }
    for (const Offset chunk : {3072, 0}) expect_graph_of_one_process(rows, {.k = 5}, chunk);
}

TEST(ShardsNeighbors, NoFailureChangesAByte) {
    const ShardedProblem rows{kmeans::blobs_of(4500, 3, 4), 3};
    const Result expected = search(rows.rows(), {.k = 6, .method = Method::exact});
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        kmeans::FailingShards shards(rows, seed);
        ASSERT_TRUE(same_graph(search(shards, rows.shape(), {.k = 6}, {.threads = 1}), expected)) << seed;
    }
}

TEST(ShardsNeighbors, AStopAndProgress) {
    const ShardedProblem rows{kmeans::blobs_of(9000, 3, 4), 3};
    const auto set = in_process(rows.rows(), {}, kmeans::Metric::euclidean, 2, 1024);
    std::stop_source stop;
    Offset last = 0;
    dunlin::Run run{.stop = stop.get_token()};
    run.on_progress = [&](const Progress& progress) { last = progress.done; };
    int asked = 0;
    kmeans::CallbackShards counted([&](const kmeans::Message& request) {
        if (kmeans::describe(request).kind == "nearest" && ++asked == 2) stop.request_stop();
        return set->ask(request);
    });
    EXPECT_EQ(search(counted, rows.shape(), {.k = 3}, run).graph.size(), 0);
    EXPECT_LT(last, 9000);
    EXPECT_EQ(asked, 2);
    run.stop = {};
    EXPECT_EQ(search(counted, rows.shape(), {.k = 3}, run).graph.size(), 9000);
    EXPECT_EQ(last, 9000);
}

/// Lists go to a function, and another driver continues after any block.
TEST(ShardsNeighbors, AnotherDriverContinues) {
    const ShardedProblem rows{kmeans::blobs_of(9001, 3, 4), 3};
    const Result expected = search(rows.rows(), {.k = 4, .method = Method::exact});
    const auto set = in_process(rows.rows(), {}, kmeans::Metric::euclidean, 2, 1024);
    for (const Offset found : {0, 1, 4096, 8192, 9000, 9001}) {
        std::vector<Index> targets(expected.graph.targets.begin(), expected.graph.targets.begin() + found * 4);
        std::vector<float> distances(expected.graph.weights.begin(), expected.graph.weights.begin() + found * 4);
        Driving driving{.epoch = 2, .found = found};
        driving.on_lists = [&](Offset first, std::span<const Index> next, std::span<const float> weights) {
            EXPECT_EQ(first * 4, std::ssize(targets));
            targets.insert(targets.end(), next.begin(), next.end());
            distances.insert(distances.end(), weights.begin(), weights.end());
        };
        EXPECT_EQ(search(*set, rows.shape(), {.k = 4}, {}, driving).graph.size(), 0);
        EXPECT_TRUE(same_bytes(targets, expected.graph.targets)) << found;
        EXPECT_TRUE(same_bytes(distances, expected.graph.weights)) << found;
    }
    const auto refused = [&](const Driving& driving) {
        return refusal_of([&] { (void)search(*set, rows.shape(), {.k = 4}, {}, driving); });
    };
    EXPECT_NE(refused({.epoch = 3, .found = 1}).find("0 to 0"), std::string::npos);
    EXPECT_NE(refused({.epoch = 1}).find("taken over"), std::string::npos);
}

TEST(ShardsNeighbors, BadInputIsNamed) {
    ShardedProblem rows{kmeans::blobs_of(3000, 2, 4), 2};
    const auto set = in_process(rows.rows(), {}, kmeans::Metric::euclidean, 2, 1024);
    const auto refused = [&](const Options& options, Offset row = -1) {
        return refusal_of([&] { (void)search(*set, rows.shape(), options); }, row);
    };
    EXPECT_NE(refused({.k = 0}).find("k is 0"), std::string::npos) << refused({.k = 0});
    EXPECT_NE(refused({.method = Method::approximate}).find("exact for shards"), std::string::npos);
    EXPECT_NE(refused({.metric = Metric::cosine}).find("length 1"), std::string::npos);
    kmeans::Shape other = rows.shape();
    other.weighted = true;
    EXPECT_NE(refusal_of([&] { (void)search(*set, other); }).find("without weights"), std::string::npos);
    other = rows.shape();
    other.rows = 0;
    EXPECT_NE(refusal_of([&] { (void)search(*set, other); }).find("0 rows"), std::string::npos);
    rows.points[std::size_t{2} * 2050] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refused({}, 2050).find("row 2050"), std::string::npos);
}

}  // namespace
}  // namespace dunlin::neighbors

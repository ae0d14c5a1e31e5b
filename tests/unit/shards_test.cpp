// SPDX-License-Identifier: Apache-2.0
#include <dunlin/shards.hpp>

#include <limits>
#include <stop_token>

#include <dunlin/error.hpp>
#include <dunlin/gpus.hpp>

#include "cases/shards.hpp"
#include "shards/rounds.hpp"

namespace dunlin::kmeans {
namespace {

/// Runs the problem over 1, 2, 3 and 8 shards.
void expect_bytes_of_one_process(const ShardedProblem& problem, Offset chunk_rows = 1024) {
    const Result expected = problem.in_one_process();
    for (const int shards : {1, 2, 3, 8}) {
        const auto set = in_process(problem.rows(), problem.weights, problem.options.metric, shards, chunk_rows);
        EXPECT_TRUE(same_bytes(problem.over(*set, chunk_rows), expected))
            << shards << " shards, " << problem.rows().rows << " x " << problem.cols << " in chunks of " << chunk_rows;
    }
}

TEST(Shards, AnyNumberGivesTheBytesOfOneProcess) {
    for (const Index n : {1, 2, 1024, 1025, 6011}) {
        for (const Index cols : {1, 3, 12}) {
            for (const bool weighted : {false, true}) {
                ShardedProblem problem{blobs_of(n, cols, 6), cols};
                if (weighted) problem.weights = weights_of_rows(n);
                problem.options = {.clusters = std::min<Index>(n, 9), .iterations = 12};
                expect_bytes_of_one_process(problem);
            }
        }
    }
}

TEST(Shards, EveryOptionGivesTheBytesOfOneProcess) {
    const Index n = 3100, cols = 4;
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
        for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
            for (const Rule rule : {Rule::shift, Rule::inertia, Rule::never}) {
                for (const int restarts : {1, 3}) {
                    for (const bool weighted : {false, true}) {
                        ShardedProblem problem{blobs_of(n, cols, 5, 7), cols};
                        if (weighted) problem.weights = weights_of_rows(n);
                        problem.options = {.clusters = 6,
                                           .metric = metric,
                                           .start = start,
                                           .restarts = restarts,
                                           .iterations = 7,
                                           .stop = rule};
                        const auto set = in_process(problem.rows(), problem.weights, metric, 3, 1024);
                        EXPECT_TRUE(same_bytes(problem.over(*set), problem.in_one_process()))
                            << name_of(metric) << " " << name_of(start) << " " << name_of(rule) << " " << restarts;
                    }
                }
            }
        }
    }
}

/// Chunks of one block of the sums' tree, of part of a node, of one node, and of three nodes of 32 blocks.
TEST(Shards, ChunksOfAnySizeGiveTheBytesOfOneProcess) {
    ShardedProblem problem{blobs_of(140'001, 2, 6), 2};
    problem.weights = weights_of_rows(140'001);
    problem.options = {.clusters = 5, .iterations = 4, .stop = Rule::inertia};
    for (const Offset rows : {1024, 3072, 32768, 98304}) expect_bytes_of_one_process(problem, rows);
    EXPECT_EQ(level_of(1024), 0);
    EXPECT_EQ(level_of(3072), 0);
    EXPECT_EQ(level_of(32768), 1);
    EXPECT_EQ(level_of(98304), 1);
    EXPECT_EQ(level_of(1 << 20), 2);
}

TEST(Shards, DefaultChunksAreAPowerOfTwoOfSixtyFourMebibytes) {
    EXPECT_EQ(chunk_rows(1), 1 << 24);
    EXPECT_EQ(chunk_rows(2), 1 << 23);
    EXPECT_EQ(chunk_rows(3), 1 << 22);
    EXPECT_EQ(chunk_rows(128), 1 << 17);
    EXPECT_EQ(chunk_rows(1'000'000), 1024);
    ShardedProblem problem{blobs_of(5000, 3, 4), 3};
    expect_bytes_of_one_process(problem, 0);
}

TEST(Shards, MemoryByHand) {
    EXPECT_EQ(bytes_of_shard({.rows = 0, .cols = 2}, 0, 3, 0), 0U);
    // 2,048 rows: 8 of values, 8 of label and bound, a 16th; 3 clusters x (2 + 1) sums of 8 bytes, thrice a chunk
    EXPECT_EQ(bytes_of_shard({.rows = 2048, .cols = 2}, 2, 3, 0), 2048U * 16 + 128 + 2 * 4 * 72);
    EXPECT_EQ(bytes_of_shard({.rows = 2048, .cols = 2, .weighted = true}, 2, 3, 2) -
                  bytes_of_shard({.rows = 2048, .cols = 2}, 2, 3, 0),
              2048U * 4 + 2 * (72 + 2048));
    EXPECT_GT(bytes_of_shard({.rows = Offset{1} << 36, .cols = 100}, 1 << 19, 1000, 64), std::uint64_t{1} << 44);
}

TEST(Shards, GpuMemoryByHand) {
    EXPECT_EQ(gpu_bytes_of_shard({.rows = 0, .cols = 2}, 3), 0U);
    // 2,048 rows: 8 of values, 128 of halves, 16 of label, error, length and distance; 2 chunks of 3 clusters x 3 sums
    // and centroids of 12 bytes; 100 bytes for each row of the largest chunk, and centroids padded by 128 and 64
    EXPECT_EQ(gpu_bytes_of_shard({.rows = 2048, .cols = 2, .chunk_rows = 1024}, 3),
              2048U * 152 + 2 * 108 + 1024 * 100 + 32 * 131 * 66);
    EXPECT_EQ(gpu_bytes_of_shard({.rows = 2048, .cols = 2, .weighted = true, .chunk_rows = 1024}, 3) -
                  gpu_bytes_of_shard({.rows = 2048, .cols = 2, .chunk_rows = 1024}, 3),
              2048U * 4);
}

TEST(Shards, WithoutAGpuDeviceCudaIsRefused) {
    if (why_no_gpu().empty()) GTEST_SKIP() << "a GPU is here";
    try {
        const Shard shard(Metric::euclidean, {.device = Device::cuda});
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::no_device);
        EXPECT_NE(std::string(error.what()).find("device cpu"), std::string::npos) << error.what();
    }
}

TEST(Shards, UnevenAndEmptyOnes) {
    ShardedProblem problem{blobs_of(6500, 2, 5), 2};
    problem.options = {.clusters = 7, .restarts = 2};
    const Result expected = problem.in_one_process();
    const std::vector<std::vector<Offset>> all{{0, 0, 1, 7}, {0, 6, 6, 7, 7}, {0, 7}, {0, 1, 2, 3, 4, 5, 6, 7, 7}};
    for (const auto& borders : all) {
        const auto set = in_process(problem.rows(), {}, Metric::euclidean, borders, 1024);
        EXPECT_TRUE(same_bytes(problem.over(*set), expected)) << borders.size() - 1 << " shards";
    }
}

/// Enough columns and clusters for scores by products and the filter in bytes.
TEST(Shards, ManyClustersAndColumns) {
    ShardedProblem problem{blobs_of(2300, 70, 200), 70};
    problem.options = {.clusters = 300, .start = Start::random, .iterations = 4};
    expect_bytes_of_one_process(problem);
}

/// Centroids that no row is nearest to, or more clusters than different rows.
TEST(Shards, EmptyClustersAreFilledAsInOneProcess) {
    for (const bool weighted : {false, true}) {
        for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
            ShardedProblem problem{blobs_of(5000, 3, 4, 1, 1), 3};
            if (weighted) problem.weights = weights_of_rows(5000);
            problem.options = {.clusters = 9, .metric = metric, .iterations = 9};
            problem.centroids = first_rows(problem.points, 9, 3);
            for (std::size_t i = 9; i < 27; ++i) problem.centroids[i] = -1e6F;
            const Result expected = problem.in_one_process();
            EXPECT_EQ(std::count(expected.counts.begin(), expected.counts.end(), 0), 0);
            expect_bytes_of_one_process(problem);
        }
    }
    ShardedProblem duplicates{{}, 1};
    for (Index r = 0; r < 3000; ++r) duplicates.points.push_back(static_cast<float>(r % 3));
    for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
        duplicates.options = {.clusters = 5, .start = start, .iterations = 5};
        expect_bytes_of_one_process(duplicates);
    }
}

TEST(Shards, GivenCentroidsAndNoIterationOnlyAssign) {
    ShardedProblem problem{blobs_of(3, 2, 2), 2};
    problem.centroids = blobs_of(5, 2, 5, 3);
    problem.options = {.clusters = 5, .iterations = 0};
    expect_bytes_of_one_process(problem);
}

TEST(Shards, TheFirstBadNumberOfAllRowsIsNamed) {
    for (const bool weighted : {false, true}) {
        ShardedProblem problem{blobs_of(5000, 3, 4), 3};
        if (weighted) problem.weights = weights_of_rows(5000);
        const auto set = in_process(problem.rows(), problem.weights, Metric::euclidean, 3, 1024);
        problem.points[std::size_t{4097} * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
        const std::string alone = refusal_of([&] { (void)problem.in_one_process({.threads = 1}); }, 4097);
        EXPECT_EQ(refusal_of([&] { (void)problem.over(*set); }, 4097), alone);
        problem.points[std::size_t{2050} * 3] = 2e15F;
        EXPECT_NE(refusal_of([&] { (void)problem.over(*set); }, 2050).find("row 2050"), std::string::npos);
    }
}

TEST(Shards, BadWeightsAreRefusedAsInOneProcess) {
    ShardedProblem problem{blobs_of(5000, 2, 4), 2};
    problem.weights = weights_of_rows(5000);
    problem.weights[3000] = -1;
    problem.weights[4500] = std::numeric_limits<float>::infinity();
    const auto set = in_process(problem.rows(), problem.weights, Metric::euclidean, 2, 1024);
    const std::string alone = refusal_of([&] { (void)problem.in_one_process(); }, 3000);
    EXPECT_EQ(refusal_of([&] { (void)problem.over(*set); }, 3000), alone);
    std::fill(problem.weights.begin(), problem.weights.end(), 0.0F);
    EXPECT_EQ(refusal_of([&] { (void)problem.over(*set); }), refusal_of([&] { (void)problem.in_one_process(); }));
    problem.weights[4999] = 2;  // the first row of weight is in the last chunk
    problem.options.clusters = 1;
    EXPECT_TRUE(same_bytes(problem.over(*set), problem.in_one_process()));
}

TEST(Shards, OtherInputIsRefused) {
    ShardedProblem none{{}, 3};
    const auto set = in_process(none.rows(), {}, Metric::euclidean, 2, 1024);
    EXPECT_EQ(refusal_of([&] { (void)none.over(*set); }), refusal_of([&] { (void)none.in_one_process(); }));
    ShardedProblem few{blobs_of(4, 2, 2), 2};
    few.options.clusters = 5;
    EXPECT_EQ(refusal_of([&] { (void)few.over(*set); }), refusal_of([&] { (void)few.in_one_process(); }));
    few.options = {.clusters = 2, .method = Method::sequential};
    EXPECT_NE(refusal_of([&] { (void)few.over(*set); }).find("sequential"), std::string::npos);
    EXPECT_NE(refusal_of([&] { (void)few.over(*set, 1000); }).find("multiple of 1024"), std::string::npos);
    EXPECT_NE(refusal_of([&] { (void)in_process(few.rows(), {}, Metric::euclidean, {0, 2}, 1024); }).find("borders"),
              std::string::npos);
    EXPECT_NE(refusal_of([&] { Shard().add(1000, few.rows()); }).find("1,024"), std::string::npos);
}

TEST(Shards, LabelsMayStayWithTheShards) {
    ShardedProblem problem{blobs_of(3000, 2, 4), 2};
    problem.options = {.clusters = 4};
    Shard shard;
    for (const Offset first : {0, 1024, 2048}) {
        const auto rows = static_cast<Index>(std::min<Offset>(1024, 3000 - first));
        shard.add(first, {problem.points.data() + first * 2, rows, 2});
    }
    CallbackShards set([&](const Message& request) { return shard.answer(request); });
    const Result expected = problem.in_one_process(), found = problem.over(set, 1024, {}, {.labels = false});
    EXPECT_TRUE(found.labels.empty());
    EXPECT_EQ(found.counts, expected.counts);
    std::vector<Index> labels;
    for (const Message& response :
         shard.answer(labels_request(problem.shape(), found.centroids.view(), Metric::euclidean))) {
        const std::vector<Index> here = labels_of(response);
        EXPECT_EQ(describe(response).rows, static_cast<Index>(here.size()));
        labels.insert(labels.end(), here.begin(), here.end());
    }
    EXPECT_EQ(labels, expected.labels);
}

/// A stop between two iterations: the centroids of that iteration, and their labels.
TEST(Shards, ACancelledRunHasItsLastIteration) {
    ShardedProblem problem{blobs_of(4000, 2, 9), 2};
    problem.options = {.clusters = 9, .start = Start::random, .iterations = 50, .stop = Rule::never};
    const auto set = in_process(problem.rows(), {}, Metric::euclidean, 2, 1024);
    std::stop_source source;
    dunlin::Run run;
    run.stop = source.get_token();
    Driving driving;
    driving.on_checkpoint = [&](const Message& state) {
        if (describe(state).iteration == 3) source.request_stop();
    };
    const Result stopped = problem.over(*set, 1024, run, driving);
    EXPECT_EQ(stopped.stopped, Stopped::cancelled);
    EXPECT_EQ(stopped.iterations, 3);
    problem.options.iterations = 3;
    const Result expected = problem.in_one_process();
    EXPECT_TRUE(same_bytes(stopped.labels, expected.labels));
    EXPECT_TRUE(same_bytes(values_of(stopped.centroids), values_of(expected.centroids)));
    const Result none = problem.over(*set, 1024, run);
    EXPECT_EQ(none.stopped, Stopped::cancelled);
    EXPECT_TRUE(none.labels.empty());
}

}  // namespace
}  // namespace dunlin::kmeans

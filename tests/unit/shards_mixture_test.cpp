// SPDX-License-Identifier: Apache-2.0
#include <dunlin/shards.hpp>

#include <cmath>
#include <limits>
#include <stop_token>

#include "cases/shards.hpp"
#include "mixture/expectation.hpp"
#include "shards/message.hpp"

/// Mixtures over shards beside one process.
namespace dunlin::mixture {
namespace {

using kmeans::in_process;
using kmeans::refusal_of;
using kmeans::same_bytes;
using kmeans::ShardedProblem;
using kmeans::WatchedShard;

ShardedProblem rows_of(Index n, Index cols, std::uint64_t seed = 1) {
    return {kmeans::blobs_of(n, cols, 4, seed), cols};
}

::testing::AssertionResult same_mixture(const Result& a, const Result& b) {
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    // Named, since g++ 12 warns of the temporaries' memory under the thread sanitizer
    const std::vector<float> means = kmeans::values_of(a.means), expected_means = kmeans::values_of(b.means);
    if (!same_bytes(a.shares, b.shares)) return ::testing::AssertionFailure() << "shares differ";
    if (!same_bytes(means, expected_means)) return ::testing::AssertionFailure() << "means differ";
    if (!same_bytes(a.variances, b.variances)) return ::testing::AssertionFailure() << "variances differ";
    if (!same_bytes(a.labels, b.labels)) return ::testing::AssertionFailure() << "labels differ";
    if (bits(a.log_likelihood) != bits(b.log_likelihood) || bits(a.bic) != bits(b.bic))
        return ::testing::AssertionFailure() << "log likelihood " << a.log_likelihood << ", " << b.log_likelihood;
    if (a.iterations != b.iterations || a.stopped != b.stopped)
        return ::testing::AssertionFailure() << "iterations " << a.iterations << ", " << b.iterations;
    return ::testing::AssertionSuccess();
}

/// A sum whose value depends on the order.
Expectation number(std::size_t i) {
    Expectation sum;
    sum.log_likelihood = std::pow(-1.7, static_cast<double>(i % 41)) / (static_cast<double>(i) + 3);
    return sum;
}

/// By the definition: the first half, the largest power of two below the number, and the rest.
double sum_in_pairs(std::size_t first, std::size_t count) {
    if (count == 1) return number(first).log_likelihood;
    const std::size_t half = std::bit_floor(count - 1);
    return sum_in_pairs(first, half) + sum_in_pairs(first + half, count - half);
}

TEST(MixtureSums, InPairsForAnyNodes) {
    for (std::size_t count = 1; count < 70; ++count) {
        for (const std::size_t node : {1U, 2U, 4U, 16U, 128U}) {
            PairwiseSum sum;
            for (std::size_t first = 0; first < count; first += node) {
                PairwiseSum part;
                for (std::size_t i = first; i < std::min(first + node, count); ++i) part.add(number(i));
                sum.add(part.total());
            }
            EXPECT_EQ(sum.total().log_likelihood, sum_in_pairs(0, count)) << count << " by " << node;
        }
    }
}

TEST(MixtureSums, NodesOfAChunk) {
    EXPECT_EQ(node_rows(1024), 1024);
    EXPECT_EQ(node_rows(3072), 1024);
    EXPECT_EQ(node_rows(1 << 17), 1 << 17);
    EXPECT_EQ(node_rows(5 << 13), 1 << 13);
}

TEST(ShardsMixture, AnyNumberGivesTheBytesOfOneProcess) {
    for (const Index n : {1, 2, 255, 256, 257, 1025, 6011}) {
        for (const Index cols : {1, 3}) {
            for (const Covariance covariance :
                 {Covariance::diagonal, Covariance::full, Covariance::spherical, Covariance::tied}) {
                const ShardedProblem rows = rows_of(n, cols);
                const Options options{.components = std::min<Index>(n, 4), .covariance = covariance, .iterations = 6};
                const Result expected = fit(rows.rows(), options);
                for (const int shards : {1, 2, 3, 8}) {
                    const auto set = in_process(rows.rows(), {}, kmeans::Metric::euclidean, shards, 1024);
                    EXPECT_TRUE(same_mixture(fit(*set, rows.shape(), options), expected))
                        << shards << " shards, " << n << " x " << cols << " " << name_of(covariance);
                }
            }
        }
    }
}

TEST(ShardsMixture, UnevenAndEmptyShardsAndChunksOfAnySize) {
    const ShardedProblem rows = rows_of(7100, 2);
    const Options options{.components = 3, .covariance = Covariance::full};
    const Result expected = fit(rows.rows(), options, {.threads = 1});
    for (const Offset chunk : {1024, 2048, 3072, 8192, 0}) {
        const Offset chunks = chunk == 0 ? 1 : (7100 + chunk - 1) / chunk;
        const std::vector<std::vector<Offset>> all{{0, 0, chunks}, {0, chunks - 1, chunks - 1, chunks}, {0, chunks}};
        for (const auto& borders : all) {
            const auto set = in_process(rows.rows(), {}, kmeans::Metric::euclidean, borders, chunk);
            EXPECT_TRUE(same_mixture(fit(*set, rows.shape(chunk), options), expected))
                << borders.size() - 1 << " shards, chunks of " << chunk;
        }
    }
}

/// More components than one register has numbers, and rows far from most of them.
TEST(ShardsMixture, ManyComponents) {
    const ShardedProblem rows = rows_of(5000, 12);
    const Options options{.components = 37, .iterations = 4, .tolerance = 0};
    const auto set = in_process(rows.rows(), {}, kmeans::Metric::euclidean, 3, 1024);
    EXPECT_TRUE(same_mixture(fit(*set, rows.shape(), options), fit(rows.rows(), options)));
}

TEST(ShardsMixture, NoFailureChangesAByte) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const ShardedProblem rows = rows_of(1500 + static_cast<Index>(seed % 7) * 600, 2, seed / 20);
        const Options options{.components = 3,
                              .covariance = seed % 2 == 0 ? Covariance::full : Covariance::diagonal,
                              .iterations = 4,
                              .tolerance = 0};
        kmeans::FailingShards shards(rows, seed);
        ASSERT_TRUE(same_mixture(fit(shards, rows.shape(), options, {.threads = 1}), fit(rows.rows(), options)))
            << "schedule " << seed;
    }
}

/// A driver that ends after any state, and another that continues with shards that know nothing.
TEST(ShardsMixture, ResumesFromEveryState) {
    const ShardedProblem rows = rows_of(3000, 2);
    for (const Covariance covariance : {Covariance::diagonal, Covariance::full, Covariance::tied}) {
        const Options options{.components = 3, .covariance = covariance, .tolerance = 1e-2};
        const Result expected = fit(rows.rows(), options);
        EXPECT_EQ(expected.stopped, Stopped::converged);
        std::vector<kmeans::Message> states;
        WatchedShard first(rows);
        kmeans::Driving driving;
        driving.on_checkpoint = [&](const kmeans::Message& state) { states.push_back(state); };
        EXPECT_TRUE(same_mixture(fit(first.set, rows.shape(), options, {}, driving), expected));
        EXPECT_GT(states.size(), static_cast<std::size_t>(expected.iterations));
        for (const kmeans::Message& state : states) {
            WatchedShard fresh(rows);
            EXPECT_TRUE(same_mixture(fit(fresh.set, rows.shape(), options, {}, {.resume = state}), expected));
        }
        WatchedShard last(rows);
        (void)fit(last.set, rows.shape(), options, {}, {.resume = states.back()});
        EXPECT_EQ(std::count(last.kinds.begin(), last.kinds.end(), "expect"), 1);
        const auto refused = [&](const Options& other) {
            return refusal_of([&] { (void)fit(last.set, rows.shape(), other, {}, {.resume = states.back()}); });
        };
        Options other = options;
        other.floor = 1e-3;
        EXPECT_NE(refused(other).find("another run (mixture"), std::string::npos) << refused(other);
        EXPECT_NE(refusal_of([&] {
                      (void)kmeans::cluster(last.set, rows.shape(), {.clusters = 3}, {}, {},
                                            {.epoch = 9, .resume = states.back()});
                  }).find("another run"),
                  std::string::npos);
    }
}

TEST(ShardsMixture, LabelsMayStayWithTheShards) {
    const ShardedProblem rows = rows_of(3000, 2);
    const Options options{.components = 3, .covariance = Covariance::full};
    WatchedShard there(rows);
    kmeans::Message request;
    const Result found = fit(there.set, rows.shape(), options, {}, {.labels = false}, &request);
    EXPECT_TRUE(found.labels.empty());
    std::vector<Index> labels;
    for (const kmeans::Message& response : there.shard.answer(request)) {
        const std::vector<Index> here = kmeans::labels_of(response);
        labels.insert(labels.end(), here.begin(), here.end());
    }
    EXPECT_EQ(labels, fit(rows.rows(), options).labels);
}

/// After each number of requests: what one process has when it is stopped in the same step.
TEST(ShardsMixture, AStopLeavesTheLastWholeIteration) {
    const ShardedProblem rows = rows_of(3000, 2);
    const Options options{.components = 3, .iterations = 4, .tolerance = 0};
    const auto after = [&](int iterations) {
        Options fewer = options;
        fewer.iterations = iterations;
        return fit(rows.rows(), fewer);
    };
    for (const bool asks : {true, false}) {
        for (int step = 1; step <= 5; ++step) {  // the fifth is the final expectation step
            std::stop_source stop;
            WatchedShard there(rows);
            int steps = 0;
            kmeans::CallbackShards set([&](const kmeans::Message& request) {
                if (kmeans::describe(request).kind == "expect" && ++steps == step) stop.request_stop();
                return there.shard.answer(request);
            });
            const Result stopped =
                fit(set, rows.shape(), options, {.stop = stop.get_token()}, {.ask_after_stop = asks});
            EXPECT_EQ(stopped.stopped, Stopped::cancelled);
            EXPECT_EQ(stopped.iterations, step - 1);
            EXPECT_EQ(stopped.variances, after(step - 1).variances);
            if (step == 1) {
                EXPECT_TRUE(std::isnan(stopped.log_likelihood));
            } else {
                EXPECT_EQ(stopped.log_likelihood, after(step - 2).log_likelihood);
            }
            const std::vector<Index> labels =
                step == 1 ? kmeans::cluster(rows.rows(), {.clusters = 3}).labels : after(step - 2).labels;
            EXPECT_EQ(stopped.labels, asks ? labels : std::vector<Index>());
        }
    }
}

TEST(ShardsMixture, BadInputIsRefusedAsInOneProcess) {
    ShardedProblem rows = rows_of(3000, 2);
    const auto set = in_process(rows.rows(), {}, kmeans::Metric::euclidean, 2, 1024);
    const auto expect_same = [&](const Options& options, Offset row = -1) {
        EXPECT_EQ(refusal_of([&] { (void)fit(*set, rows.shape(), options); }, row),
                  refusal_of([&] { (void)fit(rows.rows(), options); }, row));
    };
    expect_same({.components = 3001});
    expect_same({.components = 0});
    expect_same({.floor = 0});
    EXPECT_NE(refusal_of([&] { (void)fit(*set, rows.shape(), {.restarts = 2}); }).find("restarts is 2"),
              std::string::npos);
    kmeans::Shape weighted = rows.shape();
    weighted.weighted = true;
    EXPECT_NE(refusal_of([&] { (void)fit(*set, weighted); }).find("without weights"), std::string::npos);
    EXPECT_NE(refusal_of([&] { (void)fit(*set, rows.shape(), {}, {.memory = 100}); }).find("8 diagonal Gaussians"),
              std::string::npos);
    rows.points[std::size_t{2} * 1500] = std::numeric_limits<float>::quiet_NaN();
    expect_same({}, 1500);
    ShardedProblem line{{}, 2};
    for (Index r = 0; r < 2000; ++r) line.points.push_back(static_cast<float>(r / 2 % 2));
    const auto flat = in_process(line.rows(), {}, kmeans::Metric::euclidean, 2, 1024);
    const Options tiny{.components = 1, .covariance = Covariance::full, .floor = 1e-30};
    EXPECT_NE(refusal_of([&] { (void)fit(*flat, line.shape(), tiny); }).find("larger floor"), std::string::npos);
    const ShardedProblem none{{}, 2};
    const auto empty = in_process(none.rows(), {}, kmeans::Metric::euclidean, 2, 1024);
    EXPECT_EQ(refusal_of([&] { (void)fit(*empty, none.shape()); }), refusal_of([&] { (void)fit(none.rows()); }));
}

TEST(ShardsMixture, ARequestThatDoesNotFitIsRefused) {
    const ShardedProblem rows = rows_of(2000, 2);
    WatchedShard there(rows);
    kmeans::Message request;
    (void)fit(there.set, rows.shape(), {.components = 2}, {}, {}, &request);
    const auto refused = [&](const auto& change) {
        auto changed = kmeans::decoded<kmeans::ShardRequest>(request);
        change(changed);
        return refusal_of([&] { (void)there.shard.answer(encoded(changed)); });
    };
    using kmeans::ShardRequest;
    EXPECT_NE(refused([](ShardRequest& r) { r.components.pop_back(); }).find("columns"), std::string::npos);
    EXPECT_NE(refused([](ShardRequest& r) { r.count = 9; }).find("columns"), std::string::npos);
    EXPECT_NE(refused([](ShardRequest& r) { r.count = 0; }).find("columns"), std::string::npos);
    EXPECT_NE(refused([](ShardRequest& r) { r.covariance = Covariance::full; }).find("columns"), std::string::npos);
    EXPECT_NE(refused([](ShardRequest& r) { r.node = 0; }).find("no rows"), std::string::npos);
    EXPECT_NE(refused([](ShardRequest& r) { r.covariance = static_cast<Covariance>(7); }).find("name"),
              std::string::npos);
}

}  // namespace
}  // namespace dunlin::mixture

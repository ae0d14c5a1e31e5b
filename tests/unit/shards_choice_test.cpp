// SPDX-License-Identifier: Apache-2.0
#include <dunlin/shards.hpp>

#include <limits>
#include <stop_token>
#include <thread>

#include <dunlin/error.hpp>

#include "cases/shards.hpp"

namespace dunlin::kmeans {
namespace {

Choice chosen_in_one_process(const ShardedProblem& problem, Index most, Criterion criterion, const Run& run = {}) {
    return choose(problem.rows(), most, criterion, problem.options, run);
}

Choice chosen_over(ShardSet& set, const ShardedProblem& problem, Index most, Criterion criterion, const Run& run = {},
                   const Driving& driving = {}) {
    return choose(set, problem.shape(), most, criterion, problem.options, run, driving);
}

::testing::AssertionResult same_choice(const Choice& a, const Choice& b) {
    if (a.curve.size() != b.curve.size()) return ::testing::AssertionFailure() << "curves have other lengths";
    for (std::size_t i = 0; i < a.curve.size(); ++i) {
        const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
        if (a.curve[i].clusters != b.curve[i].clusters || bits(a.curve[i].inertia) != bits(b.curve[i].inertia) ||
            bits(a.curve[i].value) != bits(b.curve[i].value)) {
            return ::testing::AssertionFailure() << "curves differ at " << a.curve[i].clusters
                                                 << " clusters: " << a.curve[i].value << ", " << b.curve[i].value;
        }
    }
    if (a.best.options.clusters != b.best.options.clusters) return ::testing::AssertionFailure() << "another number";
    return same_bytes(a.best, b.best);
}

TEST(ShardsChoice, EveryCriterionGivesTheBytesOfOneProcess) {
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
        for (const Criterion criterion : {Criterion::bic, Criterion::aic, Criterion::silhouette}) {
            for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
                ShardedProblem problem{blobs_of(6011, 3, 5, 7), 3};
                problem.options = {.clusters = 2, .metric = metric, .start = start, .restarts = 2, .iterations = 6};
                const Choice expected = chosen_in_one_process(problem, 7, criterion);
                EXPECT_EQ(expected.curve.size(), 6U);
                for (const int shards : {1, 3}) {
                    const auto set = in_process(problem.rows(), {}, metric, shards, 1024);
                    EXPECT_TRUE(same_choice(chosen_over(*set, problem, 7, criterion), expected))
                        << shards << " shards, " << name_of(metric) << " " << name_of(criterion) << " "
                        << name_of(start);
                }
            }
        }
    }
}

TEST(ShardsChoice, FewAndEqualRows) {
    for (const Index n : {1, 2, 3, 1025}) {
        for (const Criterion criterion : {Criterion::bic, Criterion::aic}) {
            ShardedProblem problem{blobs_of(n, 2, 2), 2};
            problem.options.clusters = 1;
            const auto set = in_process(problem.rows(), {}, Metric::euclidean, 2, 1024);
            const Index most = std::min<Index>(n, 4);
            EXPECT_TRUE(same_choice(chosen_over(*set, problem, most, criterion),
                                    chosen_in_one_process(problem, most, criterion)))
                << n << " rows";
        }
    }
    ShardedProblem duplicates{{}, 1};
    for (Index r = 0; r < 3000; ++r) duplicates.points.push_back(static_cast<float>(r % 3));
    duplicates.options.clusters = 2;
    const auto set = in_process(duplicates.rows(), {}, Metric::euclidean, 3, 1024);
    for (const Criterion criterion : {Criterion::bic, Criterion::aic, Criterion::silhouette}) {
        const Choice found = chosen_over(*set, duplicates, 5, criterion);
        EXPECT_TRUE(same_choice(found, chosen_in_one_process(duplicates, 5, criterion))) << name_of(criterion);
        EXPECT_EQ(found.best.options.clusters, criterion == Criterion::silhouette ? 3 : 2) << name_of(criterion);
    }
}

TEST(ShardsChoice, WhatCannotBeTriedIsRefusedAsInOneProcess) {
    ShardedProblem problem{blobs_of(3000, 2, 3), 2};
    const auto set = in_process(problem.rows(), {}, Metric::euclidean, 2, 1024);
    const auto expect_same = [&](const ShardedProblem& p, Index most, Criterion criterion) {
        EXPECT_EQ(refusal_of([&] { (void)chosen_over(*set, p, most, criterion); }),
                  refusal_of([&] { (void)chosen_in_one_process(p, most, criterion); }));
    };
    expect_same(problem, 7, Criterion::bic);  // from 8
    expect_same(problem, 3001, Criterion::bic);
    problem.options.clusters = 1;
    expect_same(problem, 3, Criterion::silhouette);
    expect_same(ShardedProblem{{}, 2}, 8, Criterion::bic);
    problem.points[std::size_t{2} * 1500] = std::numeric_limits<float>::quiet_NaN();
    expect_same(problem, 3, Criterion::bic);
    problem.options.method = Method::sequential;
    EXPECT_NE(refusal_of([&] { (void)chosen_over(*set, problem, 3, Criterion::bic); }).find("sequential"),
              std::string::npos);
    Shape weighted = problem.shape();
    weighted.weighted = true;
    EXPECT_NE(refusal_of([&] { (void)choose(*set, weighted, 9, Criterion::bic); }).find("without weights"),
              std::string::npos);
}

/// Two requests for rows: the initial centroids of a number of clusters, and, once, the sample.
TEST(ShardsChoice, TheSilhouetteAsksForTheRowsOfItsSampleOnce) {
    ShardedProblem problem{blobs_of(3000, 2, 3), 2};
    problem.options = {.clusters = 2, .start = Start::random};
    WatchedShard silhouette(problem), bic(problem);
    (void)chosen_over(silhouette.set, problem, 5, Criterion::silhouette);
    (void)chosen_over(bic.set, problem, 5, Criterion::bic);
    EXPECT_EQ(std::count(silhouette.kinds.begin(), silhouette.kinds.end(), "rows"), 4 + 1);
    EXPECT_EQ(std::count(bic.kinds.begin(), bic.kinds.end(), "rows"), 4);
    EXPECT_EQ(std::count(bic.kinds.begin(), bic.kinds.end(), "measure"), 1);
}

/// A driver that ends after any state, and another that continues with shards that know nothing.
TEST(ShardsChoice, ResumesFromEveryState) {
    ShardedProblem problem{blobs_of(2500, 2, 4, 3), 2};
    problem.options = {.clusters = 2, .restarts = 2, .iterations = 4};
    for (const Criterion criterion : {Criterion::bic, Criterion::silhouette}) {
        const Choice expected = chosen_in_one_process(problem, 5, criterion);
        std::vector<Message> states;
        Driving driving;
        driving.on_checkpoint = [&](const Message& state) { states.push_back(state); };
        WatchedShard first(problem);
        EXPECT_TRUE(same_choice(chosen_over(first.set, problem, 5, criterion, {}, driving), expected));
        EXPECT_GE(states.size(), 4U * 2);
        for (const Message& state : states) {
            WatchedShard fresh(problem);
            const Choice found = chosen_over(fresh.set, problem, 5, criterion, {}, {.resume = state});
            EXPECT_TRUE(same_choice(found, expected));
            EXPECT_FALSE(found.best.engines.empty());
        }
        WatchedShard other(problem);
        const auto resume = [&](Index most, Criterion by) {
            return refusal_of([&] { (void)chosen_over(other.set, problem, most, by, {}, {.resume = states.back()}); });
        };
        EXPECT_NE(resume(6, criterion).find("another run (up to 5"), std::string::npos);
        EXPECT_NE(resume(5, Criterion::aic).find("another run"), std::string::npos);
        ShardedProblem moved = problem;
        moved.points[0] += 100;
        WatchedShard elsewhere(moved);
        EXPECT_NE(refusal_of([&] {
                      (void)chosen_over(elsewhere.set, moved, 5, criterion, {}, {.resume = states.back()});
                  }).find("rows are not those"),
                  std::string::npos);
    }
}

TEST(ShardsChoice, AStopEndsTheCurveBeforeWhatIsNotWhole) {
    ShardedProblem problem{blobs_of(3000, 3, 6, 4), 3};
    problem.options.clusters = 2;
    for (const bool asks : {true, false}) {
        std::stop_source stop;
        dunlin::Run run{.stop = stop.get_token()};
        run.on_progress = [&](const Progress& progress) {
            if (progress.stage == "start" && progress.total == 4) stop.request_stop();
        };
        const auto set = in_process(problem.rows(), {}, Metric::euclidean, 2, 1024);
        const Choice choice = chosen_over(*set, problem, 10, Criterion::bic, run, {.ask_after_stop = asks});
        EXPECT_EQ(choice.curve.size(), 2U);
        EXPECT_EQ(choice.best.stopped, Stopped::cancelled);
        EXPECT_LE(choice.best.options.clusters, 3);
        EXPECT_EQ(choice.best.labels.size(), asks ? 3000U : 0U);
    }
}

/// Shards that are out of reach: ask returns when the run stops, and nothing is asked after that.
TEST(ShardsWaiting, AStopEndsAWaitAndProgressIsRepeated) {
    ShardedProblem problem{blobs_of(4000, 2, 9), 2};
    problem.options = {.clusters = 9, .start = Start::random, .iterations = 50, .stop = Rule::never};
    WatchedShard there(problem);
    std::stop_source stop;
    int told = 0, last = -1, asked_after = 0;
    bool waits = false;
    dunlin::Run run{.threads = 1, .stop = stop.get_token()};
    run.on_progress = [&](const Progress& progress) {
        if (waits && ++told == 3) stop.request_stop();
        if (progress.stage == "optimize") last = static_cast<int>(progress.done);
    };
    CallbackShards set([&](const Message& request) -> std::vector<Message> {
        if (waits) ++asked_after;
        waits = waits || (describe(request).kind == "assign" && describe(request).iteration == 4);
        if (!waits) return there.shard.answer(request);
        while (!should_stop_waiting()) std::this_thread::yield();
        return {};
    });
    const Result stopped = problem.over(set, 1024, run, {.ask_after_stop = false});
    EXPECT_EQ(told, 3);
    EXPECT_EQ(asked_after, 0);
    EXPECT_EQ(last, 3);
    EXPECT_EQ(stopped.stopped, Stopped::cancelled);
    EXPECT_EQ(stopped.iterations, 3);
    EXPECT_TRUE(stopped.labels.empty() && stopped.counts.empty() && std::isnan(stopped.inertia));
    problem.options.iterations = 3;
    EXPECT_TRUE(same_bytes(values_of(stopped.centroids), values_of(problem.in_one_process().centroids)));
    EXPECT_FALSE(should_stop_waiting());  // no run
}

/// While labels are asked for after a stop, shards wait for all of them.
TEST(ShardsWaiting, WhatAStopDoesNotEndIsWaitedFor) {
    ShardedProblem problem{blobs_of(4000, 2, 9), 2};
    problem.options = {.clusters = 9, .start = Start::random, .iterations = 50, .stop = Rule::never};
    WatchedShard there(problem);
    std::stop_source stop;
    CallbackShards set([&](const Message& request) -> std::vector<Message> {
        if (describe(request).iteration == 3) stop.request_stop();
        if (should_stop_waiting()) return {};
        return there.shard.answer(request);
    });
    const Result stopped = problem.over(set, 1024, {.stop = stop.get_token()});
    EXPECT_EQ(stopped.stopped, Stopped::cancelled);
    EXPECT_EQ(stopped.iterations, 2);
    EXPECT_EQ(stopped.labels.size(), 4000U);
}

}  // namespace
}  // namespace dunlin::kmeans

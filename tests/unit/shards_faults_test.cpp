// SPDX-License-Identifier: Apache-2.0
#include <dunlin/shards.hpp>

#include <dunlin/error.hpp>

#include "cases/shards.hpp"
#include "shards/message.hpp"

namespace dunlin::kmeans {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A problem of 200 to 5,000 rows; every fifth has empty clusters at first.
ShardedProblem problem_of(std::uint64_t seed) {
    const auto below = [&](std::uint64_t bound, std::uint64_t item) {
        return static_cast<int>(math::random_below(bound, seed, item));
    };
    const Index n = 200 + below(3, 0) * below(2401, 1), cols = 1 + below(3, 2);
    ShardedProblem problem{blobs_of(n, cols, 3, seed, 1), cols};
    if (below(3, 3) == 0) problem.weights = weights_of_rows(n);
    problem.options = {.clusters = 2 + below(4, 4),
                       .metric = static_cast<Metric>(below(2, 5)),
                       .start = static_cast<Start>(below(3, 6)),
                       .restarts = 1 + below(5, 7) / 4,
                       .iterations = 2 + below(4, 8),
                       .stop = static_cast<Rule>(below(3, 9))};
    if (seed % 5 != 0) return problem;
    problem.options.restarts = 1;
    problem.centroids = first_rows(problem.points, problem.options.clusters, cols);
    for (Index c = 0; c < cols; ++c) problem.centroids[static_cast<std::size_t>(c)] = -1e6F;
    return problem;
}

TEST(Shards, NoFailureChangesAByte) {
    int failures = 0;
    for (std::uint64_t p = 0; p < 100; ++p) {
        const ShardedProblem problem = problem_of(p);
        const Result expected = problem.in_one_process({.threads = 1});
        for (std::uint64_t schedule = 0; schedule < 100; ++schedule) {
            FailingShards shards(problem, p * 100 + schedule);
            ASSERT_TRUE(same_bytes(problem.over(shards, 1024, {.threads = 1}), expected))
                << "problem " << p << ", schedule " << schedule;
            failures += shards.failures();
        }
    }
    EXPECT_GT(failures, 10'000);
}

/// A fresh shard that is asked any one request of a run, in any order, gives the bytes of the shard that saw them all.
TEST(Shards, AResponseDependsOnRowsAndRequestAlone) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 5U, 10U}) {
        const ShardedProblem problem = problem_of(seed);
        Shard shard = shard_of_all(problem);
        std::vector<Message> requests;
        std::vector<std::vector<Message>> responses;
        CallbackShards recorded([&](const Message& request) {
            requests.push_back(request);
            return responses.emplace_back(shard.answer(request));
        });
        (void)problem.over(recorded);
        Shard backwards = shard_of_all(problem);
        for (std::size_t i = requests.size(); i-- > 0;) {
            EXPECT_EQ(backwards.answer(requests[i]), responses[i]) << describe(requests[i]).kind;
            EXPECT_EQ(shard_of_all(problem).answer(requests[i]), responses[i]) << describe(requests[i]).kind;
        }
    }
}

TEST(Shards, ADamagedMessageIsRefused) {
    const ShardedProblem problem = problem_of(1);
    Shard shard = shard_of_all(problem);
    Message request = labels_request(problem.shape(), view(first_rows(problem.points, 2, problem.cols), problem.cols),
                                     problem.options.metric);
    const MessageInfo info = describe(request);
    EXPECT_EQ(info.kind, "labels");
    EXPECT_EQ(info.chunk, -1);
    EXPECT_EQ(info.epoch, 1U);
    const std::vector<Message> responses = shard.answer(request);
    EXPECT_EQ(describe(responses[0]).chunk, 0);
    for (std::size_t size = 0; size < request.size(); ++size) {
        const std::span<const std::byte> part(request.data(), size);
        EXPECT_TRUE(contains(refusal_of([&] { (void)shard.answer(part); }), size < 56 ? "only" : "checksum"));
    }
    for (std::byte& byte : request) {
        byte ^= std::byte{0x10};
        EXPECT_TRUE(contains(refusal_of([&] { (void)shard.answer(request); }), "message"));
        byte ^= std::byte{0x10};
    }
    Message longer = request;
    longer.resize(longer.size() + 8);
    seal(longer);
    EXPECT_TRUE(contains(refusal_of([&] { (void)shard.answer(longer); }), "more bytes"));
    auto other = decoded<ShardRequest>(request);
    const std::string reads = "reads version " + std::to_string(message_version);
    for (const std::uint32_t version : {1U, message_version - 1, message_version + 1, 99U}) {
        other.header.version = version;
        const std::string why = refusal_of([&] { (void)shard.answer(encoded(other)); });
        EXPECT_TRUE(contains(why, "version is " + std::to_string(version)) && contains(why, reads)) << why;
        EXPECT_EQ(refusal_of([&] { (void)describe(encoded(other)); }), why);
    }
    EXPECT_TRUE(contains(refusal_of([&] { (void)shard.answer(responses[0]); }), "response"));
    EXPECT_TRUE(contains(refusal_of([&] { (void)labels_of(request.size() > 0 ? Message(60) : request); }), "begin"));
    EXPECT_EQ(shard.answer(request), responses);
    const std::vector<Offset> some{0}, none{512};
    EXPECT_EQ(shard.answer(request, some), std::vector<Message>{responses[0]});
    EXPECT_TRUE(contains(refusal_of([&] { (void)shard.answer(request, none); }), "no chunk that begins at row 512"));
}

/// Sealed correctly, but no request for these rows.
TEST(Shards, ARequestThatDoesNotFitIsRefused) {
    const ShardedProblem problem{blobs_of(2000, 2, 3), 2};
    Shard shard = shard_of_all(problem);
    std::vector<Message> requests;
    CallbackShards set([&](const Message& request) {
        requests.push_back(request);
        return shard.answer(request);
    });
    (void)problem.over(set);
    const auto last = std::find_if(requests.rbegin(), requests.rend(),
                                   [](const Message& request) { return describe(request).kind == "assign"; });
    const auto expect_refusal = [&](std::string_view why, const auto& change) {
        auto request = decoded<ShardRequest>(*last);
        change(request);
        EXPECT_TRUE(contains(refusal_of([&] { (void)shard.answer(encoded(request)); }), why)) << why;
    };
    expect_refusal("columns", [](ShardRequest& r) { r.cols = 3; });
    expect_refusal("columns", [](ShardRequest& r) { r.centroids.pop_back(); });
    expect_refusal("columns", [](ShardRequest& r) { r.scales.columns.clear(); });
    expect_refusal("metric", [](ShardRequest& r) { r.metric = Metric::cosine; });
    expect_refusal("weights", [](ShardRequest& r) { r.weighted = 1; });
    expect_refusal("beyond", [](ShardRequest& r) { r.rows = 1500; });
    expect_refusal("clusters differ", [](ShardRequest& r) { r.previous.resize(2); });
    expect_refusal("there is not", [](ShardRequest& r) { r.fills = {{0, 99}}; });
    expect_refusal("level", [](ShardRequest& r) { r.level = -1; });
    expect_refusal("no centroids", [](ShardRequest& r) { r.centroids.clear(), r.previous.clear(); });
    expect_refusal("no centroids", [](ShardRequest& r) { r.header.kind = MessageKind::spread, r.centroids.clear(); });
    expect_refusal("clusters differ", [](ShardRequest& r) { r.header.kind = MessageKind::far; });
    expect_refusal("state", [](ShardRequest& r) { r.header.kind = MessageKind::state; });
}

/// Numbers of clusters one after another: a late response to a request for one is not taken for that of the next.
TEST(Shards, AChoiceOverFailingShards) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        ShardedProblem problem{blobs_of(2100, 2, 4, seed), 2};
        problem.options = {.clusters = 2, .start = Start::random, .iterations = 3};
        const Criterion criterion = seed % 2 == 0 ? Criterion::bic : Criterion::silhouette;
        const Choice expected = choose(problem.rows(), 6, criterion, problem.options);
        FailingShards shards(problem, seed);
        const Choice found = choose(shards, problem.shape(), 6, criterion, problem.options);
        EXPECT_TRUE(same_bytes(found.best, expected.best)) << "seed " << seed;
        for (std::size_t i = 0; i < expected.curve.size(); ++i) {
            EXPECT_EQ(found.curve.at(i).value, expected.curve[i].value) << "seed " << seed;
        }
    }
}

/// An old shard beside a new driver, and an old state: one sentence each.
TEST(Shards, AnotherVersionEndsTheRun) {
    const ShardedProblem problem{blobs_of(1500, 2, 3), 2};
    Shard shard = shard_of_all(problem);
    const auto of_version_3 = [](Message message) {
        const std::uint32_t version = 3;
        std::memcpy(message.data() + offsetof(MessageHeader, version), &version, sizeof version);
        seal(message);
        return message;
    };
    CallbackShards old([&](const Message& request) {
        std::vector<Message> responses = shard.answer(request);
        for (Message& response : responses) response = of_version_3(response);
        return responses;
    });
    EXPECT_TRUE(contains(refusal_of([&] { (void)problem.over(old); }), "version is 3"));
    Message state;
    Driving driving;
    driving.on_checkpoint = [&](const Message& now) { state = of_version_3(now); };
    CallbackShards set([&](const Message& request) { return shard.answer(request); });
    (void)problem.over(set, 1024, {}, driving);
    EXPECT_TRUE(contains(refusal_of([&] { (void)problem.over(set, 1024, {}, {.resume = state}); }), "version is 3"));
}

TEST(Shards, ContradictoryOrMissingResponsesEndTheRun) {
    const ShardedProblem problem{blobs_of(3000, 2, 3), 2};
    ShardedProblem other = problem;
    other.points[std::size_t{2} * 1500] += 1;
    Shard one = shard_of_all(problem), two = shard_of_all(other);
    CallbackShards both([&](const Message& request) {
        std::vector<Message> all = one.answer(request);
        for (Message& response : two.answer(request)) all.push_back(std::move(response));
        return all;
    });
    const std::string differ = refusal_of([&] { (void)problem.over(both); });
    EXPECT_TRUE(contains(differ, "chunk 1 (rows 1024 to 2047) differ")) << differ;
    one.remove(2048);
    CallbackShards some([&](const Message& request) { return one.answer(request); });
    const std::string missing = refusal_of([&] { (void)problem.over(some); });
    EXPECT_TRUE(contains(missing, "chunk 2 (rows 2048 to 2999)")) << missing;
    EXPECT_TRUE(contains(refusal_of([&] { (void)problem.over(some, 2048); }), "no chunk"));
}

/// A driver that was replaced is refused by shards that know the new one, and its requests change nothing.
TEST(Shards, AnOlderDriverIsRefused) {
    const ShardedProblem problem{blobs_of(3000, 2, 3), 2};
    Shard shard = shard_of_all(problem);
    CallbackShards set([&](const Message& request) { return shard.answer(request); });
    const Result expected = problem.in_one_process();
    EXPECT_TRUE(same_bytes(problem.over(set, 1024, {}, {.epoch = 4}), expected));
    EXPECT_TRUE(contains(refusal_of([&] { (void)problem.over(set, 1024, {}, {.epoch = 3}); }), "taken over"));
    EXPECT_TRUE(same_bytes(problem.over(set, 1024, {}, {.epoch = 4}), expected));
}

/// A driver that ends after any iteration, and another that continues, also with shards that know nothing.
TEST(Shards, ARunResumesFromEveryState) {
    for (const std::uint64_t seed : {1U, 4U, 5U, 7U, 9U, 10U}) {
        ShardedProblem problem = problem_of(seed);
        if (problem.centroids.empty()) problem.options.restarts = 3;
        const Result expected = problem.in_one_process();
        std::vector<Message> states;
        Shard shard = shard_of_all(problem);
        CallbackShards set([&](const Message& request) { return shard.answer(request); });
        Driving driving;
        driving.on_checkpoint = [&](const Message& state) { states.push_back(state); };
        EXPECT_TRUE(same_bytes(problem.over(set, 1024, {}, driving), expected));
        EXPECT_GE(states.size(), 2U);
        for (const Message& state : states) {
            EXPECT_EQ(describe(state).kind, "state");
            Shard fresh = shard_of_all(problem);
            CallbackShards again([&](const Message& request) {
                EXPECT_EQ(describe(request).epoch, 2U);
                return fresh.answer(request);
            });
            EXPECT_TRUE(same_bytes(problem.over(again, 1024, {}, {.resume = state}), expected));
        }
    }
}

TEST(Shards, AStateOfAnotherRunIsRefused) {
    ShardedProblem problem{blobs_of(3000, 2, 3), 2};
    problem.options.clusters = 3;
    Shard shard = shard_of_all(problem);
    CallbackShards set([&](const Message& request) { return shard.answer(request); });
    Message state;
    Driving driving;
    driving.on_checkpoint = [&](const Message& now) { state = now; };
    (void)problem.over(set, 1024, {}, driving);
    const auto resume = [&](const dunlin::Run& run = {}) {
        return refusal_of([&] { (void)problem.over(set, 1024, run, {.resume = state}); });
    };
    EXPECT_TRUE(contains(resume({.seed = 2}), "seed 2"));
    problem.options.clusters = 4;
    EXPECT_TRUE(contains(resume(), "another run"));
    problem.options.clusters = 3;
    problem.points[0] += 100;
    EXPECT_TRUE(contains(resume(), "rows are not those"));
    state.pop_back();
    EXPECT_TRUE(contains(resume(), "checksum"));
}

/// What a transport throws leaves the driver unchanged.
TEST(Shards, AnExceptionOfTheTransportIsPassedOn) {
    const ShardedProblem problem{blobs_of(100, 2, 3), 2};
    CallbackShards set([](const Message&) -> std::vector<Message> { throw std::runtime_error("no network"); });
    EXPECT_THROW((void)problem.over(set), std::runtime_error);
}

}  // namespace
}  // namespace dunlin::kmeans

// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <dunlin/kmeans.hpp>
#include <dunlin/sparse.hpp>

#include "cases/points.hpp"
#include "cases/resumed.hpp"
#include "kmeans/tried_numbers.hpp"
#include "math/at.hpp"
#include "refusal.hpp"
#include "sparse_rows.hpp"

namespace dunlin::kmeans {
namespace {

using cases::bytes_of;

std::vector<float> blobs(Index n, Index cols) {
    std::vector<float> x(at(Offset{n} * cols));
    for (Index i = 0; i < n; ++i) made::blob(i, cols, x.data() + Offset{i} * cols, 12);
    return x;
}

class ResumedKmeans : public cases::Resumed {};

TEST_F(ResumedKmeans, EveryMethodMetricAndRule) {
    const Index n = 3000;
    for (const Index cols : {2, 20}) {
        const auto x = blobs(n, cols);
        for (const Method method : {Method::lloyd, Method::sequential}) {
            for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
                for (const Rule rule : {Rule::never, Rule::shift, Rule::inertia}) {
                    Options options{.clusters = 30, .metric = metric, .start = Start::random, .iterations = 14};
                    options.method = method;
                    options.stop = rule;
                    SCOPED_TRACE(std::string(name_of(method)) + " " + std::string(name_of(metric)) + " " +
                                 std::string(name_of(rule)) + " " + std::to_string(cols));
                    expect_resumed(
                        [&](const Run& run) { return bytes_of(cluster({x.data(), n, cols}, options, run)); });
                }
            }
        }
    }
}

TEST_F(ResumedKmeans, WeightsEmptyClustersAndGivenCentroids) {
    const Index n = 1000;
    const auto x = blobs(n, 3);
    std::vector<float> weights(at(n));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 4);
    std::vector<float> far(at(Offset{20} * 3), 1e4F);  // all but one begin without rows
    for (std::size_t i = 0; i < far.size(); ++i) far[i] += static_cast<float>(i);
    const Given given{.centroids = {far.data(), 20, 3}, .weights = weights};
    for (const Method method : {Method::lloyd, Method::sequential}) {
        Options options{.clusters = 20, .iterations = 12};
        options.method = method;
        options.stop = Rule::never;
        expect_resumed([&](const Run& run) { return bytes_of(cluster({x.data(), n, 3}, options, run, given)); });
    }
}

TEST_F(ResumedKmeans, Restarts) {
    const Index n = 800;
    const auto x = blobs(n, 4);
    Options options{.clusters = 9, .start = Start::random, .restarts = 5, .iterations = 20};
    int calls = 0;
    std::stop_source source;
    Run run;
    run.checkpoint = path("run.ckpt");
    run.stop = source.get_token();
    run.snapshot_every = 1;
    run.on_progress = [&](const Progress& p) {  // within the third restart
        calls += p.stage == "start" && p.done == 0 ? 1 : 0;
        if (calls == 4 && p.stage == "optimize") source.request_stop();
    };
    cluster({x.data(), n, 4}, options, run);
    Run resumed{.checkpoint = path("run.ckpt"), .resume = true};
    const Result result = cluster({x.data(), n, 4}, options, resumed);
    EXPECT_TRUE(result.checkpoint.resumed);
    EXPECT_TRUE(bytes_of(result) == bytes_of(cluster({x.data(), n, 4}, options)));
}

TEST_F(ResumedKmeans, SparseRows) {
    const SparseMatrix rows = sparse_of(word_counts(400, 60).view());
    Options options{.clusters = 12, .start = Start::random, .iterations = 10};
    options.stop = Rule::never;
    expect_resumed([&](const Run& run) { return bytes_of(cluster(view_of(rows), options, run)); });
}

TEST_F(ResumedKmeans, TheNumberOfClusters) {
    const Index n = 500;
    const auto x = blobs(n, 3);
    const auto choose_by = [&](Criterion criterion) {
        return [&x, criterion](const Run& run) {
            const Choice choice = choose({x.data(), n, 3}, 9, criterion, {.clusters = 2, .iterations = 15}, run);
            std::vector<std::byte> bytes = bytes_of(choice.best);
            for (const auto& tried : choice.curve)
                cases::append(bytes, tried.value), cases::append(bytes, tried.inertia);
            cases::append(bytes, choice.best.options.clusters);
            return bytes;
        };
    };
    expect_resumed(choose_by(Criterion::bic));
    expect_resumed(choose_by(Criterion::silhouette));
}

// What is in memory between the members of a struct is not in the file
TEST(TriedNumbers, FilesHaveNoBytesOfChance) {
    const auto bytes_over = [](int filling) {
        TriedNumbers numbers;
        numbers.choice.curve.resize(2);
        std::memset(static_cast<void*>(numbers.choice.curve.data()), filling, 2 * sizeof(Choice::Tried));
        for (Choice::Tried& tried : numbers.choice.curve) tried.clusters = 3, tried.inertia = 5, tried.value = 7;
        checkpoint::MemoryWriter archive;
        write(archive, numbers);
        return archive.bytes();
    };
    EXPECT_TRUE(bytes_over(0) == bytes_over(255));
}

TEST_F(ResumedKmeans, FewRows) {
    for (const Index n : {1, 2, 33}) {
        const auto x = blobs(n, 2);
        expect_resumed(
            [&](const Run& run) { return bytes_of(cluster({x.data(), n, 2}, {.clusters = 1, .iterations = 5}, run)); });
    }
}

TEST_F(ResumedKmeans, OtherWeightsAreRefused) {
    const auto x = blobs(50, 2);
    std::vector<float> weights(50, 1);
    Run run{.checkpoint = path("a"), .checkpoint_every = 0};
    cluster({x.data(), 50, 2}, {.clusters = 3}, run, {.weights = weights});
    run.resume = true;
    weights[3] = 2;
    EXPECT_NE(refusal(Fault::bad_file, [&] { cluster({x.data(), 50, 2}, {.clusters = 3}, run, {.weights = weights}); })
                  .find("hash of weights"),
              std::string::npos);
}

}  // namespace
}  // namespace dunlin::kmeans

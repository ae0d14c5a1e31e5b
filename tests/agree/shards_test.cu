// SPDX-License-Identifier: Apache-2.0
#include <dunlin/shards.hpp>

#include <cudaTypedefs.h>

#include <thread>

#include <dunlin/error.hpp>

#include "agree.hpp"
#include "cases/shards.hpp"

/// Shards on a GPU, or some of them, beside one process on the CPU: the same bytes.
namespace dunlin::kmeans {
namespace {

constexpr Device cpu = Device::cpu, cuda = Device::cuda;

/// Shards of which some are on a GPU: shard s on devices[s]; chunks are dealt in turn.
class MixedShards final : public ShardSet {
public:
    MixedShards(const ShardedProblem& problem, const std::vector<Device>& devices) {
        for (const Device device : devices)
            shards_.emplace_back(problem.options.metric, Run{.device = device, .threads = 1});
        std::size_t s = 0;
        for (Offset first = 0; first < problem.rows().rows; first += 1024)
            add_chunk(shards_[s++ % shards_.size()], problem, first);
    }
    std::vector<Message> ask(const Message& request) override {
        std::vector<Message> all;
        for (Shard& shard : shards_) {
            for (Message& response : shard.answer(request)) all.push_back(std::move(response));
        }
        return all;
    }

private:
    std::vector<Shard> shards_;
};

/// Over 1, 2, 3 and 8 shards on the GPU, and over mixed ones.
void expect_bytes_of_the_cpu(const ShardedProblem& problem, Offset chunk_rows = 1024) {
    const Result expected = problem.in_one_process({.device = cpu});
    const std::string what = std::to_string(problem.rows().rows) + " x " + std::to_string(problem.cols) + ", " +
                             std::to_string(problem.options.clusters) + " clusters, chunks of " +
                             std::to_string(chunk_rows);
    for (const int shards : {1, 2, 3, 8}) {
        if (agree::only_small() && shards > 2) continue;
        const auto set =
            in_process(problem.rows(), problem.weights, problem.options.metric, shards, chunk_rows, {.device = cuda});
        EXPECT_TRUE(same_bytes(problem.over(*set, chunk_rows), expected)) << shards << " shards, " << what;
    }
    if (chunk_rows != 1024) return;
    for (const std::vector<Device>& devices : {std::vector{cpu, cuda}, std::vector{cuda, cuda, cpu}}) {
        MixedShards mixed(problem, devices);
        EXPECT_TRUE(same_bytes(problem.over(mixed), expected)) << devices.size() << " mixed, " << what;
    }
}

int few_iterations(int iterations) { return agree::only_small() ? 2 : iterations; }

TEST(CudaShards, AnyNumberGivesTheBytesOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : agree::sizes({1, 2, 31, 1024, 1025, 6011})) {
        for (const Index cols : {1, 3, 4, 5, 12}) {
            for (const bool weighted : {false, true}) {
                ShardedProblem problem{blobs_of(n, cols, 6), cols};
                if (weighted) problem.weights = weights_of_rows(n);
                problem.options = {.clusters = std::min<Index>(n, 9), .iterations = few_iterations(12)};
                expect_bytes_of_the_cpu(problem);
            }
        }
    }
}

TEST(CudaShards, EveryOptionGivesTheBytesOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::only_small() ? 1100 : 3100;
    for (const Index cols : {4, 9}) {
        for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
            for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
                for (const Rule rule : {Rule::shift, Rule::inertia, Rule::never}) {
                    for (const bool weighted : {false, true}) {
                        ShardedProblem problem{blobs_of(n, cols, 5, 7), cols};
                        if (weighted) problem.weights = weights_of_rows(n);
                        problem.options = {.clusters = 6,
                                           .metric = metric,
                                           .start = start,
                                           .restarts = 2,
                                           .iterations = few_iterations(7),
                                           .stop = rule};
                        MixedShards mixed(problem, {cuda, cpu});
                        EXPECT_TRUE(same_bytes(problem.over(mixed), problem.in_one_process({.device = cpu})))
                            << cols << " " << name_of(metric) << " " << name_of(start) << " " << name_of(rule);
                    }
                }
            }
        }
    }
}

/// Chunks of one block of the sums' tree, of part of a node, of one node, and of three nodes of 32 blocks.
TEST(CudaShards, ChunksOfAnySizeGiveTheBytesOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {2, 6}) {
        ShardedProblem problem{blobs_of(agree::size(140'001), cols, 6), cols};
        problem.weights = weights_of_rows(problem.rows().rows);
        problem.options = {.clusters = 5, .iterations = few_iterations(4), .stop = Rule::inertia};
        for (const Offset rows : {1024, 3072, 32768, 98304, 0}) expect_bytes_of_the_cpu(problem, rows);
    }
}

TEST(CudaShards, UnevenAndEmptyOnes) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {2, 7}) {
        ShardedProblem problem{blobs_of(agree::only_small() ? 1400 : 6500, cols, 5), cols};
        problem.options = {.clusters = 7, .restarts = 2, .iterations = few_iterations(20)};
        const Result expected = problem.in_one_process({.device = cpu});
        const Offset chunks = (problem.rows().rows + 1023) / 1024;
        const std::vector<std::vector<Offset>> all{{0, 0, 1, chunks}, {0, chunks - 1, chunks - 1, chunks, chunks}};
        for (const auto& borders : all) {
            const auto set = in_process(problem.rows(), {}, Metric::euclidean, borders, 1024, {.device = cuda});
            EXPECT_TRUE(same_bytes(problem.over(*set), expected)) << borders.size() - 1 << " shards";
        }
    }
}

/// Many columns, clusters, both; and few columns with more clusters than the small-K kernel takes.
TEST(CudaShards, ManyClustersAndColumns) {
    DUNLIN_NEEDS_GPU();
    struct Size {
        Index cols, clusters;
    };
    for (const Size size : {Size{70, 300}, Size{3, 128}, Size{3, 129}, Size{200, 10}}) {
        ShardedProblem problem{blobs_of(agree::only_small() ? 1200 : 2300, size.cols, 200), size.cols};
        problem.options = {.clusters = size.clusters, .start = Start::random, .iterations = few_iterations(4)};
        expect_bytes_of_the_cpu(problem);
        problem.options.start = Start::parallel;
        MixedShards mixed(problem, {cuda, cpu});
        EXPECT_TRUE(same_bytes(problem.over(mixed), problem.in_one_process({.device = cpu}))) << size.clusters;
    }
}

/// Labels change for many iterations, and rows whose bound has not expired are not read.
TEST(CudaShards, ManyIterations) {
    DUNLIN_NEEDS_GPU();
    for (const float scale : {1.0F, 1e-16F, 1e12F}) {
        ShardedProblem problem{blobs_of(agree::only_small() ? 1400 : 40'001, 2, 1), 2};
        for (float& value : problem.points) value *= scale;
        problem.options = {.clusters = 16, .iterations = few_iterations(60), .stop = Rule::never};
        expect_bytes_of_the_cpu(problem);
    }
}

/// Centroids that no row is nearest to, or more clusters than different rows.
TEST(CudaShards, EmptyClustersAreFilledAsOnTheCpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {3, 6}) {
        for (const bool weighted : {false, true}) {
            for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
                ShardedProblem problem{blobs_of(agree::only_small() ? 1300 : 5000, cols, 4, 1, 1), cols};
                if (weighted) problem.weights = weights_of_rows(problem.rows().rows);
                problem.options = {.clusters = 9, .metric = metric, .iterations = few_iterations(9)};
                problem.centroids = first_rows(problem.points, 9, cols);
                for (std::size_t i = std::size_t{3} * static_cast<std::size_t>(cols); i < problem.centroids.size(); ++i)
                    problem.centroids[i] = -1e6F;
                expect_bytes_of_the_cpu(problem);
            }
        }
    }
    ShardedProblem duplicates{{}, 1};
    for (Index r = 0; r < agree::size(3000); ++r) duplicates.points.push_back(static_cast<float>(r % 3));
    for (const Start start : {Start::plusplus, Start::parallel, Start::random}) {
        duplicates.options = {.clusters = 5, .start = start, .iterations = few_iterations(5)};
        expect_bytes_of_the_cpu(duplicates);
    }
}

/// Rows in order of size: each chunk has a range of its own, far from most centroids, and one has outliers.
TEST(CudaShards, ChunksOfOtherRangesThanTheCentroids) {
    DUNLIN_NEEDS_GPU();
    const Index cols = 20;
    ShardedProblem problem{blobs_of(agree::only_small() ? 1400 : 5000, cols, 30), cols};
    for (Index r = 0; r < problem.rows().rows; ++r) {
        for (Index c = 0; c < cols; ++c)
            problem.points[static_cast<std::size_t>(r * cols + c)] += static_cast<float>(r / 512) * 1000;
    }
    problem.points[77] = 1e9F;
    problem.options = {.clusters = 40, .start = Start::parallel, .iterations = few_iterations(5)};
    expect_bytes_of_the_cpu(problem);
}

/// The responses to every request are the bytes of the CPU's, also of a fresh shard and in any order.
TEST(CudaShards, EveryResponseIsTheCpus) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {2, 8}) {
        for (const Start start : {Start::plusplus, Start::parallel}) {
            ShardedProblem problem{blobs_of(agree::only_small() ? 1100 : 2600, cols, 3, 5, 1), cols};
            problem.weights = weights_of_rows(problem.rows().rows);
            problem.options = {.clusters = 6, .start = start, .iterations = few_iterations(5), .stop = Rule::inertia};
            Shard on_cpu = shard_of_all(problem), on_gpu = shard_of_all(problem, cuda);
            std::vector<Message> requests;
            std::vector<std::vector<Message>> responses;
            CallbackShards recorded([&](const Message& request) {
                requests.push_back(request);
                EXPECT_EQ(on_gpu.answer(request), on_cpu.answer(request)) << describe(request).kind;
                return responses.emplace_back(on_cpu.answer(request));
            });
            (void)problem.over(recorded);
            Shard backwards = shard_of_all(problem, cuda);
            for (std::size_t i = requests.size(); i-- > 0;) {
                EXPECT_EQ(backwards.answer(requests[i]), responses[i]) << describe(requests[i]).kind;
                if (i % 3 == 0) {
                    EXPECT_EQ(shard_of_all(problem, cuda).answer(requests[i]), responses[i])
                        << describe(requests[i]).kind;
                }
            }
        }
    }
}

TEST(CudaShards, NoFailureChangesAByte) {
    DUNLIN_NEEDS_GPU();
    int failures = 0;
    for (std::uint64_t seed = 0; seed < (agree::only_small() ? 2 : 60); ++seed) {
        const Index cols = seed % 2 == 0 ? 3 : 6;
        ShardedProblem problem{blobs_of(agree::only_small() ? 1200 : 4200, cols, 3, seed, 1), cols};
        if (seed % 3 == 0) problem.weights = weights_of_rows(problem.rows().rows);
        problem.options = {.clusters = 2 + static_cast<Index>(seed % 4),
                           .metric = static_cast<Metric>(seed / 2 % 2),
                           .start = static_cast<Start>(seed % 3),
                           .iterations = few_iterations(2 + static_cast<int>(seed % 4)),
                           .stop = static_cast<Rule>(seed / 3 % 3)};
        if (seed % 5 == 0) {
            problem.centroids = first_rows(problem.points, problem.options.clusters, cols);
            problem.centroids[0] = -1e6F;
        }
        FailingShards shards(problem, seed, {cuda, cpu});
        ASSERT_TRUE(same_bytes(problem.over(shards), problem.in_one_process({.device = cpu}))) << seed;
        failures += shards.failures();
    }
    if (!agree::only_small()) {
        EXPECT_GT(failures, 200);
    }
}

/// A driver that ends after any iteration, and another that continues on the other device.
TEST(CudaShards, ARunResumesOnTheOtherDevice) {
    DUNLIN_NEEDS_GPU();
    ShardedProblem problem{blobs_of(agree::only_small() ? 1100 : 3000, 3, 3), 3};
    problem.options = {.clusters = 5, .restarts = 2, .iterations = few_iterations(6)};
    const Result expected = problem.in_one_process({.device = cpu});
    std::vector<Message> states;
    Shard first = shard_of_all(problem, cuda);
    CallbackShards set([&](const Message& request) { return first.answer(request); });
    Driving driving;
    driving.on_checkpoint = [&](const Message& state) { states.push_back(state); };
    EXPECT_TRUE(same_bytes(problem.over(set, 1024, {}, driving), expected));
    for (std::size_t i = 0; i < states.size(); ++i) {
        Shard fresh = shard_of_all(problem, i % 2 == 0 ? cpu : cuda);
        CallbackShards again([&](const Message& request) { return fresh.answer(request); });
        EXPECT_TRUE(same_bytes(problem.over(again, 1024, {}, {.resume = states[i]}), expected)) << i;
    }
}

/// Numbers of clusters one after another: what the chunks share is made anew for each.
TEST(CudaShards, AChoiceOfTheNumberOfClusters) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {2, 6}) {
        ShardedProblem problem{blobs_of(agree::only_small() ? 1100 : 4100, cols, 4), cols};
        problem.options = {.clusters = 2, .iterations = few_iterations(5)};
        const Choice expected = choose(problem.rows(), 6, Criterion::silhouette, problem.options, {.device = cpu});
        MixedShards mixed(problem, {cuda, cpu});
        const Choice found = choose(mixed, problem.shape(), 6, Criterion::silhouette, problem.options);
        EXPECT_TRUE(same_bytes(found.best, expected.best));
        ASSERT_EQ(found.curve.size(), expected.curve.size());
        for (std::size_t i = 0; i < expected.curve.size(); ++i)
            EXPECT_EQ(found.curve[i].value, expected.curve[i].value);
    }
}

/// What a GPU shard answers by its CPU: the requests of mixtures and of neighbors.
TEST(CudaShards, MixturesAndNeighbors) {
    DUNLIN_NEEDS_GPU();
    ShardedProblem problem{blobs_of(agree::only_small() ? 1100 : 3000, 3, 4), 3};
    MixedShards mixed(problem, {cuda, cpu});
    const mixture::Options options{.components = 4, .iterations = few_iterations(5)};
    const mixture::Result found = mixture::fit(mixed, problem.shape(), options);
    const mixture::Result expected = mixture::fit(problem.rows(), options);
    EXPECT_TRUE(same_bytes(found.labels, expected.labels));
    EXPECT_EQ(found.log_likelihood, expected.log_likelihood);
    const neighbors::Options search{.k = 5, .method = neighbors::Method::exact};
    const neighbors::Result graph = neighbors::search(mixed, problem.shape(), search, {.device = cpu});
    EXPECT_TRUE(
        same_bytes(graph.graph.targets, neighbors::search(problem.rows(), search, {.device = cpu}).graph.targets));
}

TEST(CudaShards, MemoryThatDoesNotSufficeIsAnError) {
    DUNLIN_NEEDS_GPU();
    const ShardedProblem problem{blobs_of(4096, 8, 3), 8};
    const std::uint64_t two = gpu_bytes_of_shard({2048, 8, false, 1024}, 0);
    Shard shard(Metric::euclidean, {.device = cuda, .memory = device::cuda_held_memory() + two + 500'000});
    add_chunk(shard, problem, 0);
    add_chunk(shard, problem, 1024);
    const std::string sentence = refusal_of([&] {
        for (Offset first = 2048; first < 400 * 1024; first += 1024) shard.add(first, {problem.points.data(), 1024, 8});
    });
    EXPECT_NE(sentence.find("GPU memory"), std::string::npos) << sentence;
    shard.remove(0);
    add_chunk(shard, problem, 0);
    EXPECT_GT(shard.chunks().size(), 2U);
}

CUcontext bound() {
    void* current = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &current, 12000, cudaEnableDefault, &result),
              cudaSuccess);
    CUcontext context = nullptr;
    EXPECT_EQ(reinterpret_cast<PFN_cuCtxGetCurrent_v4000>(current)(&context), CUDA_SUCCESS);
    return context;
}

/// A shard is made, asked and ended by threads that have no context, and have none afterwards.
TEST(CudaShards, LeaveTheContextOfEachThreadAsItWas) {
    DUNLIN_NEEDS_GPU();
    ShardedProblem problem{blobs_of(1100, 2, 3), 2};
    problem.options = {.clusters = 3, .iterations = 2};
    std::unique_ptr<Shard> shard;
    const auto in_a_thread = [](const auto& work) {
        std::thread([&] {
            EXPECT_EQ(bound(), nullptr);
            work();
            EXPECT_EQ(bound(), nullptr);
        }).join();
    };
    in_a_thread([&] { shard = std::make_unique<Shard>(shard_of_all(problem, cuda)); });
    CallbackShards set([&](const Message& request) {
        std::vector<Message> responses;
        in_a_thread([&] { responses = shard->answer(request); });
        return responses;
    });
    EXPECT_TRUE(same_bytes(problem.over(set), problem.in_one_process({.device = cpu})));
    in_a_thread([&] { shard.reset(); });
}

}  // namespace
}  // namespace dunlin::kmeans

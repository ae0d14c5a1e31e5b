// SPDX-License-Identifier: Apache-2.0
// Scaling on several GPUs, or by several ranks of one, has the bytes of one.
#include <chrono>
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/gpu_use.hpp>
#include <dunlin/mds.hpp>

#include "agree/lists_of_gpus.hpp"
#include "agree/mds.hpp"

namespace dunlin::mds {
namespace {

using agree::lists_of_gpus, agree::name_of, agree::on_gpus;

void expect_same(const Dissimilarities& items, const Options& options, const std::string& what,
                 const Given& given = {}) {
    const Result expected = place(items, options, on_gpus({0}), given);
    for (const auto& gpus : lists_of_gpus()) {
        const Result found = place(items, options, on_gpus(gpus), given);
        EXPECT_TRUE(found.map.coordinates == expected.map.coordinates) << what << ", " << name_of(gpus);
        EXPECT_EQ(found.iterations, expected.iterations) << what;
        EXPECT_EQ(found.stopped, expected.stopped) << what;
        EXPECT_EQ(found.starts.from, expected.starts.from) << what;
        EXPECT_EQ(found.gpus, gpus);
        EXPECT_EQ(last_gpu_use().size(), gpus.size());
    }
}

TEST(CudaMdsRanks, SmacofHasTheBytesOfOneGpu) {
    DUNLIN_NEEDS_GPU();
    for (const Index n : either({1, 2, 3, 63, 64, 65, 130, 1000, 5001}, {1, 2, 65, 130})) {
        for (const auto metric :
             {neighbors::Metric::euclidean, neighbors::Metric::manhattan, neighbors::Metric::cosine})
            expect_same(points(n, 20, metric), {.method = Method::smacof, .iterations = 40},
                        std::to_string(n) + " points, metric " + std::to_string(static_cast<int>(metric)));
        for (const bool complete : {true, false})
            expect_same(matrix(n, complete), {.method = Method::smacof, .iterations = 40},
                        std::to_string(n) + " of a matrix");
    }
    const Index n = small(700);
    const Matrix weights = some_weights(n);
    expect_same(matrix(n, true), {.method = Method::smacof, .iterations = 30}, "weighted", {.weights = &weights});
    expect_same(points(n, 20), {.dim = 5, .method = Method::smacof, .iterations = 30}, "in 5-D");
    expect_same(points(n, 20), {.method = Method::smacof}, "until it converges");
    expect_same(points(small(200), 20), {.method = Method::smacof, .starts = 4, .iterations = 70}, "four starts");
}

TEST(CudaMdsRanks, AStopIsNoErrorAndNoHang) {
    DUNLIN_NEEDS_GPU();
    const Dissimilarities items = points(small(5001), 20);
    for (const auto& gpus : lists_of_gpus()) {
        const auto begun = std::chrono::steady_clock::now();
        std::stop_source source;
        dunlin::Run run = on_gpus(gpus);
        run.stop = source.get_token();
        run.on_progress = [&](const Progress& progress) {
            if (progress.stage == "optimize" && progress.done >= 5) source.request_stop();
        };
        const Result found = place(items, {.method = Method::smacof, .iterations = 100'000, .tolerance = 0}, run);
        EXPECT_EQ(found.stopped, Stopped::cancelled);
        EXPECT_GE(found.iterations, 5);
        EXPECT_EQ(found.map.size(), items.size());
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
    }
}

TEST(CudaMdsRanks, TooLittleMemoryIsOneError) {
    DUNLIN_NEEDS_GPU();
    dunlin::Run run = on_gpus({0, 0, 0});
    run.memory = 1'000'000;
    try {
        (void)place(matrix(1000, true), {.method = Method::smacof}, run);
        ADD_FAILURE() << "4 MB fit into 1 MB";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::out_of_memory);
        EXPECT_NE(std::string(error.what()).find("of memory on each GPU, and "), std::string::npos) << error.what();
    }
}

TEST(CudaMdsRanks, MethodsThatUseOneGpuSayTheirName) {
    DUNLIN_NEEDS_GPU();
    try {
        (void)place(points(100, 20), {.method = Method::stochastic}, on_gpus({0, 0}));
        ADD_FAILURE() << "two GPUs were accepted";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "scaling by method stochastic runs on one GPU, and 2 are named; name one");
    }
}

}  // namespace
}  // namespace dunlin::mds

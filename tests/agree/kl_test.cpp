// SPDX-License-Identifier: Apache-2.0
#include "scores/kl.cuh"

#include <tuple>

#include <dunlin/scores.hpp>

#include "agree/agree.hpp"
#include "forces/law.hpp"

namespace dunlin::scores {
namespace {

Score on_gpu(const Graph& graph, const std::vector<float>& y, int dim) {
    device::Cuda cuda{dunlin::Run{}};
    const graph::DeviceGraph affinities = graph::upload(cuda, graph);
    device::CudaBuffer<float> at;
    cuda.upload(at, y);
    return kl_on_device(cuda, forces::StudentT(), affinities, {at.data(), graph.size(), dim});
}

Score expect_agreement(const Graph& graph, const std::vector<float>& y, int dim) {
    const Score expected = kl(graph, {dim, y}), found = on_gpu(graph, y, dim), again = on_gpu(graph, y, dim);
    EXPECT_NEAR(found.value, expected.value, 1e-5 * std::abs(expected.value) + 1e-7);
    EXPECT_NEAR(found.se, expected.se, 1e-3 * expected.se);
    EXPECT_EQ(std::tie(found.value, found.se), std::tie(again.value, again.se));
    return found;
}

TEST(KlOnGpu, IsTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({2, 31, 32, 33, 1000, 20001})) {
            SCOPED_TRACE(testing::Message() << n << " points, " << dim << "-D");
            expect_agreement(agree::some_graph(n, 30), agree::scattered(n, dim, 50), dim);
        }
    }
}

TEST(KlOnGpu, CoincidentPoints) {
    DUNLIN_NEEDS_GPU();
    expect_agreement(agree::some_graph(5000, 20), std::vector<float>(10000, 3.0F), 2);
}

TEST(KlOnGpu, SamplesTheSameRowsOfManyPoints) {
    DUNLIN_NEEDS_GPU();
    const Index n = 1000000;
    const Score found = expect_agreement(agree::some_graph(n, 3), agree::scattered(n, 2, 300), 2);
    EXPECT_GT(found.se, 0);
}

}  // namespace
}  // namespace dunlin::scores

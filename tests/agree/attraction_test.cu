// SPDX-License-Identifier: Apache-2.0
#include "forces/attraction/attraction.cuh"

#include "agree/agree.hpp"
#include "forces/attraction/attraction.hpp"

namespace dunlin::forces {
namespace {

struct Attraction {
    std::vector<float> force;
    double cost = 0;
};

template <class Law>
Attraction on_cpu(const Graph& graph, const std::vector<float>& y, int dim, const Law& law) {
    device::Cpu cpu(2);
    Attraction result{std::vector<float>(y.size(), NAN), 0};
    attract(cpu, law, graph, {y.data(), graph.size(), dim}, {result.force.data(), graph.size(), dim});
    device::Cell<double> cost;
    attract_cost(cpu, law, graph, {y.data(), graph.size(), dim}, cost);
    result.cost = cost.value;
    return result;
}

template <class Law>
Attraction on_gpu(const Graph& graph, const std::vector<float>& y, int dim, const Law& law) {
    device::Cuda cuda{dunlin::Run{}};
    const graph::DeviceGraph affinities = graph::upload(cuda, graph);
    device::CudaBuffer<float> at, force;
    cuda.upload(at, y);
    cuda.fill(force, y.size(), NAN);
    attract(cuda, law, affinities, {at.data(), graph.size(), dim}, {force.data(), graph.size(), dim});
    device::CudaCell<double> cost;
    attract_cost(cuda, law, affinities, {at.data(), graph.size(), dim}, cost);
    return {cuda.host(force), cuda.read(cost)};
}

template <class Law = StudentT>
void expect_agreement(const Graph& graph, const std::vector<float>& y, int dim, double tolerance = 2e-5,
                      const Law& law = {}) {
    const Attraction expected = on_cpu(graph, y, dim, law), found = on_gpu(graph, y, dim, law),
                     again = on_gpu(graph, y, dim, law);
    EXPECT_LT(agree::relative_error(found.force, expected.force), tolerance);
    EXPECT_NEAR(found.cost, expected.cost, 1e-5 * std::abs(expected.cost));
    EXPECT_EQ(found.force, again.force);
    EXPECT_EQ(found.cost, again.cost);
}

TEST(AttractionOnGpu, IsTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : agree::sizes({0, 1, 2, 31, 32, 33, 1000, 70001})) {
            SCOPED_TRACE(testing::Message() << n << " points, " << dim << "-D");
            expect_agreement(agree::some_graph(n, 90), agree::scattered(n, dim, 50), dim);
            for (const float freedom : {0.5F, 3.0F})
                expect_agreement(agree::some_graph(n, 90), agree::scattered(n, dim, 50), dim, 2e-5,
                                 GeneralStudentT{freedom});
        }
    }
}

TEST(AttractionOnGpu, SharesTheCenterOfAStar) {
    DUNLIN_NEEDS_GPU();
    // The center's force is the sum of a million pulls that nearly cancel, each as large as the forces on the leaves
    expect_agreement(agree::star(1000001), agree::scattered(1000001, 2, 100), 2, 1e-3);
}

TEST(AttractionOnGpu, CoincidentPointsDoNotPull) {
    DUNLIN_NEEDS_GPU();
    const Attraction found = on_gpu(agree::some_graph(5000, 20), std::vector<float>(10000, 3.0F), 2, StudentT());
    EXPECT_EQ(found.force, std::vector<float>(10000, 0.0F));
}

/// A ring in which every vertex has edges to the next `degree` vertices.
struct Ring {
    Index n, degree;
    Offset* offsets;
    Index* targets;
    __device__ void operator()(Offset e) const {
        const Offset row = e / degree;
        targets[e] = static_cast<Index>((row + 1 + e % degree) % n);
        if (e % degree == 0) offsets[row] = e;
        if (e == Offset{n} * degree - 1) offsets[n] = e + 1;
    }
};
struct OnALine {
    float* y;
    __device__ void operator()(Offset i) const { y[2 * i] = static_cast<float>(i % 4), y[2 * i + 1] = 0; }
};

TEST(AttractionOnGpu, MoreEdgesThan32BitsCount) {
    DUNLIN_NEEDS_GPU();
    constexpr Index n = 24000001, degree = 90;
    constexpr Offset edges = Offset{n} * degree;
    static_assert(edges > std::numeric_limits<std::int32_t>::max());
    if (device::cuda_device(0).free_memory < 25'000'000'000) GTEST_SKIP() << "25 GB of GPU memory are not free";

    device::Cuda cuda{dunlin::Run{}};
    graph::DeviceGraph ring;
    cuda.resize(ring.offsets, std::size_t{n} + 1);
    cuda.resize(ring.targets, static_cast<std::size_t>(edges));
    cuda.fill(ring.weights, static_cast<std::size_t>(edges), 1.0F);
    cuda.each(edges, Ring{n, degree, ring.offsets.data(), ring.targets.data()});
    device::CudaBuffer<float> y, force;
    cuda.resize(y, 2 * std::size_t{n});
    cuda.resize(force, 2 * std::size_t{n});
    cuda.each(n, OnALine{y.data()});
    attract(cuda, StudentT(), ring, {y.data(), n, 2}, {force.data(), n, 2});

    const std::vector<float> found = cuda.host(force);
    for (const Index i : {0, 1, 12345678, n - 92, n - 2, n - 1}) {  // at the end the ring is closed
        double expected = 0;
        for (Index e = 0; e < degree; ++e) {
            const double delta = i % 4 - ((i + 1 + e) % n) % 4;
            expected += delta / (1 + delta * delta);
        }
        EXPECT_NEAR(found[2 * static_cast<std::size_t>(i)], expected, 1e-4) << i;
    }
}

}  // namespace
}  // namespace dunlin::forces

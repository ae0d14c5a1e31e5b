#include "forces/attraction.cuh"

#include "agree/agree.hpp"
#include "forces/attraction.hpp"

namespace dunlin::forces {
namespace {

struct Attraction {
    std::vector<float> force;
    double cost = 0;
};

Attraction on_cpu(const Graph& graph, const std::vector<float>& y, int dim) {
    device::Cpu cpu(2);
    Attraction result{std::vector<float>(y.size(), NAN), 0};
    attract(cpu, graph, {y.data(), graph.size(), dim}, {result.force.data(), graph.size(), dim});
    device::Cell<double> cost;
    attract_cost(cpu, graph, {y.data(), graph.size(), dim}, cost);
    result.cost = cost.value;
    return result;
}

Attraction on_gpu(const Graph& graph, const std::vector<float>& y, int dim) {
    device::Cuda cuda{dunlin::Run{}};
    const graph::DeviceGraph affinities = graph::upload(cuda, graph);
    device::CudaBuffer<float> at, force;
    cuda.upload(at, y);
    cuda.fill(force, y.size(), NAN);
    attract(cuda, affinities, {at.data(), graph.size(), dim}, {force.data(), graph.size(), dim});
    device::CudaCell<double> cost;
    attract_cost(cuda, affinities, {at.data(), graph.size(), dim}, cost);
    return {cuda.host(force), cuda.read(cost)};
}

void expect_agreement(const Graph& graph, const std::vector<float>& y, int dim, double tolerance = 2e-5) {
    const Attraction expected = on_cpu(graph, y, dim), found = on_gpu(graph, y, dim), again = on_gpu(graph, y, dim);
    EXPECT_LT(agree::relative_error(found.force, expected.force), tolerance);
    EXPECT_NEAR(found.cost, expected.cost, 1e-5 * std::abs(expected.cost));
    EXPECT_EQ(found.force, again.force);
    EXPECT_EQ(found.cost, again.cost);
}

TEST(AttractionOnGpu, IsTheCpusAtAwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const int dim : {2, 3}) {
        for (const Index n : {0, 1, 2, 31, 32, 33, 1000, 70001}) {
            SCOPED_TRACE(testing::Message() << n << " points, " << dim << "-D");
            expect_agreement(agree::some_graph(n, 90), agree::scattered(n, dim, 50), dim);
        }
    }
}

TEST(AttractionOnGpu, SharesTheCentreOfAStar) {
    DUNLIN_NEEDS_GPU();
    // The centre's force is the sum of a million pulls that nearly cancel, each as large as the forces on the leaves
    expect_agreement(agree::star(1000001), agree::scattered(1000001, 2, 100), 2, 1e-3);
}

TEST(AttractionOnGpu, CoincidentPointsDoNotPull) {
    DUNLIN_NEEDS_GPU();
    const Attraction found = on_gpu(agree::some_graph(5000, 20), std::vector<float>(10000, 3.0F), 2);
    EXPECT_EQ(found.force, std::vector<float>(10000, 0.0F));
}

}  // namespace
}  // namespace dunlin::forces

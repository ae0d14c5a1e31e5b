// SPDX-License-Identifier: Apache-2.0
#include <dunlin/error.hpp>

#include "agree/agree.hpp"
#include "cases/neighbors.hpp"
#include "device/cpu.hpp"
#include "neighbors/cuda/search.cuh"
#include "neighbors/search_rows.hpp"
#include "refusal.hpp"

namespace dunlin::neighbors {
namespace {

constexpr std::array metrics{Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation,
                             Metric::inner_product};

Data cloud(Index rows, Index cols, std::uint64_t seed) {
    return make(rows, cols, [=](Index r, Index c) { return bell(seed, r, c); });
}

/// Rows like the points, some of the points, and rows far outside.
Data queries_of(const Data& points, Index rows) {
    return make(rows, points.cols, [&](Index r, Index c) {
        if (r % 4 == 1) return points.view()(r % points.rows, c);
        return (r % 4 == 3 ? 1000 : 1) * bell(7, r, c);
    });
}

void expect_agreement(const Data& points, const Data& queries, Index k, Metric metric = Metric::euclidean,
                      const dunlin::Run& run = {}, bool held = true) {
    SCOPED_TRACE(testing::Message() << points.rows << " x " << points.cols << ", " << queries.rows << " queries, k "
                                    << k << ", " << name_of(metric));
    device::Cpu cpu;
    device::Cuda cuda(run);
    device::DevicePoints there{points.view(), {}};
    if (held) there = device::hold_points(cuda, points.view());
    ASSERT_EQ(there.held(), held);
    const FoundOnDevice on_device = search_queries_on_device(cuda, there, queries.view(), k, metric);
    const Graph found = graph::download(cuda, on_device.graph);
    const Graph expected = search_queries(cpu, points.view(), queries.view(), k, metric).graph;
    ASSERT_EQ(found.offsets, expected.offsets);
    Offset other_ids = 0, other_weights = 0;
    for (std::size_t e = 0; e < found.targets.size(); ++e) {
        // Equal unit rows are at distance 0 on the CPU, also if their scales round differently
        const float apart = std::abs(found.weights[e] - expected.weights[e]);
        other_ids += found.targets[e] != expected.targets[e] ? 1 : 0;
        other_weights += apart > 1e-6F * std::abs(expected.weights[e]) + 1e-13F ? 1 : 0;
    }
    EXPECT_EQ(other_ids, 0) << "of " << found.targets.size();
    EXPECT_EQ(other_weights, 0) << "of " << found.targets.size();
}

TEST(CudaNeighborsOfQueries, AwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const Index rows : agree::sizes({1, 2, 33, 257, 1000})) {
        for (const Index cols : {3, 50}) {
            for (const Metric metric : metrics) {
                const Data points = cloud(rows, cols, 1);
                for (const Index count : {1, 31, 300}) expect_agreement(points, queries_of(points, count), 7, metric);
                expect_agreement(points, queries_of(points, 40), rows + 5, metric);
            }
        }
    }
}

TEST(CudaNeighborsOfQueries, FilteredInHalfPrecision) {
    DUNLIN_NEEDS_GPU();
    for (const Metric metric : metrics) {
        for (const Index cols : {2, 50, 300}) {
            const Data points = cloud(agree::size(20000), cols, 1);
            expect_agreement(points, queries_of(points, agree::size(3000)), 30, metric);
        }
    }
}

TEST(CudaNeighborsOfQueries, Duplicates) {
    DUNLIN_NEEDS_GPU();
    for (const Metric metric : {Metric::euclidean, Metric::manhattan}) {
        const Data few = integers(300, 6, 4);
        const Data points = make(5000, 6, [&](Index r, Index c) { return few.view()(r * 7919 % 300, c); });
        for (const Index k : {1, 40, 4999, 6000}) expect_agreement(points, queries_of(points, 200), k, metric);
        const Data same = make(2000, 6, [](Index, Index c) { return static_cast<float>(c); });
        expect_agreement(same, queries_of(same, 50), 9, metric);
    }
}

TEST(CudaNeighborsOfQueries, PointsInHostMemory) {
    DUNLIN_NEEDS_GPU();
    const Data points = cloud(agree::size(30000), 40, 1), queries = queries_of(points, agree::size(4000));
    for (const Metric metric : metrics) {
        expect_agreement(points, queries, 20, metric, {}, false);
        expect_agreement(points, queries, 20, metric, {.memory = std::uint64_t{64} << 20}, false);
    }
}

TEST(CudaNeighborsOfQueries, PublicSearch) {
    DUNLIN_NEEDS_GPU();
    const Data points = cloud(3000, 20, 1), queries = queries_of(points, 100);
    const dunlin::Run run{.device = Device::cuda};
    const Options exact{.k = 9, .method = Method::exact};
    const Result found = search(points.view(), queries.view(), exact, run);
    EXPECT_EQ(found.device, Device::cuda);
    EXPECT_EQ(found.graph.targets, search(points.view(), queries.view(), exact, {.device = Device::cpu}).graph.targets);
    const Result none = search(points.view(), MatrixView<const float>{nullptr, 0, 20}, exact, run);
    EXPECT_EQ(none.graph.size(), 0);
    EXPECT_EQ(none.stopped, Stopped::converged);
    const Result approximate = search(points.view(), queries.view(), {.k = 9, .method = Method::approximate}, run);
    EXPECT_EQ(approximate.options.method, Method::exact);
    EXPECT_EQ(approximate.graph.targets, found.graph.targets);
    const auto refused = [&](const Options& options) {
        return refusal(Fault::bad_input, [&] { search(points.view(), queries.view(), options, run); });
    };
    EXPECT_NE(refused({.method = Method::approximate, .codes = 4}).find("codes is 4"), std::string::npos);
    EXPECT_NE(refused({.method = Method::approximate, .probes = 4}).find("probes is 4"), std::string::npos);
    Data unfit = queries_of(points, 100);
    unfit.values[20 * 33 + 1] = NAN;
    EXPECT_NE(refusal([&] { search(points.view(), unfit.view(), exact, run); }).find("query row 33"),
              std::string::npos);
}

}  // namespace
}  // namespace dunlin::neighbors

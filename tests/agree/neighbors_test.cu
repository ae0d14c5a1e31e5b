// SPDX-License-Identifier: Apache-2.0
// The exact search on a GPU.
#include <dunlin/error.hpp>

#include "agree/neighbors.hpp"
#include "device/cpu.hpp"
#include "neighbors/cuda/search.cuh"
#include "neighbors/search_rows.hpp"

namespace dunlin::neighbors {
namespace {

constexpr std::array metrics{Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation,
                             Metric::inner_product};

Graph on_device(const Data& data, Index k, Metric metric, const dunlin::Run& run = {}, bool held = true) {
    device::Cuda cuda(run);
    device::DevicePoints points{data.view(), {}};
    if (held) points = device::hold_points(cuda, data.view());
    EXPECT_EQ(points.held(), held);
    const graph::DeviceGraph graph = search_on_device(cuda, points, k, metric).graph;
    return graph.size() > 0 ? graph::download(cuda, graph) : Graph{};
}

void expect_agreement(const Data& data, Index k, Metric metric = Metric::euclidean, const dunlin::Run& run = {},
                      bool held = true) {
    SCOPED_TRACE(testing::Message() << data.rows << " x " << data.cols << ", k " << k << ", "
                                    << names(Metric{})[static_cast<std::size_t>(metric)]);
    device::Cpu cpu;
    expect_same(on_device(data, k, metric, run, held), search_all(cpu, data.view(), k, metric).graph);
}

TEST(CudaNeighbors, AwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const Index rows : agree::sizes({1, 2, 3, 31, 32, 33, 255, 257, 1000})) {
        for (const Index cols : {1, 3, 50}) {
            for (const Metric metric : metrics) {
                if (cols == 1 && metric != Metric::euclidean) continue;
                expect_agreement(cloud(rows, cols), 7, metric);
            }
        }
    }
}

TEST(CudaNeighbors, FilteredInHalfPrecision) {
    DUNLIN_NEEDS_GPU();
    for (const Index rows : agree::sizes({1024, 1025, 1151, 5000, 20000})) {
        for (const Index cols : {1, 3, 50, 100}) expect_agreement(cloud(rows, cols), 90);
    }
    if (agree::only_small()) return;
    expect_agreement(clouds(70001, 50), 90);
    expect_agreement(clouds(12000, 784), 30);
    expect_agreement(cloud(5000, 1000), 15);
}

TEST(CudaNeighbors, UnitRows) {
    DUNLIN_NEEDS_GPU();
    for (const Metric metric : {Metric::cosine, Metric::correlation}) {
        for (const Index cols : {3, 50, 400}) expect_agreement(clouds(6000, cols), 20, metric);
    }
}

TEST(CudaNeighbors, Manhattan) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {1, 3, 50, 300}) expect_agreement(clouds(agree::size(6000), cols), 20, Metric::manhattan);
    expect_agreement(clouds(agree::size(30000), 17), 90, Metric::manhattan);
}

TEST(CudaNeighbors, InnerProducts) {
    DUNLIN_NEEDS_GPU();
    for (const Index cols : {1, 3, 50, 300}) {
        expect_agreement(clouds(agree::size(6000), cols), 20, Metric::inner_product);
    }
    expect_agreement(cloud(agree::size(30000), 17), 90, Metric::inner_product);
    expect_agreement(whole_numbers(agree::size(20000), 12, 3), 40, Metric::inner_product);
    expect_agreement(make(3000, 20, [](Index r, Index c) { return bell(5, r % 97, c); }), 40, Metric::inner_product);
    expect_agreement(make(5000, 20,
                          [](Index r, Index c) {
                              return (r % 50 == 0 ? 0.0F : r % 9 == 0 ? 1e3F : 1.0F) * bell(9, r, c);
                          }),
                     60, Metric::inner_product);
    expect_agreement(make(300, 5, [](Index, Index) { return 0.0F; }), 20, Metric::inner_product);
}

TEST(CudaNeighbors, ManyNeighbors) {
    DUNLIN_NEEDS_GPU();
    const Data data = cloud(6000, 20);
    for (const Index k : {700, 2048, 5000, 5999, 100000}) expect_agreement(data, k);
}

TEST(CudaNeighbors, TiesGoById) {
    DUNLIN_NEEDS_GPU();
    expect_agreement(whole_numbers(20000, 8, 3), 40);
    expect_agreement(whole_numbers(20000, 12, 2), 40, Metric::manhattan);
    expect_agreement(whole_numbers(3000, 40, 2), 40);
}

TEST(CudaNeighbors, OneHotRowsAreAllEquallyFar) {
    DUNLIN_NEEDS_GPU();
    const Index n = agree::only_small() ? 300 : 2500;
    expect_agreement(make(n, n, [](Index r, Index c) { return r == c ? 1.0F : 0.0F; }), 5);
}

TEST(CudaNeighbors, DistinctRows) {
    DUNLIN_NEEDS_GPU();
    expect_agreement(make(1000, 4, [](Index, Index) { return 3.0F; }), 20);
    expect_agreement(make(30000, 20, [](Index r, Index c) { return bell(5, r % 97, c); }), 40);
    expect_agreement(make(30000, 20, [](Index r, Index c) { return bell(5, r % 3 == 0 ? 0 : r, c); }), 40);
    expect_agreement(
        make(20000, 20, [](Index r, Index c) { return bell(6, r % 500, c) * static_cast<float>(1 << r % 3); }), 40,
        Metric::cosine);
}

/// Constant rows, rows that vary by one unit in the last place, denormal and huge ones: CPU and GPU agree on which have
/// a direction.
TEST(CudaNeighbors, RowsWithoutDirectionAreThoseOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    const Data data = make(600, 40, [](Index r, Index c) {
        const float constant = 0.1F * static_cast<float>(1 + r % 4);
        if (r % 6 == 0) return r % 12 == 0 ? constant : 0.0F;
        if (r % 6 == 1) return c == r % 40 ? std::nextafter(constant, 1.0F) : constant;
        if (r % 6 == 2) return 1e-44F * static_cast<float>((r + c) % 5);
        if (r % 6 == 3) return (c + r) % 3 == 0 ? 3e38F : -1e38F;
        if (r % 6 == 4) return 1e-44F;
        return bell(8, r, c);
    });
    device::Cpu cpu;
    for (const Metric metric : {Metric::cosine, Metric::correlation}) {
        const Graph host = search_all(cpu, data.view(), 599, metric).graph, gpu = on_device(data, 599, metric);
        ASSERT_EQ(gpu.weights.size(), host.weights.size());
        for (std::size_t e = 0; e < host.weights.size(); ++e) {
            ASSERT_NEAR(gpu.weights[e], host.weights[e], 2e-6F) << "row " << e / 599 << ", place " << e % 599;
        }
    }
}

TEST(CudaNeighbors, AMillionCoincidentPoints) {
    DUNLIN_NEEDS_GPU();
    const Index rows = 1000000;
    const Data data = make(rows + 500, 3, [](Index r, Index c) { return r < rows ? 1.0F : bell(7, r, c); });
    const Graph found = on_device(data, 15, Metric::euclidean);
    for (Index r = 0; r < rows; r += 997) {
        for (Index i = 0; i < 15; ++i) {
            ASSERT_EQ(found.targets[static_cast<std::size_t>(r * 15 + i)], i < r ? i : i + 1);
            ASSERT_EQ(found.weights[static_cast<std::size_t>(r * 15 + i)], 0);
        }
    }
}

TEST(CudaNeighbors, OffsetsAndOutliers) {
    DUNLIN_NEEDS_GPU();
    expect_agreement(make(8000, 20, [](Index r, Index c) { return 1e6F + 100 * bell(8, r, c); }), 30);
    expect_agreement(make(8000, 20, [](Index r, Index c) { return (r % 1000 == 5 ? 1e9F : 1.0F) * bell(9, r, c); }),
                     30);
    expect_agreement(make(8000, 20, [](Index r, Index c) { return 50 * bell(10, r % 5, c) + 0.01F * bell(11, r, c); }),
                     30);
    expect_agreement(make(8000, 20, [](Index r, Index c) { return 1e-30F * bell(9, r, c); }), 30);
}

TEST(CudaNeighbors, HeavyTailsAndUnevenColumns) {
    DUNLIN_NEEDS_GPU();
    const auto heavy = [](Index r, Index c) {
        const float far = r % 200 == 7 ? 3 / (uniform(15, r, 0) + 1e-3F) : r % 3 == 0 ? 0.06F : 1.0F;
        return (r % 3 == 0 ? 6.0F : 0.0F) + far * bell(16, r, c);
    };
    expect_agreement(make(20000, 50, heavy), 90);
    expect_agreement(make(10000, 50, heavy), 30, Metric::cosine);
    expect_agreement(make(10000, 20, [](Index r, Index c) { return (c == 3 ? 1e6F : 1.0F) * bell(17, r, c); }), 30);
    expect_agreement(make(6000, 20, [](Index r, Index c) { return (c == 3 ? 1.0F : 1e-41F) * bell(18, r, c); }), 30);
}

TEST(CudaNeighbors, RowsWithoutDirection) {
    DUNLIN_NEEDS_GPU();
    const Data data = make(5000, 10, [](Index r, Index c) { return r % 50 == 0 ? 0.0F : bell(12, r, c); });
    expect_agreement(data, 120, Metric::cosine);
    expect_agreement(data, 20, Metric::correlation);
}

TEST(CudaNeighbors, StreamedFromTheHost) {
    DUNLIN_NEEDS_GPU();
    const Data data = clouds(20000, 100);
    for (const Metric metric : metrics) {
        expect_agreement(data, 20, metric, {.memory = 24000000}, false);
    }
    expect_agreement(data, 20, Metric::euclidean, {.memory = 24000000}, true);
    const Data twice = make(20000, 60, [](Index r, Index c) { return bell(5, r % 2 == 0 ? r : 0, c); });
    expect_agreement(twice, 20, Metric::euclidean, {.memory = 24000000}, false);
    expect_agreement(twice, 20, Metric::cosine, {.memory = 24000000}, false);
}

TEST(CudaNeighbors, StopGivesAnEmptyGraph) {
    DUNLIN_NEEDS_GPU();
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(on_device(cloud(5000, 10), 5, Metric::euclidean, {.stop = source.get_token()}).edges(), 0);
}

TEST(CudaNeighbors, TooLittleMemoryIsRefusedBeforeTheSearch) {
    DUNLIN_NEEDS_GPU();
    const Data data = cloud(20000, 100);
    try {
        on_device(data, 90, Metric::euclidean, {.memory = 1000000}, false);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::out_of_memory);
        EXPECT_NE(std::string(error.what()).find("GB"), std::string::npos) << error.what();
    }
}

TEST(CudaNeighbors, BadInput) {
    DUNLIN_NEEDS_GPU();
    Data data = cloud(3000, 5);
    EXPECT_THROW(on_device(data, 0, Metric::euclidean), Error);
    data.values[1234 * 5 + 2] = std::numeric_limits<float>::quiet_NaN();
    for (const bool held : {true, false}) {
        try {
            on_device(data, 5, Metric::euclidean, {}, held);
            FAIL();
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("1234"), std::string::npos) << error.what();
        }
    }
}

TEST(CudaNeighbors, SameBytesTwice) {
    DUNLIN_NEEDS_GPU();
    const Data data = clouds(agree::size(50000), 64);
    const Graph a = on_device(data, 90, Metric::euclidean), b = on_device(data, 90, Metric::euclidean);
    EXPECT_EQ(a.targets, b.targets);
    EXPECT_EQ(a.weights, b.weights);
}

}  // namespace
}  // namespace dunlin::neighbors

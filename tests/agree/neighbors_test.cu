// SPDX-License-Identifier: Apache-2.0
#include <dunlin/error.hpp>

#include "agree/agree.hpp"
#include "device/cpu.hpp"
#include "neighbors/cuda/recall/recall_sample.cuh"
#include "neighbors/cuda/search.cuh"
#include "neighbors/search_rows.hpp"
#include "neighbors_check.hpp"
#include "refusal.hpp"

namespace dunlin::neighbors {
namespace {

constexpr std::array metrics{Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation,
                             Metric::inner_product};

Data cloud(Index rows, Index cols) {
    return make(rows, cols, [](Index r, Index c) { return bell(1, r, c); });
}

Data clouds(Index rows, Index cols) {
    return make(rows, cols, [](Index r, Index c) { return 4 * bell(2, r % 7, c) + bell(3, r, c); });
}

Data whole_numbers(Index rows, Index cols, int values) {
    return make(rows, cols,
                [=](Index r, Index c) { return std::floor(uniform(4, r, c) * static_cast<float>(values)); });
}

Graph on_device(const Data& data, Index k, Metric metric, const dunlin::Run& run = {}, bool held = true) {
    device::Cuda cuda(run);
    device::DevicePoints points{data.view(), {}};
    if (held) points = device::hold_points(cuda, data.view());
    EXPECT_EQ(points.held(), held);
    const graph::DeviceGraph graph = search_on_device(cuda, points, k, metric).graph;
    return graph.size() > 0 ? graph::download(cuda, graph) : Graph{};
}

/// Equal offsets and ids, and distances equal up to rounding.
void expect_same(const Graph& found, const Graph& expected) {
    ASSERT_EQ(found.offsets, expected.offsets);
    ASSERT_EQ(found.targets.size(), expected.targets.size());
    Offset other_ids = 0, other_weights = 0, first = -1;
    for (std::size_t e = 0; e < found.targets.size(); ++e) {
        const bool far =
            std::abs(found.weights[e] - expected.weights[e]) > 1e-6F * std::abs(expected.weights[e]) + 1e-13F;
        other_ids += found.targets[e] != expected.targets[e] ? 1 : 0;
        other_weights += far ? 1 : 0;
        if (first < 0 && (far || found.targets[e] != expected.targets[e])) first = static_cast<Offset>(e);
    }
    EXPECT_EQ(other_ids, 0) << "of " << found.targets.size();
    EXPECT_EQ(other_weights, 0) << "of " << found.targets.size();
    if (first >= 0) {
        const auto e = static_cast<std::size_t>(first);
        ADD_FAILURE() << "first at edge " << e << ": " << found.targets[e] << " at " << found.weights[e]
                      << ", expected " << expected.targets[e] << " at " << expected.weights[e];
    }
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

Result approximately(const Data& data, const Options& options) {
    return search(data.view(), options, {.device = Device::cuda});
}

TEST(CudaNeighbors, AllCellsHoldAllNeighbors) {
    DUNLIN_NEEDS_GPU();
    const auto expect_all = [](const Data& data, Metric metric) {
        const Options options{.k = 40, .metric = metric, .method = Method::approximate, .probes = 100000};
        const Result found = approximately(data, options);
        EXPECT_EQ(found.recall, 1);
        device::Cpu cpu;
        expect_same(found.graph, search_all(cpu, data.view(), 40, metric).graph);
    };
    expect_all(clouds(agree::size(30000), 50), Metric::euclidean);
    expect_all(clouds(agree::size(9000), 100), Metric::correlation);
    expect_all(make(9000, 20, [](Index r, Index c) { return bell(5, r % 3 == 0 ? 0 : r, c); }), Metric::euclidean);
    expect_all(make(9000, 20, [](Index r, Index c) { return bell(6, r % 500, c); }), Metric::cosine);
    expect_all(make(300, 5, [](Index r, Index c) { return bell(6, r, c); }), Metric::euclidean);
    // A sparse cloud around dense clouds: lists of sparse cells overflow at first
    expect_all(
        make(agree::size(40000), 8, [](Index r, Index c) { return (r % 20 == 0 ? 3.0F : 0.05F) * bell(6, r, c); }),
        Metric::euclidean);
}

/// Items are renumbered by cell; ties at the k-th distance still go to the lowest ids, as in the exact search.
TEST(CudaNeighbors, TiesInCellsGoById) {
    DUNLIN_NEEDS_GPU();
    const auto expect_ids = [](const Data& data, Index k, Metric metric = Metric::euclidean) {
        const Options options{.k = k, .metric = metric, .method = Method::approximate, .probes = 100000};
        device::Cpu cpu;
        const Graph expected = search_all(cpu, data.view(), k, metric).graph,
                    found = approximately(data, options).graph;
        EXPECT_EQ(found.targets, expected.targets);
        EXPECT_EQ(found.weights, expected.weights);
    };
    expect_ids(whole_numbers(agree::size(20000), 8, 3), 40);
    expect_ids(whole_numbers(agree::size(20000), 8, 3), 5);
    expect_ids(whole_numbers(3000, 40, 2), 40);
    expect_ids(whole_numbers(agree::size(9000), 6, 9), 17);
    // All distances are equal: lists overflow, and brute force finishes
    const Index n = agree::only_small() ? 300 : 2500;
    expect_ids(make(n, n, [](Index r, Index c) { return r == c ? 1.0F : 0.0F; }), 5);
    // Shuffled, with duplicates
    const Data few = whole_numbers(2000, 12, 2);
    expect_ids(make(agree::size(9000), 12,
                    [&](Index r, Index c) { return few.view()(static_cast<Index>(Offset{r} * 7919 % 2000), c); }),
               30);
}

TEST(CudaNeighbors, CellsReachTheWantedRecall) {
    DUNLIN_NEEDS_GPU();
    const Data data = clouds(agree::size(60000), 20);
    device::Cpu cpu;
    const Graph truth = search_all(cpu, data.view(), 30, Metric::euclidean).graph;
    Index probes = 0;
    for (const double recall : {0.6, 0.9, 0.99}) {
        const Result found = approximately(data, {.k = 30, .method = Method::approximate, .recall = recall});
        EXPECT_EQ(found.options.method, Method::approximate);
        EXPECT_GE(found.recall, recall);
        EXPECT_NEAR(recall_of_graph(found.graph, truth), found.recall, 4 * found.recall_se + 0.002);
        EXPECT_GT(found.probes, probes);
        probes = found.probes;
        for (Index r = 0; r < data.rows; ++r) {
            std::vector<Index> list(found.graph.targets.data() + Offset{r} * 30,
                                    found.graph.targets.data() + Offset{r + 1} * 30);
            std::sort(list.begin(), list.end());
            ASSERT_EQ(std::adjacent_find(list.begin(), list.end()), list.end()) << "row " << r;
            ASSERT_FALSE(std::binary_search(list.begin(), list.end(), r));
            ASSERT_GE(list.front(), 0);
            ASSERT_LT(list.back(), data.rows);
        }
    }
}

TEST(CudaNeighbors, ProbesAsManyCellsAsGiven) {
    DUNLIN_NEEDS_GPU();
    const Data data = clouds(agree::size(20000), 20);
    device::Cpu cpu;
    const Graph truth = search_all(cpu, data.view(), 30, Metric::euclidean).graph;
    for (const Index cells : {1, 7, 900}) {
        const Options options{.k = 30, .method = Method::approximate, .probes = cells, .cells = cells};
        const Result found = approximately(data, options);
        EXPECT_EQ(found.probes, cells);
        expect_same(found.graph, truth);
    }
    EXPECT_GT(approximately(data, {.k = 30, .method = Method::approximate, .probes = 1, .cells = 7}).recall,
              approximately(data, {.k = 30, .method = Method::approximate, .probes = 1, .cells = 900}).recall);
}

/// Half of the rows are a uniform background with low recall, each eight times; half are dense clusters. Shuffled.
Data background_with_copies() {
    return make(8000, 50, [](Index r, Index c) {
        const auto p = static_cast<Index>(Offset{r} * 4099 % 8000);
        if (p < 4000) return 18 * uniform(3, p / 8, c) - 9;
        return 3 * bell(4, p % 50, c) + 0.05F * bell(5, p, c);
    });
}

TEST(CudaNeighbors, SampleIsThatOfTheCpu) {
    DUNLIN_NEEDS_GPU();
    const Data data = background_with_copies();
    device::Cpu cpu;
    const distance::Space space(cpu, data.view(), Metric::euclidean);
    const DistinctRows groups = find_distinct_rows(cpu, space);
    const ItemTransform transform(space, groups);
    device::Cuda cuda(dunlin::Run{.seed = 5});
    const device::DevicePoints points = device::hold_points(cuda, data.view());
    const ItemSource items(cuda, points, Metric::euclidean);
    for (const SearchParameters& parameters :
         {SearchParameters{.exact = false}, SearchParameters{.exact = false, .probes = 3},
          SearchParameters{.exact = false, .codes = 20}}) {
        const RecallSample host = sample_items(transform, sample_size(parameters), 15, 5);
        const CudaRecallSample found(cuda, items.groups(), data.rows, 15, parameters);
        EXPECT_EQ(found.sample().rows(), host.rows());
        EXPECT_EQ(found.sample().test_rows(), host.test_rows());
        EXPECT_EQ(found.items(), host.items());
        for (std::size_t i = 0; i < host.items().size(); ++i) {
            EXPECT_EQ(found.sample().calibrates(i), host.calibrates(i));
            EXPECT_EQ(found.sample().measures(i), host.measures(i));
        }
    }
}

TEST(CudaNeighbors, RecallIsThatOfTheTestRowsOnBothDevices) {
    DUNLIN_NEEDS_GPU();
    const Data data = background_with_copies();
    device::Cpu cpu;
    const Graph truth = search_all(cpu, data.view(), 15, Metric::euclidean).graph;
    for (const Index codes : {0, 20}) {
        for (const std::optional<Index> probes : {std::optional<Index>{}, std::optional<Index>{4}}) {
            Options options{.k = 15, .method = Method::approximate, .probes = probes, .codes = codes};
            if (!probes) options.recall = 0.6;
            if (codes > 0) options.rerank = 4;
            const RecallSample sample(data.rows, sample_size(resolve_parameters(data.rows, 50, options, Device::cpu)),
                                      15, 5);
            for (const Device device : {Device::cpu, Device::cuda}) {
                const Result found = search(data.view(), options, {.device = device, .seed = 5});
                EXPECT_EQ(found.options.method, Method::approximate);
                EXPECT_NEAR(found.recall, recall_of_rows(found.graph, truth, sample.test_rows()), 2e-4) << codes;
                EXPECT_NEAR(found.recall, recall_of_graph(found.graph, truth), 4 * found.recall_se);
                EXPECT_GT(found.recall_se, 0);
                EXPECT_GE(found.recall, probes ? 0.0 : 0.6) << codes;
            }
        }
    }
}

TEST(CudaNeighbors, WithFewRowsAllAreMeasured) {
    DUNLIN_NEEDS_GPU();
    const Data data = make(900, 20, [](Index r, Index c) { return bell(6, r - r % 3, c); });
    device::Cpu cpu;
    const Graph truth = search_all(cpu, data.view(), 5, Metric::euclidean).graph;
    const Result found = approximately(data, {.k = 5, .method = Method::approximate, .probes = 2});
    EXPECT_NEAR(found.recall, recall_of_graph(found.graph, truth), 1e-12);
    EXPECT_EQ(found.recall_se, 0);
}

TEST(CudaNeighbors, ProbesAndCellsAreRefusedWhereTheSearchIsExact) {
    DUNLIN_NEEDS_GPU();
    const Data data = make(5000, 20, [](Index r, Index c) { return bell(6, r % 200, c); });
    const auto refused = [&](const Options& options) {
        return refusal(Fault::bad_input, [&] { approximately(data, options); });
    };
    EXPECT_NE(refused({.k = 5, .method = Method::approximate, .probes = 3}).find("probes is 3"), std::string::npos);
    EXPECT_NE(refused({.k = 5, .method = Method::approximate, .cells = 9}).find("cells is 9"), std::string::npos);
    EXPECT_EQ(approximately(data, {.k = 5, .method = Method::approximate}).options.method, Method::exact);
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

TEST(CudaNeighbors, CellsAreDeterministic) {
    DUNLIN_NEEDS_GPU();
    const Data data = clouds(agree::size(40000), 50);
    const Options options{.k = 30, .method = Method::approximate, .probes = 5};
    const Result first = approximately(data, options), second = approximately(data, options);
    EXPECT_EQ(first.graph.targets, second.graph.targets);
    EXPECT_EQ(first.graph.weights, second.graph.weights);
    EXPECT_EQ(first.recall, second.recall);
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

TEST(CudaNeighbors, CellsRefuseLargeValues) {
    DUNLIN_NEEDS_GPU();
    Data data = cloud(3000, 5);
    data.values[1234 * 5 + 2] = 2e15F;
    try {
        approximately(data, {.k = 5, .method = Method::approximate});
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("row 1234"), std::string::npos) << error.what();
    }
    EXPECT_EQ(approximately(data, {.k = 5, .metric = Metric::cosine, .method = Method::approximate}).graph.size(),
              3000);
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

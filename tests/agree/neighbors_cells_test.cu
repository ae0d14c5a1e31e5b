// SPDX-License-Identifier: Apache-2.0
// The search among inverted lists (cells) on a GPU, and its estimate of the recall.
#include <dunlin/error.hpp>

#include "agree/neighbors.hpp"
#include "device/cpu.hpp"
#include "neighbors/cuda/recall/recall_sample.cuh"
#include "neighbors/cuda/search.cuh"
#include "neighbors/search_rows.hpp"
#include "refusal.hpp"

namespace dunlin::neighbors {
namespace {

Result approximately(const Data& data, const Options& options) {
    return search(data.view(), options, {.device = Device::cuda});
}

TEST(CudaNeighborsByCells, AllCellsHoldAllNeighbors) {
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
TEST(CudaNeighborsByCells, TiesInCellsGoById) {
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

TEST(CudaNeighborsByCells, CellsReachTheWantedRecall) {
    DUNLIN_NEEDS_GPU();
    const Data data = clouds(agree::size(60000), 20);
    device::Cpu cpu;
    const Graph truth = search_all(cpu, data.view(), 30, Metric::euclidean).graph;
    Index probes = 0;
    for (const double recall : {0.6, 0.9, 0.99}) {
        const Result found = approximately(data, {.k = 30, .method = Method::approximate, .recall = recall});
        EXPECT_EQ(found.options.method, Method::approximate);
        EXPECT_GE(found.recall, recall);
        EXPECT_NEAR(recall_of_graph(found.graph, truth), found.recall, cases::recall_margin(found.recall_se));
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

TEST(CudaNeighborsByCells, ProbesAsManyCellsAsGiven) {
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

TEST(CudaNeighborsByCells, SampleIsThatOfTheCpu) {
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

TEST(CudaNeighborsByCells, RecallIsThatOfTheTestRowsOnBothDevices) {
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
                EXPECT_NEAR(found.recall, recall_of_rows(found.graph, truth, sample.test_rows()),
                            cases::recall_of_test_rows)
                    << codes;
                EXPECT_NEAR(found.recall, recall_of_graph(found.graph, truth), 4 * found.recall_se);
                EXPECT_GT(found.recall_se, 0);
                EXPECT_GE(found.recall, probes ? 0.0 : 0.6) << codes;
            }
        }
    }
}

TEST(CudaNeighborsByCells, WithFewRowsAllAreMeasured) {
    DUNLIN_NEEDS_GPU();
    const Data data = make(900, 20, [](Index r, Index c) { return bell(6, r - r % 3, c); });
    device::Cpu cpu;
    const Graph truth = search_all(cpu, data.view(), 5, Metric::euclidean).graph;
    const Result found = approximately(data, {.k = 5, .method = Method::approximate, .probes = 2});
    EXPECT_NEAR(found.recall, recall_of_graph(found.graph, truth), cases::recall_rounding);
    EXPECT_EQ(found.recall_se, 0);
}

TEST(CudaNeighborsByCells, ProbesAndCellsAreRefusedWhereTheSearchIsExact) {
    DUNLIN_NEEDS_GPU();
    const Data data = make(5000, 20, [](Index r, Index c) { return bell(6, r % 200, c); });
    const auto refused = [&](const Options& options) {
        return refusal(Fault::bad_input, [&] { approximately(data, options); });
    };
    EXPECT_NE(refused({.k = 5, .method = Method::approximate, .probes = 3}).find("probes is 3"), std::string::npos);
    EXPECT_NE(refused({.k = 5, .method = Method::approximate, .cells = 9}).find("cells is 9"), std::string::npos);
    EXPECT_EQ(approximately(data, {.k = 5, .method = Method::approximate}).options.method, Method::exact);
}

TEST(CudaNeighborsByCells, CellsAreDeterministic) {
    DUNLIN_NEEDS_GPU();
    const Data data = clouds(agree::size(40000), 50);
    const Options options{.k = 30, .method = Method::approximate, .probes = 5};
    const Result first = approximately(data, options), second = approximately(data, options);
    EXPECT_EQ(first.graph.targets, second.graph.targets);
    EXPECT_EQ(first.graph.weights, second.graph.weights);
    EXPECT_EQ(first.recall, second.recall);
}

TEST(CudaNeighborsByCells, CellsRefuseLargeValues) {
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

}  // namespace
}  // namespace dunlin::neighbors

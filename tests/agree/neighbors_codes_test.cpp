// SPDX-License-Identifier: Apache-2.0
#include <dunlin/error.hpp>

#include "agree/agree.hpp"
#include "cases/neighbors.hpp"
#include "device/cpu.hpp"
#include "neighbors/cuda/search.cuh"
#include "neighbors/search_rows.hpp"
#include "refusal.hpp"

/// The search by codes on a GPU, with the points in its memory or in the host's.
namespace dunlin::neighbors {
namespace {

SearchParameters by_codes(Index codes, double recall = default_recall) {
    return {.exact = false, .recall = recall, .codes = codes};
}

struct DownloadedResult {
    Graph graph;
    FoundOnDevice how;  ///< without its graph
};

DownloadedResult search_by_codes(const Data& data, Index k, const SearchParameters& parameters,
                                 Metric metric = Metric::euclidean, bool held = true, const dunlin::Run& run = {}) {
    device::Cuda cuda(run);
    device::DevicePoints points{data.view(), {}};
    if (held) points = device::hold_points(cuda, data.view());
    EXPECT_EQ(points.held(), held);
    DownloadedResult found;
    found.how = search_on_device(cuda, points, k, metric, parameters);
    if (found.how.graph.size() > 0) found.graph = graph::download(cuda, found.how.graph);
    found.how.graph = {};
    return found;
}

void expect_same(const DownloadedResult& a, const DownloadedResult& b) {
    EXPECT_EQ(a.graph.targets, b.graph.targets);
    EXPECT_EQ(a.graph.weights, b.graph.weights);
    EXPECT_EQ(a.how.recall, b.how.recall);
    EXPECT_EQ(a.how.probes, b.how.probes);
}

TEST(CudaNeighborsByCodes, ReachTheWantedRecallAndMeasureIt) {
    DUNLIN_NEEDS_GPU();
    struct Case {
        Data data;
        Metric metric;
        Index codes;
    };
    for (const auto& [data, metric, codes] :
         {Case{clustered(agree::size(40000), 24), Metric::euclidean, 12},
          Case{gaussian(agree::size(20000), 20), Metric::euclidean, 10}, Case{gaussian(6000, 30), Metric::cosine, 15},
          Case{clustered(6000, 200), Metric::correlation, 60}}) {
        const Graph truth = exactly(data, 20, metric);
        for (const double recall : {0.7, 0.95}) {
            const DownloadedResult found = search_by_codes(data, 20, by_codes(codes, recall), metric);
            EXPECT_EQ(found.how.method, Method::approximate);
            EXPECT_GE(found.how.recall, recall);
            EXPECT_NEAR(recall_of_graph(found.graph, truth), found.how.recall,
                        cases::recall_margin(found.how.recall_se));
            expect_lists(data, metric, found.graph, 20);
        }
    }
}

TEST(CudaNeighborsByCodes, AreDeterministicForPointsInEitherMemory) {
    DUNLIN_NEEDS_GPU();
    const Data twice =
        make(agree::size(20000), 40, [](Index r, Index c) { return normal(5, r % 3 == 0 ? r - r % 9 : r, c); });
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::correlation}) {
        const DownloadedResult held = search_by_codes(twice, 20, by_codes(20, 0.9), metric);
        expect_lists(twice, metric, held.graph, 20);
        expect_same(held, search_by_codes(twice, 20, by_codes(20, 0.9), metric));
        expect_same(held, search_by_codes(twice, 20, by_codes(20, 0.9), metric, false));
    }
}

TEST(CudaNeighborsByCodes, RowsAreCopiedPieceByPiece) {
    DUNLIN_NEEDS_GPU();
    const Data data = make(40000, 784, [](Index r, Index c) { return normal(3, r, c % 20); });
    const DownloadedResult whole = search_by_codes(data, 15, by_codes(20, 0.8), Metric::euclidean, false);
    expect_lists(data, Metric::euclidean, whole.graph, 15);
    // The same blocks of queries, but the rows that they select do not fit together
    expect_same(whole, search_by_codes(data, 15, by_codes(20, 0.8), Metric::euclidean, false, {.memory = 1340000000}));
}

TEST(CudaNeighborsByCodes, AllCellsAndExactCodesGiveTheExactGraph) {
    DUNLIN_NEEDS_GPU();
    for (const Data& data : {gaussian(256, 8), integers(256, 6, 9), clustered(256, 12)}) {
        SearchParameters parameters = by_codes(4);
        parameters.probes = 1000;
        const DownloadedResult found = search_by_codes(data, 15, parameters);
        EXPECT_EQ(found.how.recall, 1);
        EXPECT_EQ(found.graph.weights, exactly(data, 15).weights);
        expect_lists(data, Metric::euclidean, found.graph, 15);
    }
}

TEST(CudaNeighborsByCodes, RowsOfEqualCodesAreMeasured) {
    DUNLIN_NEEDS_GPU();
    // Half of the rows are so close together that they share one code
    const Data data = make(6000, 12, [](Index r, Index c) { return (r % 2 == 0 ? 1e-5F : 1.0F) * normal(3, r, c); });
    for (const bool held : {true, false}) {
        const DownloadedResult found = search_by_codes(data, 20, by_codes(6, 0.9), Metric::euclidean, held);
        EXPECT_GE(found.how.recall, 0.9 - 2 * found.how.recall_se);
        EXPECT_GT(recall_of_graph(found.graph, exactly(data, 20)), 0.88);
        expect_lists(data, Metric::euclidean, found.graph, 20);
    }
}

TEST(CudaNeighborsByCodes, EveryListOverflows) {
    DUNLIN_NEEDS_GPU();
    // Two clumps in one cell, larger than a list: half precision does not distinguish the rows of a clump
    const Data data =
        make(6000, 12, [](Index r, Index c) { return static_cast<float>(r % 2) + 1e-6F * normal(3, r, c); });
    SearchParameters parameters = by_codes(1, 0.9);
    parameters.cells = 1;
    for (const bool held : {true, false}) {
        const DownloadedResult found = search_by_codes(data, 20, parameters, Metric::euclidean, held);
        EXPECT_GT(recall_of_graph(found.graph, exactly(data, 20)), 0.88);
        expect_lists(data, Metric::euclidean, found.graph, 20);
    }
}

TEST(CudaNeighborsByCodes, RestartedListsAreDeterministic) {
    DUNLIN_NEEDS_GPU();
    // Sparse rows among dense ones: the first tiles give a poor estimate of the search radius
    const Data data =
        make(agree::size(40000), 8, [](Index r, Index c) { return (r % 20 == 0 ? 3.0F : 0.05F) * normal(6, r, c); });
    const DownloadedResult first = search_by_codes(data, 60, by_codes(8, 0.9));
    for (int run = 0; run < 3; ++run) expect_same(first, search_by_codes(data, 60, by_codes(8, 0.9)));
    expect_same(first, search_by_codes(data, 60, by_codes(8, 0.9), Metric::euclidean, false));
}

TEST(CudaNeighborsByCodes, OutliersDoNotReduceTheRecall) {
    DUNLIN_NEEDS_GPU();
    const Data data = make(6000, 16, [](Index r, Index c) { return (r % 500 == 1 ? 1e18F : 1.0F) * normal(3, r, c); });
    const DownloadedResult found = search_by_codes(data, 20, by_codes(16));
    EXPECT_GT(recall_of_graph(found.graph, exactly(data, 20)), cases::min_default_recall);
}

TEST(CudaNeighborsByCodes, AnyNumberOfRowsAndNeighbors) {
    DUNLIN_NEEDS_GPU();
    for (const Index rows : {1, 2, 40, 255, 256, 700}) {
        const Data data = gaussian(rows, 5);
        for (const Index k : {3, 300}) {
            expect_lists(data, Metric::euclidean, search_by_codes(data, k, by_codes(5, 0.9)).graph,
                         std::min(k, rows - 1));
        }
    }
    const Data data = gaussian(5000, 30);
    expect_lists(data, Metric::euclidean, search_by_codes(data, 600, by_codes(30, 0.9)).graph, 600);
}

TEST(CudaNeighborsByCodes, MoreRerankedOrMoreBytesFindMore) {
    DUNLIN_NEEDS_GPU();
    const Data data = gaussian(4000, 32);
    const auto recall = [&](Index codes, Index rerank) {
        const SearchParameters parameters{.exact = false, .probes = 1000, .codes = codes, .rerank = rerank};
        return search_by_codes(data, 20, parameters).how.recall;
    };
    EXPECT_LT(recall(4, 1), recall(16, 1));
    EXPECT_LT(recall(4, 1), recall(4, 4));
    EXPECT_LT(recall(4, 4), recall(4, 32));
}

TEST(CudaNeighborsByCodes, RefuseWhatTheyCannotUse) {
    DUNLIN_NEEDS_GPU();
    const Data data = gaussian(3000, 30);
    const auto refused = [&](const SearchParameters& parameters) {
        return refusal(Fault::bad_input, [&] { search_by_codes(data, 20, parameters); });
    };
    EXPECT_NE(refused({.exact = false, .codes = 2, .rerank = 1}).find("out of reach"), std::string::npos);
    EXPECT_NE(refused({.exact = false, .codes = 20, .rerank = 149}).find("rerank is 149"), std::string::npos);
    const std::string memory = refusal(Fault::out_of_memory, [&] {
        search_by_codes(data, 20, by_codes(15), Metric::euclidean, false, {.memory = 1000000});
    });
    EXPECT_NE(memory.find("GB"), std::string::npos) << memory;
}

TEST(CudaNeighborsByCodes, StopGivesAnEmptyGraph) {
    DUNLIN_NEEDS_GPU();
    std::stop_source source;
    source.request_stop();
    const DownloadedResult found =
        search_by_codes(gaussian(5000, 10), 5, by_codes(5), Metric::euclidean, true, {.stop = source.get_token()});
    EXPECT_EQ(found.graph.edges(), 0);
}

}  // namespace
}  // namespace dunlin::neighbors

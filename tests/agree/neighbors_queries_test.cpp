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

Data rows_of(const Data& data, Index first, Index count) {
    return make(count, data.cols, [&](Index r, Index c) { return data.view()(first + r, c); });
}

struct Downloaded {
    Graph graph;
    FoundOnDevice how;  ///< without its graph
};

Downloaded on_device(const Data& points, const Data& queries, Index k, Metric metric = Metric::euclidean,
                     const SearchParameters& parameters = {}, bool held = true, const dunlin::Run& run = {}) {
    device::Cuda cuda(run);
    device::DevicePoints there{points.view(), {}};
    if (held) there = device::hold_points(cuda, points.view());
    EXPECT_EQ(there.held(), held);
    Downloaded found;
    found.how = search_queries_on_device(cuda, there, queries.view(), k, metric, parameters);
    if (found.how.graph.size() > 0) found.graph = graph::download(cuda, found.how.graph);
    found.how.graph = {};
    return found;
}

Graph on_cpu(const Data& points, const Data& queries, Index k, Metric metric = Metric::euclidean) {
    device::Cpu cpu;
    return search_queries(cpu, points.view(), queries.view(), k, metric).graph;
}

void expect_same(const Graph& found, const Graph& expected) {
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

void expect_agreement(const Data& points, const Data& queries, Index k, Metric metric = Metric::euclidean,
                      const dunlin::Run& run = {}, bool held = true, const SearchParameters& parameters = {}) {
    SCOPED_TRACE(testing::Message() << points.rows << " x " << points.cols << ", " << queries.rows << " queries, k "
                                    << k << ", " << name_of(metric));
    expect_same(on_device(points, queries, k, metric, parameters, held, run).graph, on_cpu(points, queries, k, metric));
}

TEST(CudaNeighborsOfQueries, AwkwardSizes) {
    DUNLIN_NEEDS_GPU();
    for (const Index rows : agree::sizes({1, 2, 31, 32, 33, 257, 1000})) {
        for (const Index cols : {3, 50}) {
            for (const Metric metric : metrics) {
                const Data points = cloud(rows, cols, 1);
                for (const Index count : {1, 31, 32, 33, 300}) {
                    expect_agreement(points, queries_of(points, count), 7, metric);
                }
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
    Data unfit = queries_of(points, 100);
    unfit.values[20 * 33 + 1] = NAN;
    for (const Index codes : {0, 20}) {
        const Options approximate{.k = 9, .method = Method::approximate, .recall = 0.9, .codes = codes};
        const Result near = search(points.view(), queries.view(), approximate, run);
        EXPECT_EQ(near.options.method, Method::approximate);
        EXPECT_EQ(near.device, Device::cuda);
        EXPECT_GT(near.probes, 0);
        EXPECT_GE(near.recall, 0.9);
        EXPECT_GT(recall_of_graph(near.graph, found.graph), 0.85);
        EXPECT_EQ(search(points.view(), MatrixView<const float>{nullptr, 0, 20}, approximate, run).graph.size(), 0);
        EXPECT_NE(refusal([&] { search(points.view(), unfit.view(), approximate, run); }).find("query row 33"),
                  std::string::npos);
    }
    EXPECT_NE(refusal([&] { search(points.view(), unfit.view(), exact, run); }).find("query row 33"),
              std::string::npos);
    const Data few = cloud(100, 20, 1);
    EXPECT_NE(refusal([&] {
                  search(few.view(), queries.view(), {.method = Method::approximate, .probes = 3}, run);
              }).find("probes is 3"),
              std::string::npos);
}

// In cells: by all rows of the probed cells, or by their codes

SearchParameters in_cells(Index codes, double recall = 0.9) {
    return {.exact = false, .recall = recall, .codes = codes};
}

Data manifold(Index rows, Index cols, std::uint64_t seed) {
    return make(rows, cols, [&](Index r, Index c) {
        float sum = 0.05F * normal(seed + 100, r, c);
        for (Index axis = 0; axis < 6; ++axis) sum += normal(seed, r, axis) * normal(50, axis, c);
        return sum;
    });
}

/// Also points and rows far outside.
Data mixed(const Data& points, const Data& like) {
    return make(like.rows, points.cols, [&](Index r, Index c) {
        if (r % 8 == 1) return points.view()(r * 31 % points.rows, c);
        if (r % 8 == 3) return (r % 16 == 3 ? 0.0F : 1000.0F) * like.view()(r, c);
        return like.view()(r, c) + (r % 8 == 4 && c == 0 ? 1e6F : 0.0F);
    });
}

TEST(CudaNeighborsOfQueriesInCells, AllCellsHoldAllNeighbors) {
    DUNLIN_NEEDS_GPU();
    const SearchParameters all{.exact = false, .probes = 100000};
    const auto expect_all = [&](const Data& points, Index count, Index k, Metric metric) {
        expect_agreement(points, queries_of(points, count), k, metric, {}, true, all);
    };
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::correlation}) {
        for (const Index count : {1, 31, 32, 33, 1000}) expect_all(clouds(1000, 50), count, 15, metric);
        for (const Index k : {1, 90}) expect_all(clouds(agree::size(20000), 20), agree::size(3000), k, metric);
    }
    expect_all(clouds(agree::size(20000), 96), agree::size(20000), 30, Metric::euclidean);
    for (const Index k : {299, 300, 900}) expect_all(cloud(300, 5, 1), 33, k, Metric::euclidean);
}

TEST(CudaNeighborsOfQueriesInCells, TiesAndDuplicatesGoById) {
    DUNLIN_NEEDS_GPU();
    const SearchParameters all{.exact = false, .probes = 100000};
    const Data few = integers(2000, 12, 2);
    const Data twice = make(agree::size(9000), 12, [&](Index r, Index c) {
        return few.view()(static_cast<Index>(Offset{r} * 7919 % 2000), c);
    });
    for (const Data& points : {twice, integers(agree::size(20000), 8, 3)}) {
        const Data queries = make(500, points.cols, [&](Index r, Index c) { return points.view()(r * 17 % 1500, c); });
        for (const Index k : {1, 30}) {
            const Graph found = on_device(points, queries, k, Metric::euclidean, all).graph,
                        expected = on_cpu(points, queries, k);
            EXPECT_EQ(found.targets, expected.targets);
            EXPECT_EQ(found.weights, expected.weights);
        }
    }
}

TEST(CudaNeighborsOfQueriesInCells, ReachTheRecallOfThePoints) {
    DUNLIN_NEEDS_GPU();
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::correlation}) {
        const Data points = manifold(agree::size(20000), 24, 1), queries = manifold(agree::size(3000), 24, 2);
        const Graph truth = on_cpu(points, queries, 10, metric);
        for (const Index codes : {0, 12}) {
            for (const double recall : {0.7, 0.95}) {
                SCOPED_TRACE(testing::Message() << name_of(metric) << ", codes " << codes << ", recall " << recall);
                const Downloaded found = on_device(points, queries, 10, metric, in_cells(codes, recall));
                EXPECT_EQ(found.how.method, Method::approximate);
                EXPECT_GE(found.how.recall, recall);
                EXPECT_GT(recall_of_graph(found.graph, truth), recall - 0.03);
                const Downloaded one = on_device(points, rows_of(queries, 7, 1), 10, metric, in_cells(codes, recall));
                EXPECT_EQ(one.how.probes, found.how.probes);
                EXPECT_EQ(one.how.recall, found.how.recall);
            }
        }
    }
}

/// Some queries of a search of all find the same bytes alone.
void expect_independent(const Data& points, const Data& queries, Index k, Metric metric,
                        const SearchParameters& parameters, std::initializer_list<std::pair<Index, Index>> parts) {
    const Graph all = on_device(points, queries, k, metric, parameters).graph;
    ASSERT_EQ(all.size(), queries.rows);
    for (const auto& [first, count] : parts) {
        const Graph some = on_device(points, rows_of(queries, first, count), k, metric, parameters).graph;
        const auto from = static_cast<std::size_t>(all.offsets[static_cast<std::size_t>(first)]);
        ASSERT_LE(from + some.targets.size(), all.targets.size());
        Offset others = 0;
        for (std::size_t e = 0; e < some.targets.size(); ++e) {
            others += some.targets[e] != all.targets[from + e] || some.weights[e] != all.weights[from + e] ? 1 : 0;
        }
        EXPECT_EQ(others, 0) << "queries " << first << " to " << first + count << " of " << queries.rows;
    }
}

TEST(CudaNeighborsOfQueriesInCells, DependOnNoOtherQuery) {
    DUNLIN_NEEDS_GPU();
    for (const Index codes : {0, 8}) {
        for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
            for (const Index cols : {16, 180}) {
                SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << cols << " columns, codes " << codes);
                const Data points = manifold(4000, cols, 1), queries = mixed(points, manifold(600, cols, 2));
                expect_independent(points, queries, 10, metric, in_cells(codes, 0.8),
                                   {{0, 1}, {1, 1}, {3, 1}, {4, 1}, {11, 1}, {5, 33}, {300, 300}});
            }
        }
        // Lists overflow: sparse rows among dense ones, and rows of one code
        const auto uneven = [](Index seed) {
            return [=](Index r, Index c) {
                return (r % 20 == 0 ? 3.0F : 0.05F) * normal(static_cast<std::uint64_t>(seed), r, c);
            };
        };
        const Data points = make(agree::size(40000), 8, uneven(6)), queries = make(1200, 8, uneven(7));
        SearchParameters few = in_cells(codes);
        few.probes = 12;
        expect_independent(points, queries, 60, Metric::euclidean, few, {{0, 1}, {7, 1}, {20, 40}});
        const auto clumps = [](Index seed) {
            return [=](Index r, Index c) {
                return static_cast<float>(r % 2) + 1e-6F * normal(static_cast<std::uint64_t>(seed), r, c);
            };
        };
        SearchParameters one_cell = in_cells(codes > 0 ? 1 : 0);
        one_cell.cells = one_cell.probes = 1;
        expect_independent(make(6000, 12, clumps(3)), make(300, 12, clumps(4)), 20, Metric::euclidean, one_cell,
                           {{0, 1}, {1, 1}, {10, 100}});
    }
}

/// More queries than are assigned to cells together.
TEST(CudaNeighborsOfQueriesInCells, BatchesOfQueries) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "no small case";
    const auto wave = [](Index r, Index c) {
        return std::sin(0.001F * static_cast<float>(r) * static_cast<float>(c % 13)) +
               0.1F * static_cast<float>((r * 31 + c * 17) % 101);
    };
    const Data points = make(2000, 1000, wave), queries = make(40000, 1000, [&](Index r, Index c) {
                                                    return wave(r % 2000, c) + 0.01F * static_cast<float>(r % 7);
                                                });
    for (const Index codes : {0, 40}) {
        expect_independent(points, queries, 10, Metric::euclidean, in_cells(codes, 0.7),
                           {{0, 300}, {16000, 2000}, {39990, 10}});
    }
}

/// More rows share a code than a list holds.
TEST(CudaNeighborsOfQueriesInCells, RowsOfEqualCodesAreMeasured) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "no small case";
    const Data points = gaussian(300000, 5), queries = gaussian(200, 5, 2);
    SearchParameters parameters = in_cells(1, 0.85);
    parameters.cells = 1;
    for (const bool held : {true, false}) {
        const Downloaded found = on_device(points, queries, 20, Metric::euclidean, parameters, held);
        EXPECT_GE(found.how.recall, 0.85);
        EXPECT_GT(recall_of_graph(found.graph, on_cpu(points, queries, 20)), 0.83);
    }
    parameters.probes = 1;
    expect_independent(points, queries, 20, Metric::euclidean, parameters, {{0, 1}, {1, 1}, {50, 30}});
}

TEST(CudaNeighborsOfQueriesInCells, FarOutsideAreExact) {
    DUNLIN_NEEDS_GPU();
    const Data points = manifold(4000, 20, 1);
    const Data far = make(5000, 20, [](Index r, Index c) { return 1000 * normal(9, r, c); });
    for (const Index codes : {0, 8}) {
        expect_agreement(points, far, 10, Metric::euclidean, {}, true, in_cells(codes));
    }
    expect_agreement(points, far, 10, Metric::euclidean, {}, false, in_cells(8));
}

/// The least memory leaves fewer lists than far queries are searched together.
TEST(CudaNeighborsOfQueriesInCells, FarOutsideInLittleMemory) {
    DUNLIN_NEEDS_GPU();
    if (agree::only_small()) GTEST_SKIP() << "no small case";
    const Data points = manifold(4000, 20, 1);
    const Data far = make(10000, 20, [](Index r, Index c) { return 1000 * normal(9, r, c); });
    const Graph expected = on_cpu(points, far, 10);
    for (const Index codes : {0, 8}) {
        int searched = 0;
        for (std::uint64_t memory = std::uint64_t{8} << 20; searched < 3 && memory < std::uint64_t{1} << 32;
             memory += memory / 8) {
            try {
                expect_same(
                    on_device(points, far, 10, Metric::euclidean, in_cells(codes), true, {.memory = memory}).graph,
                    expected);
                ++searched;
            } catch (const Error& error) {
                ASSERT_EQ(error.fault(), Fault::out_of_memory) << error.what();
            }
        }
        EXPECT_EQ(searched, 3) << codes;
    }
}

TEST(CudaNeighborsOfQueriesInCells, PointsInEitherMemory) {
    DUNLIN_NEEDS_GPU();
    const Data points =
        make(agree::size(20000), 40, [](Index r, Index c) { return normal(5, r % 3 == 0 ? r - r % 9 : r, c % 8); });
    const Data queries = mixed(points, make(2000, 40, [](Index r, Index c) { return normal(6, r, c % 8); }));
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::correlation}) {
        const Downloaded held = on_device(points, queries, 20, metric, in_cells(20));
        const Downloaded streamed = on_device(points, queries, 20, metric, in_cells(20), false);
        EXPECT_EQ(held.graph.targets, streamed.graph.targets);
        EXPECT_EQ(held.graph.weights, streamed.graph.weights);
        EXPECT_EQ(held.how.recall, streamed.how.recall);
        EXPECT_EQ(held.how.probes, streamed.how.probes);
    }
}

TEST(CudaNeighborsOfQueriesInCells, SmallestSizesAndDuplicates) {
    DUNLIN_NEEDS_GPU();
    for (const Index codes : {0, 8}) {
        for (const Index rows : {1, 2, 33, 256, 300, 700}) {
            for (const Index k : {1, 5, 800}) {
                SearchParameters parameters = in_cells(codes);
                parameters.rerank = 10;
                if (codes > 0 && k == 800) parameters.rerank = 1;
                const Data twice = make(rows, 16, [&](Index r, Index c) { return normal(1, r / 2, c); });
                const Data same = make(rows, 16, [](Index, Index c) { return static_cast<float>(c); });
                for (const Data& points : {gaussian(rows, 16), twice, same}) {
                    SCOPED_TRACE(testing::Message() << rows << " rows, k " << k << ", codes " << codes);
                    const Data queries = mixed(points, gaussian(37, 16, 2));
                    const Graph found = on_device(points, queries, k, Metric::euclidean, parameters).graph;
                    const Index degree = std::min(k, rows);
                    ASSERT_EQ(found.edges(), Offset{queries.rows} * degree);
                    if (degree == rows) expect_same(found, on_cpu(points, queries, k));
                    for (Index q = 0; q < queries.rows; ++q) {
                        const auto begin = found.targets.begin() + Offset{q} * degree;
                        std::vector<Index> seen(begin, begin + degree);
                        std::sort(seen.begin(), seen.end());
                        ASSERT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "query " << q;
                        ASSERT_GE(seen.front(), 0);
                        ASSERT_LT(seen.back(), rows);
                    }
                }
            }
        }
    }
}

TEST(CudaNeighborsOfQueriesInCells, StopGivesAnEmptyGraph) {
    DUNLIN_NEEDS_GPU();
    std::stop_source source;
    source.request_stop();
    for (const Index codes : {0, 5}) {
        const Downloaded found = on_device(gaussian(5000, 10), gaussian(50, 10, 2), 5, Metric::euclidean,
                                           in_cells(codes), true, {.stop = source.get_token()});
        EXPECT_EQ(found.graph.edges(), 0);
    }
}

TEST(CudaNeighborsOfQueriesInCells, TooLittleMemoryIsRefusedBeforeTheSearch) {
    DUNLIN_NEEDS_GPU();
    const Data points = cloud(3000, 30, 1), queries = cloud(300, 30, 2);
    for (const Index codes : {0, 15}) {
        const std::string memory = refusal(Fault::out_of_memory, [&] {
            on_device(points, queries, 20, Metric::euclidean, in_cells(codes), true, {.memory = 3000000});
        });
        EXPECT_NE(memory.find("GB"), std::string::npos) << memory;
    }
}

}  // namespace
}  // namespace dunlin::neighbors

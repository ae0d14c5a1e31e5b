// SPDX-License-Identifier: Apache-2.0
#include <dunlin/error.hpp>
#include <dunlin/neighbors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cases/neighbors.hpp"
#include "neighbors/search_rows.hpp"
#include "refusal.hpp"

namespace dunlin::neighbors {
namespace {

constexpr std::array metrics{Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation};
constexpr std::array metrics_and_products{Metric::euclidean, Metric::cosine, Metric::manhattan, Metric::correlation,
                                          Metric::inner_product};

TEST(Neighbors, GaussianRowsAgreeWithTheDefinition) {
    for (const Metric metric : metrics_and_products) {
        for (const Index cols : {1, 2, 3, 4, 5, 17, 64, 200}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << cols << " columns");
            expect_exact(gaussian(333, cols), metric, 10);
        }
    }
}

TEST(Neighbors, EveryNumberOfRows) {
    for (const Metric metric : metrics_and_products) {
        for (const Index rows : {1, 2, 3, 15, 16, 17, 63, 64, 65, 383, 384, 385, 769}) {
            SCOPED_TRACE(testing::Message() << name_of(metric) << ", " << rows << " rows");
            expect_exact(gaussian(rows, 6), metric, 5);
        }
    }
}

TEST(Neighbors, EveryK) {
    for (const Index k : {1, 2, 89, 90, 399, 400, 5000}) {
        expect_exact(gaussian(400, 9), Metric::euclidean, k, true);
        expect_exact(gaussian(400, 2), Metric::manhattan, k, true);
    }
}

TEST(Neighbors, ClustersFarApart) {
    for (const Metric metric : metrics_and_products) {
        for (const Index cols : {2, 10, 300}) expect_exact(clustered(500, cols), metric, 20);
    }
}

TEST(Neighbors, ValuesWhoseDistancesOverflowAreRefusedBeforeTheSearch) {
    const auto with = [](float value) {  // all of row 7; its negative half in row 9
        auto data = gaussian(50, 8);
        std::fill_n(data.values.begin() + 7 * 8, 8, value);
        std::fill_n(data.values.begin() + 9 * 8, 8, -value / 2);
        return data;
    };
    const auto said = [&](float value, Metric metric) {
        const auto data = with(value);
        return refusal(Fault::bad_input, [&] { search(data.view(), {.k = 5, .metric = metric}); });
    };
    for (const auto& [value, metric] :
         {std::pair{1e20F, Metric::inner_product}, {5e37F, Metric::manhattan}, {1.5e38F, Metric::euclidean}}) {
        EXPECT_NE(said(value, metric).find("row 7 (counting from 0)"), std::string::npos) << name_of(metric);
        EXPECT_NE(said(value, metric).find("scale the data"), std::string::npos) << name_of(metric);
    }
    EXPECT_EQ(said(1e18F, Metric::inner_product), "");
    EXPECT_EQ(said(1e37F, Metric::manhattan), "");
    EXPECT_EQ(said(1e38F, Metric::cosine), "");
    // A single long row has no second factor of its size
    auto data = gaussian(50, 8);
    data.values[7 * 8] = 1e20F;
    EXPECT_EQ(refusal([&] { search(data.view(), {.k = 5, .metric = Metric::inner_product}); }), "");
}

TEST(Neighbors, TiesGoById) {
    for (const Index cols : {1, 2, 3, 8, 40, 300}) {
        expect_exact(integers(600, cols, 3), Metric::euclidean, 12, true);
        expect_exact(integers(600, cols, 3), Metric::manhattan, 12, true);
    }
}

/// Also in the search by leaves when it scans all of them: ties at the k-th distance go to the lowest ids.
TEST(Neighbors, TiesAmongLeavesGoById) {
    const auto expect_ids = [](const Data& data, Index k, Metric metric) {
        const Options exact{.k = k, .metric = metric, .method = Method::exact};
        const Graph expected = search(data.view(), exact).graph;
        for (const int threads : {1, 2, 5}) {
            const Options all{.k = k, .metric = metric, .method = Method::approximate, .probes = 100000};
            const Graph found = search(data.view(), all, {.threads = threads}).graph;
            EXPECT_EQ(found.targets, expected.targets);
            EXPECT_EQ(found.weights, expected.weights);
        }
    };
    for (const Metric metric : {Metric::euclidean, Metric::cosine}) {
        expect_ids(integers(4000, 8, 3), 40, metric);
        expect_ids(integers(3000, 12, 2), 7, metric);
        const Data few = integers(500, 6, 3);
        expect_ids(make(4000, 6, [&](Index r, Index c) { return few.view()(r * 7919 % 500, c); }), 25, metric);
    }
    const Data one_hot = make(600, 600, [](Index r, Index c) { return r == c ? 1.0F : 0.0F; });
    expect_ids(one_hot, 5, Metric::euclidean);
}

TEST(Neighbors, BytesAreExact) {
    expect_exact(integers(700, 300, 256), Metric::euclidean, 30, true);
    expect_exact(integers(700, 300, 256), Metric::manhattan, 30, true);
}

TEST(Neighbors, CoincidentRowsAreNeighborsAtZeroById) {
    const Data data = make(1000, 3, [](Index, Index) { return 0.1F; });
    for (const Metric metric : metrics) {
        const Graph graph = search(data.view(), {.k = 3, .metric = metric}).graph;
        EXPECT_EQ(std::vector<Index>(graph.targets.begin(), graph.targets.begin() + 9),
                  (std::vector<Index>{1, 2, 3, 0, 2, 3, 0, 1, 3}));
        EXPECT_EQ(graph.targets[3 * 999], 0);
        EXPECT_TRUE(std::all_of(graph.weights.begin(), graph.weights.end(), [](float w) { return w == 0; }));
    }
}

TEST(Neighbors, DuplicatesMixWithOthers) {
    const Data base = integers(60, 2, 30);
    const Data data = make(1500, 2, [&](Index r, Index c) { return base.view()(r % 60, c); });
    expect_exact(data, Metric::euclidean, 40, true);
    expect_exact(data, Metric::manhattan, 7, true);
}

TEST(Neighbors, ThousandsOfCopiesAndTwoThousandNeighbors) {
    const Data data = make(5000, 6, [](Index r, Index c) { return r < 3000 ? 0.5F : normal(7, r, c); });
    expect_exact(data, Metric::euclidean, 2048, true);
    expect_exact(data, Metric::inner_product, 2048);
}

TEST(Neighbors, InnerProductsByHand) {
    const Data data{4, 2, {1, 0, 1, 0, 5, 0, 0, -3}};
    const Graph graph = search(data.view(), {.k = 2, .metric = Metric::inner_product}).graph;
    EXPECT_EQ(graph.targets, (std::vector<Index>{2, 1, 2, 0, 0, 1, 0, 1}));  // not nearest to its own copy
    EXPECT_EQ(graph.weights, (std::vector<float>{5, 1, 5, 1, 5, 5, 0, 0}));
}

TEST(Neighbors, InnerProductsOfCopiesAndOfAnySize) {
    const Data base = integers(60, 7, 30);
    const Data copies = make(1500, 7, [&](Index r, Index c) { return base.view()(r % 60, c) - 15; });
    expect_exact(copies, Metric::inner_product, 40, true);
    const Data sizes = make(700, 9, [](Index r, Index c) { return normal(8, r, c) * (r % 5 == 0 ? 1e-20F : 1e6F); });
    expect_exact(sizes, Metric::inner_product, 30);
    expect_exact(make(50, 3, [](Index, Index) { return 0.0F; }), Metric::inner_product, 10, true);
}

TEST(Neighbors, AMillionCopiesCostAsMuchAsOneRow) {
    const Data data = make(1000000, 2, [](Index r, Index) { return r % 2 == 0 ? 1.0F : 2.0F; });
    const Graph graph = search(data.view(), {.k = 2}).graph;
    EXPECT_EQ(graph.targets[0], 2);
    EXPECT_EQ(graph.targets[2], 3);
    EXPECT_EQ(graph.targets[2 * 999999 + 1], 3);
}

TEST(Neighbors, RowsWithoutDirection) {
    Data data = gaussian(50, 4);
    for (const Index row : {3, 30}) std::fill_n(data.values.begin() + 4 * row, 4, 0.0F);
    expect_exact(data, Metric::cosine, 49);
    for (const Index row : {3, 30}) std::fill_n(data.values.begin() + 4 * row, 4, 0.1F);
    const Graph graph = search(data.view(), {.k = 49, .metric = Metric::correlation}).graph;
    EXPECT_EQ(graph.targets[3 * 49], 30);
    EXPECT_EQ(graph.weights[3 * 49], 0);
    EXPECT_EQ(graph.weights[3 * 49 + 1], 1);
}

TEST(Neighbors, ScaledRowsCoincideUnderCosine) {
    const Data data = make(900, 3, [](Index r, Index c) { return static_cast<float>((r + 1) * (c + 1)); });
    const Graph graph = search(data.view(), {.k = 2, .metric = Metric::cosine}).graph;
    for (const float weight : graph.weights) EXPECT_NEAR(weight, 0, 1e-13);
}

TEST(Neighbors, OffsetsAndScalesChangeNothing) {
    const Data plain = integers(400, 20, 1000);
    const Data moved = make(400, 20, [&](Index r, Index c) { return plain.view()(r, c) + 1e6F; });
    const Data small = make(400, 20, [&](Index r, Index c) { return plain.view()(r, c) * 0x1p-140F; });
    const Data large = make(400, 20, [&](Index r, Index c) { return plain.view()(r, c) * 0x1p100F; });
    const auto targets = search(plain.view(), {.k = 15}).graph.targets;
    EXPECT_EQ(search(moved.view(), {.k = 15}).graph.targets, targets);
    EXPECT_EQ(search(small.view(), {.k = 15}).graph.targets, targets);
    EXPECT_EQ(search(large.view(), {.k = 15}).graph.targets, targets);
}

TEST(Neighbors, OutliersDoNotAffectTheOthers) {
    for (const Index cols : {2, 30, 400}) {
        Data data = gaussian(500, cols);
        data.values[0] = 1e8F;
        data.values[static_cast<std::size_t>(7 * cols)] = -1e30F;
        for (const Metric metric : metrics) expect_exact(data, metric, 10);
    }
}

TEST(Neighbors, SameBytesForAnyNumberOfThreads) {
    for (const Metric metric : metrics_and_products) {
        for (const Index cols : {2, 50, 300}) {
            const Data data = gaussian(900, cols);
            const Graph one = search(data.view(), {.k = 20, .metric = metric}, {.threads = 1}).graph;
            for (const int threads : {2, 3}) {
                const Graph many = search(data.view(), {.k = 20, .metric = metric}, {.threads = threads}).graph;
                EXPECT_EQ(one.targets, many.targets);
                EXPECT_EQ(one.weights, many.weights);
            }
        }
    }
}

TEST(Neighbors, SomeRowsHaveTheListsOfAFullSearch) {
    device::Cpu cpu(2);
    const std::vector<Index> rows{899, 3, 3, 500, 0, 77};
    for (const Metric metric : metrics_and_products) {
        for (const Index cols : {2, 50, 300}) {
            const Data data = gaussian(900, cols);
            expect_exact(data, metric, rows, search_rows(cpu, data.view(), rows, 15, metric), 15);
        }
    }
    EXPECT_EQ(search_rows(cpu, gaussian(5, 2).view(), {}, 2, Metric::euclidean).size(), 0);
}

TEST(Neighbors, RowsMayHaveListsOfDifferentLengths) {
    device::Cpu cpu(2);
    const std::vector<Index> rows{899, 3, 3, 500, 0, 77}, lengths{1, 40, 7, 2000, 15, 1};
    for (const Metric metric : metrics_and_products) {
        for (const Index cols : {2, 50}) {
            Data data = gaussian(900, cols);
            std::copy_n(data.values.begin(), 20 * cols,
                        data.values.begin() + 60 * cols);  // duplicates, also of rows 0 and 3
            const Graph all = search_rows(cpu, data.view(), rows, 899, metric);
            const Graph some = search_rows(cpu, data.view(), rows, lengths, metric);
            ASSERT_EQ(some.size(), std::ssize(rows));
            for (std::size_t r = 0; r < rows.size(); ++r) {
                const auto from = some.targets.begin() + some.offsets[r],
                           to = some.targets.begin() + some.offsets[r + 1];
                EXPECT_EQ(to - from, std::min<Index>(lengths[r], 899));
                EXPECT_TRUE(std::equal(from, to, all.targets.begin() + all.offsets[r])) << cols << ' ' << r;
            }
        }
    }
}

TEST(Neighbors, ApproximateListsAreCompleteAndTheirRecallIsMeasured) {
    const Data data = clustered(3000, 12);
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::correlation}) {
        const Options options{.k = 20, .metric = metric, .method = Method::approximate};
        const Result found = search(data.view(), options, {.threads = 2});
        EXPECT_EQ(found.options.method, Method::approximate);
        EXPECT_GT(found.recall, cases::min_default_recall);
        EXPECT_GT(found.probes, 0);
        EXPECT_LE(found.probes, 54);  // cells, sqrt(3000)
        EXPECT_GE(found.recall_se, 0);
        ASSERT_EQ(found.graph.size(), 3000);
        for (Index r = 0; r < 3000; r += 7) {
            const auto begin = found.graph.targets.begin() + Offset{r} * 20;
            std::vector<Index> seen(begin, begin + 20);
            seen.push_back(r);
            std::sort(seen.begin(), seen.end());
            EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
            EXPECT_TRUE(std::is_sorted(found.graph.weights.begin() + Offset{r} * 20,
                                       found.graph.weights.begin() + Offset{r + 1} * 20));
            EXPECT_NEAR(found.graph.weights[static_cast<std::size_t>(r) * 20], distance(data, metric, r, *begin),
                        cases::first_distance);
        }
        for (const int threads : {1, 3}) {
            const Graph other = search(data.view(), options, {.threads = threads}).graph;
            EXPECT_EQ(other.targets, found.graph.targets);
            EXPECT_EQ(other.weights, found.graph.weights);
        }
    }
}

TEST(Neighbors, ProbesAreAsManyAsRecallNeeds) {
    const auto search_among = [](const Data& data, std::optional<Index> probes) {
        return search(data.view(), {.k = 20, .method = Method::approximate, .probes = probes}, {.threads = 2});
    };
    const Data sheet = make(8000, 40, [](Index r, Index c) {  // a curved surface
        const auto row = static_cast<std::uint64_t>(r);
        const double u = math::random_uniform(5, row, 1), v = math::random_uniform(5, row, 2);
        return static_cast<float>(std::sin((c % 7 + 1) * u + c) + std::cos((c % 5 + 1) * v));
    });
    const Data noise = gaussian(8000, 40);
    const Result few = search_among(sheet, {}), many = search_among(noise, {});
    EXPECT_GT(few.recall, cases::min_default_recall);
    EXPECT_GT(many.recall, cases::min_default_recall);
    EXPECT_LT(2 * few.probes, many.probes);
    EXPECT_LT(search_among(noise, many.probes / 2).recall, many.recall);
    EXPECT_EQ(search_among(noise, 7).probes, 9);  // 4 leaves of 190 rows; 7 cells of 89 rows
    const Result half = search(noise.view(), {.k = 20, .method = Method::approximate, .recall = 0.5}, {.threads = 2});
    EXPECT_LT(half.probes, many.probes);
    EXPECT_GT(half.recall, 0.5 - 3 * half.recall_se);
    EXPECT_LT(half.recall, 0.8);
}

TEST(Neighbors, ApproximateSearchOfAnySize) {
    for (const Index rows : {1, 2, 3, 40, 400}) {
        const Data data = gaussian(rows, 5);
        for (const std::optional<Index> probes : {std::optional<Index>{}, std::optional<Index>{1}}) {
            const Options options{.k = 30, .method = Method::approximate, .probes = probes};
            const Result found = search(data.view(), options);
            ASSERT_EQ(found.graph.size(), rows);
            EXPECT_EQ(found.graph.edges(), Offset{rows} * std::min(30, rows - 1));
        }
    }
    const Data copies = make(5000, 6, [](Index r, Index c) { return static_cast<float>((r % 40) * c); });
    const Graph graph = search(copies.view(), {.k = 3, .method = Method::approximate}).graph;
    EXPECT_EQ(graph.targets[0], 40);
    EXPECT_EQ(graph.weights[2], 0);
}

TEST(Neighbors, TooLittleMemoryIsRefusedBeforeAllocation) {
    const Data data = gaussian(2000, 20);
    try {
        search(data.view(), {}, {.memory = 1000});
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::out_of_memory);
        EXPECT_NE(std::string(error.what()).find(" MB of memory and 0.001 MB are allowed"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("fewer points, neighbors or threads"), std::string::npos);
    }
}

TEST(Neighbors, MemoryEstimateFollowsRowsNeighborsAndBusyThreads) {
    const auto said = [](const Data& data, Index k, int threads, std::uint64_t memory) {
        return refusal(Fault::out_of_memory,
                       [&] { search(data.view(), {.k = k}, {.threads = threads, .memory = memory}); });
    };
    const Data few = gaussian(500, 8), wide = gaussian(3000, 784);
    EXPECT_EQ(said(few, 5, 64, 20'000'000), "");
    EXPECT_EQ(said(wide, 15, 2, 25'000'000), "");
    EXPECT_NE(said(wide, 15, 2, 3'000 * 784), "");  // at least a byte per value is needed
    EXPECT_NE(said(few, 499, 2, 500 * 499 * 8), "");
}

TEST(Neighbors, RefusesWhatItCannotUse) {
    Data data = gaussian(100, 3);
    const auto fault = [&](const Options& options) {
        return refusal(Fault::bad_input, [&] { search(data.view(), options); });
    };
    EXPECT_NE(fault({.k = 0}).find("k is 0"), std::string::npos);
    EXPECT_NE(fault({.method = Method::exact, .probes = 3}).find("probes"), std::string::npos);
    EXPECT_NE(fault({.metric = Metric::manhattan, .method = Method::approximate}).find("exact"), std::string::npos);
    EXPECT_NE(fault({.metric = Metric::inner_product, .method = Method::approximate}).find("inner-product"),
              std::string::npos);
    EXPECT_NE(fault({.method = Method::approximate, .probes = 0}).find("probes is 0"), std::string::npos);
    EXPECT_NE(fault({.method = Method::approximate, .recall = 1.5}).find("recall is 1.5"), std::string::npos);
    EXPECT_NE(fault({.method = Method::approximate, .probes = 3, .recall = 0.5}).find("both"), std::string::npos);
    EXPECT_NE(fault({.method = Method::exact, .recall = 0.9}).find("recall is 0.9"), std::string::npos);
    EXPECT_NE(fault({.recall = 0.0}).find("recall is 0"), std::string::npos);
    EXPECT_NE(fault({.cells = 9}).find("cells is 9"), std::string::npos);
    EXPECT_NE(fault({.method = Method::approximate, .cells = 9}).find("GPU"), std::string::npos);
    EXPECT_NE(fault({.method = Method::approximate, .cells = 20000}).find("16384"), std::string::npos);
    EXPECT_THROW(search(MatrixView<const float>{nullptr, 0, 3}), Error);
    data.values[3 * 70 + 1] = std::numeric_limits<float>::quiet_NaN();
    data.values[3 * 90 + 1] = std::numeric_limits<float>::infinity();
    EXPECT_NE(fault({}).find("row 70"), std::string::npos) << fault({});
    device::Cpu cpu(1);
    const Index beyond = 100;
    EXPECT_THROW(search_rows(cpu, gaussian(100, 3).view(), {&beyond, 1}, 2, Metric::euclidean), Error);
}

TEST(Neighbors, ReportsProgressAndStops) {
    const Data data = gaussian(2000, 8);
    Offset last = -1;
    dunlin::Run run{.threads = 2, .on_progress = [&](const Progress& progress) {
                        EXPECT_EQ(progress.stage, "neighbors");
                        EXPECT_LE(progress.done, progress.total);
                        last = progress.done;
                    }};
    EXPECT_EQ(search(data.view(), {}, run).graph.size(), 2000);
    EXPECT_GT(last, 0);
    std::stop_source source;
    source.request_stop();
    run.stop = source.get_token();
    EXPECT_EQ(search(data.view(), {}, run).graph.size(), 0);
    // The stop ends the preparation before it can notice the NaN
    Data unfit = gaussian(2000, 8);
    unfit.values[5] = NAN;
    EXPECT_EQ(search(unfit.view(), {}, run).graph.size(), 0);
}

}  // namespace
}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#include <dunlin/error.hpp>

#include "cases/neighbors.hpp"
#include "neighbors/codes/byte_codebooks.hpp"
#include "neighbors/codes/residuals.hpp"
#include "neighbors/codes/top_k_buffer.hpp"
#include "neighbors/recall/ground_truth.hpp"
#include "neighbors/search_rows.hpp"
#include "refusal.hpp"

namespace dunlin::neighbors {
namespace {

Options by_codes(Index k, Index codes) { return {.k = k, .method = Method::approximate, .codes = codes}; }

ProductQuantizer train(const Data& data, Index parts, Index cells) {
    const PrincipalAxes axes = coding_axes(data.view(), parts);
    std::vector<float> along;
    project(axes, data.values.data(), data.rows, along);
    const MatrixView<const float> rows{along.data(), data.rows, axes.count()};
    const dunlin::Run run{.threads = 1};
    return train_product_quantizer(axes, rows, parts, train_centroids(rows, cells, run), run);
}

TEST(NeighborsByCodes, FewDistinctValuesAreEncodedExactly) {
    // Four corners of a square in one cell: along any axes, each coordinate has four values
    const Data corners = make(
        64, 2, [](Index r, Index c) { return ((r >> c) & 1) != 0 ? 1.0F : 0.25F + 0.25F * static_cast<float>(c); });
    const ProductQuantizer quantizer = train(corners, 2, 1);
    EncodingWorkspace workspace;
    Index cells[4];
    std::uint8_t codes[4 * 2];
    encode_rows(quantizer, corners.values.data(), 4, workspace, cells, codes);
    std::vector<float> along;
    project(quantizer.axes, corners.values.data(), 4, along);
    const ByteCodebooks bytes(quantizer);
    std::vector<std::uint8_t> decoded(static_cast<std::size_t>(4 * bytes.stride() + ByteCodebooks::slack));
    bytes.decode(codes, 4, decoded.data());
    for (Index r = 0; r < 4; ++r) {
        EXPECT_EQ(cells[r], 0);
        for (Index c = 0; c < 2; ++c) {
            const auto place = static_cast<std::size_t>(2 * r + c);
            const float residual = along[place] - quantizer.centroid(0)[c];
            EXPECT_NEAR(quantizer.codebook(c)[codes[place]], residual, 1e-5);
            const int byte = decoded[static_cast<std::size_t>(r * bytes.stride() + c)];
            EXPECT_NEAR((byte - 128) * bytes.step(), static_cast<double>(residual), 0.51 * bytes.step());
        }
        EXPECT_EQ(decoded[static_cast<std::size_t>(r * bytes.stride() + 2)], 0);
    }
}

TEST(NeighborsByCodes, PartsCoverAllCoordinates) {
    const ProductQuantizer quantizer = train(gaussian(300, 17), 5, 3);
    Index next = 0;
    for (Index p = 0; p < 5; ++p) {
        EXPECT_EQ(quantizer.begin(p), next);
        EXPECT_GE(quantizer.width(p), 3);
        EXPECT_LE(quantizer.width(p), 4);
        next += quantizer.width(p);
    }
    EXPECT_EQ(next, 17);
    EXPECT_EQ(quantizer.codebooks.size(), 17U * 256U);
    EXPECT_EQ(train(gaussian(300, 300), 5, 3).dims(), 96);
    EXPECT_EQ(train(gaussian(300, 300), 120, 3).dims(), 120);
}

TEST(NeighborsByCodes, ResidualsInBytesByHand) {
    const float row[] = {1, 2, -3, 100}, center[] = {0, 2.5F, 1, 0};
    std::int8_t out[4];
    EXPECT_EQ(quantize_residual(row, center, 10, 4, out), 92);
    EXPECT_EQ(out[0], 10);
    EXPECT_EQ(out[1], -5);
    EXPECT_EQ(out[2], -40);
    EXPECT_EQ(out[3], 127);
    EXPECT_EQ(residual_extent(row, center, 4).squares, 1 + 0.25F + 16 + 10000);
    EXPECT_EQ(residual_extent(row, center, 3).most, 4);
}

TEST(NeighborsByCodes, TopKBufferKeepsTheLeastAndOfEqualKeysTheFirst) {
    TopKBuffer list;
    list.reset(3);
    const float keys[] = {5, 2, 0, 2, std::numeric_limits<float>::infinity(), 2, 1};
    for (Index i = 0; i < 7; ++i) list.offer(keys[i], i);
    EXPECT_EQ(list.limit(), std::numeric_limits<float>::infinity());
    list.shrink();
    const std::vector<Index> kept(list.items().begin(), list.items().end());
    EXPECT_EQ(kept, (std::vector<Index>{1, 2, 6}));
    EXPECT_EQ(list.limit(), 2);
    list.offer(2, 7);  // as far as the limit: rejected
    list.offer(1.5F, 8);
    EXPECT_EQ(list.items().size(), 4U);
}

TEST(NeighborsByCodes, TopKBufferAgreesWithSorting) {
    for (const std::uint64_t values : {2, 50, 1'000'000}) {
        std::vector<std::pair<float, Index>> all;
        TopKBuffer list;
        list.reset(31);
        for (Index i = 0; i < 5000; ++i) {
            const auto drawn = math::random_below(values, 5, static_cast<std::uint64_t>(i), 0);
            const float key = 0.37F * static_cast<float>(drawn);
            all.push_back({key, i});
            list.offer(key, i);
            if (i % 100 == 99) list.tighten();
        }
        list.shrink();
        std::sort(all.begin(), all.end());
        std::vector<Index> kept(list.items().begin(), list.items().end()), least;
        for (std::size_t i = 0; i < 31; ++i) least.push_back(all[i].second);
        std::sort(kept.begin(), kept.end());
        std::sort(least.begin(), least.end());
        EXPECT_EQ(kept, least);
        EXPECT_GE(list.limit(), all[30].first);

        std::vector<float> keys(5000);
        std::vector<Index> items(5000);
        std::iota(items.begin(), items.end(), 0);
        for (const auto& [key, item] : all) keys[static_cast<std::size_t>(item)] = key;
        list.reset(31);
        list.offer(keys, items);
        list.shrink();
        kept.assign(list.items().begin(), list.items().end());
        std::sort(kept.begin(), kept.end());
        EXPECT_EQ(kept, least);
    }
}

TEST(NeighborsByCodes, RoughKeysExcludeNoNearRow) {
    // Squares that underflow and overflow float32, and relative differences near its precision
    for (const float scale : {1e-24F, 1e-21F, 1.0F, 1e10F, 3e18F, 1e30F}) {
        const Data data = make(60, 130, [&](Index r, Index c) { return scale * (1 + 1e-4F * normal(1, r, c)); });
        device::Cpu cpu(1);
        const distance::Space space(cpu, data.view(), Metric::euclidean);
        for (Index b = 1; b < 60; ++b) {
            for (Index c = 1; c < 60; ++c) {
                if (space.key(0, b) > space.key(0, c)) continue;
                EXPECT_LE(space.rough_key(0, b), space.rough_reach(space.rough_key(0, c))) << scale;
            }
        }
    }
}

TEST(NeighborsByCodes, GroundTruthIsExact) {
    for (const Metric metric : {Metric::euclidean, Metric::cosine, Metric::correlation}) {
        const Data data =
            make(1500, 20, [](Index r, Index c) { return 1000 + 9 * normal(2, r % 9, c) + normal(3, r, c); });
        device::Cpu cpu(2);
        const distance::Space space(cpu, data.view(), metric);
        const DistinctRows items = find_distinct_rows(cpu, space);
        const ItemTransform transform(space, items);
        const std::vector<Index> asked{0, 7, 800, 1499};
        GroundTruth truth(transform, asked, 25);
        const Matrix rows = transform.sample_rows(1500);  // all
        for (const Index first : {0, 1000}) {
            truth.add_rows(cpu, first, first == 0 ? 1000 : 500, rows.row(first).data());
        }
        truth.finish(cpu);
        const Graph graph = search_rows(cpu, data.view(), asked, 25, metric);
        for (std::size_t q = 0; q < asked.size(); ++q) {
            for (std::size_t j = 0; j < 25; ++j) {
                EXPECT_EQ(space.distance(truth.nearest(q)[j].key), graph.weights[q * 25 + j]);
            }
        }
    }
}

TEST(NeighborsByCodes, ReachTheWantedRecallAndMeasureIt) {
    struct Case {
        Data data;
        Metric metric;
        Index codes;
    };
    for (const auto& [data, metric, codes] :
         {Case{clustered(4000, 24), Metric::euclidean, 12}, Case{gaussian(4000, 20), Metric::euclidean, 10},
          Case{gaussian(3000, 30), Metric::cosine, 15}, Case{clustered(3000, 100), Metric::correlation, 50}}) {
        Options options = by_codes(20, codes);
        options.metric = metric;
        options.recall = 0.95;
        const Result found = search(data.view(), options, {.threads = 2});
        EXPECT_EQ(found.options.method, Method::approximate);
        EXPECT_GT(found.probes, 0);
        EXPECT_GE(found.recall, 0.95 - 2 * found.recall_se);
        const double recall = recall_of_graph(found.graph, exactly(data, 20, metric));
        EXPECT_NEAR(recall, found.recall, cases::recall_margin(found.recall_se));
        expect_lists(data, metric, found.graph, 20);
        for (const int threads : {1, 3}) {
            const Result other = search(data.view(), options, {.threads = threads});
            EXPECT_EQ(other.graph.targets, found.graph.targets);
            EXPECT_EQ(other.graph.weights, found.graph.weights);
            EXPECT_EQ(other.recall, found.recall);
        }
    }
}

TEST(NeighborsByCodes, AllCellsAndExactCodesGiveTheExactGraph) {
    // Up to 256 rows: each has its own entries in the codebooks
    const Data tiny = make(250, 8, [](Index r, Index c) { return 1e-23F * normal(4, r, c); });
    for (const Data& data : {gaussian(250, 8), integers(256, 6, 9), clustered(200, 12), tiny}) {
        Options options = by_codes(15, 4);
        options.probes = 1000;
        const Result found = search(data.view(), options, {.threads = 2});
        const Graph truth = exactly(data, 15);
        EXPECT_EQ(found.recall, 1);
        EXPECT_EQ(found.graph.targets, truth.targets);
        EXPECT_EQ(found.graph.weights, truth.weights);
    }
}

TEST(NeighborsByCodes, CoincidentRowsAndAnySize) {
    for (const Index rows : {1, 2, 3, 40, 400}) {
        const Data data = gaussian(rows, 5);
        for (const std::optional<Index> probes : {std::optional<Index>{}, std::optional<Index>{1}}) {
            Options options = by_codes(30, 5);
            options.probes = probes;
            expect_lists(data, Metric::euclidean, search(data.view(), options).graph, std::min(30, rows - 1));
        }
    }
    const Data copies = make(5000, 6, [](Index r, Index c) { return static_cast<float>((r % 40) * c); });
    const Result found = search(copies.view(), by_codes(3, 2));
    EXPECT_EQ(found.graph.targets[0], 40);
    EXPECT_EQ(found.graph.weights[2], 0);
    const Data same = make(100, 3, [](Index, Index) { return 1.0F; });
    expect_lists(same, Metric::euclidean, search(same.view(), by_codes(5, 1)).graph, 5);
    const Data few = make(3000, 6, [](Index r, Index c) { return static_cast<float>((r * (c + 3)) % 7); });
    expect_lists(few, Metric::euclidean, search(few.view(), by_codes(20, 3)).graph, 20);
}

/// If all rows are refined, ties at the k-th distance go to the lowest ids, as in the exact search.
TEST(NeighborsByCodes, TiesGoById) {
    const Data data = integers(2000, 8, 3);
    Options options = by_codes(10, 4);
    options.probes = 100000;
    options.rerank = 200;
    const Graph found = search(data.view(), options).graph;
    EXPECT_EQ(found.targets, exactly(data, 10).targets);
}

TEST(NeighborsByCodes, OutliersDoNotReduceTheRecall) {
    const Data data = make(3000, 16, [](Index r, Index c) { return (r % 500 == 1 ? 1e9F : 1.0F) * normal(3, r, c); });
    const Result found = search(data.view(), by_codes(20, 16), {.threads = 2});
    EXPECT_GT(recall_of_graph(found.graph, exactly(data, 20)), cases::min_default_recall);
}

TEST(NeighborsByCodes, MoreRerankedOrMoreBytesFindMore) {
    const Data data = gaussian(4000, 32);
    const auto recall = [&](Index codes, Index rerank) {
        return search(data.view(),
                      {.k = 20, .method = Method::approximate, .probes = 1000, .codes = codes, .rerank = rerank})
            .recall;
    };
    EXPECT_LT(recall(4, 1), recall(16, 1));
    EXPECT_LT(recall(4, 1), recall(4, 4));
    EXPECT_LT(recall(4, 4), recall(4, 32));
}

TEST(NeighborsByCodes, RefuseWhatTheyCannotUse) {
    const Data data = gaussian(3000, 30);
    const auto fault = [&](const Options& options) {
        return refusal(Fault::bad_input, [&] { search(data.view(), options); });
    };
    const auto expect = [&](const Options& options, const char* words) {
        EXPECT_NE(fault(options).find(words), std::string::npos) << fault(options);
    };
    expect({.method = Method::exact, .codes = 3}, "codes is 3");
    expect({.codes = 3}, "codes is 3");
    expect(by_codes(5, -1), "codes is -1");
    expect(by_codes(5, 31), "columns, 30");
    expect({.method = Method::approximate, .rerank = 3}, "rerank is 3");
    expect({.method = Method::approximate, .codes = 3, .rerank = 0}, "rerank is 0");
    expect({.metric = Metric::manhattan, .method = Method::approximate, .codes = 3}, "manhattan");
    expect({.metric = Metric::inner_product, .method = Method::approximate, .codes = 3}, "inner-product");
    expect({.k = 20, .method = Method::approximate, .codes = 2, .rerank = 1}, "out of reach");
    expect({.k = 20, .method = Method::approximate, .recall = 0.9, .codes = 2, .rerank = 1}, "2 bytes");
}

TEST(NeighborsByCodes, StopGivesAnEmptyGraph) {
    std::stop_source source;
    source.request_stop();
    const Data data = gaussian(2000, 8);
    EXPECT_EQ(search(data.view(), by_codes(5, 4), {.stop = source.get_token()}).graph.size(), 0);
}

TEST(NeighborsByCodes, TooLittleMemoryIsRefused) {
    try {
        search(gaussian(2000, 20).view(), by_codes(5, 10), {.memory = 1000});
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.fault(), Fault::out_of_memory);
        EXPECT_NE(std::string(error.what()).find("memory"), std::string::npos);
    }
}

}  // namespace
}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#include "cases/neighbors.hpp"
#include "neighbors/recall/recall_sample.hpp"
#include "refusal.hpp"

namespace dunlin::neighbors {
namespace {

Options approximately(Index k, double recall, Index codes = 0) {
    return {.k = k, .method = Method::approximate, .recall = recall, .codes = codes};
}

TEST(NeighborsRecall, CopiesCountAsOftenAsTheyOccur) {
    const Data data = background_with_copies();
    const Graph truth = exactly(data, 15);
    for (const auto& [recall, codes] : {std::pair{0.95, 0}, std::pair{0.7, 50}}) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            const Result found = search(data.view(), approximately(15, recall, codes), {.threads = 2, .seed = seed});
            const double reached = recall_of_graph(found.graph, truth);
            EXPECT_GE(reached, recall) << codes;
            EXPECT_NEAR(found.recall, reached, 3 * found.recall_se) << codes;
        }
    }
}

TEST(NeighborsRecall, MeasuredRecallIsAtLeastTheWantedRecall) {
    // The recall of single rows varies much, so the estimate has a large standard error
    const Data data = make(6000, 30, [](Index r, Index c) {
        return r % 8 == 0 ? 18 * uniform(60, r, c) - 9 : 3 * normal(61, r % 30, c) + 0.05F * normal(62, r, c);
    });
    const Graph truth = exactly(data, 20);
    for (const Index codes : {0, 24}) {
        for (const std::uint64_t seed : {1, 4, 6}) {
            const Options options = approximately(20, 0.9, codes);
            const Result found = search(data.view(), options, {.threads = 2, .seed = seed});
            EXPECT_GE(found.recall, 0.9) << codes << ' ' << seed;
            EXPECT_GT(found.recall_se, 0);
            EXPECT_NEAR(found.recall, recall_of_graph(found.graph, truth), 4 * found.recall_se);
            const Result other = search(data.view(), options, {.threads = 3, .seed = seed});
            EXPECT_EQ(other.graph.targets, found.graph.targets);
            EXPECT_EQ(other.recall, found.recall);
        }
    }
}

TEST(NeighborsRecall, WithFewRowsAllAreMeasured) {
    for (const Index rows : {2, 33, 900}) {
        const Data data = gaussian(rows, 56);
        for (const Index codes : {0, 7, 56}) {
            Options options{.k = 5, .method = Method::approximate, .probes = 2, .codes = codes};
            if (codes > 0) options.rerank = 1;
            const Result found = search(data.view(), options, {.threads = 2, .seed = 697});
            EXPECT_NEAR(found.recall, recall_of_graph(found.graph, exactly(data, 5)), cases::recall_rounding)
                << rows << ' ' << codes;
            EXPECT_EQ(found.recall_se, 0);
        }
    }
}

TEST(NeighborsRecall, WithFewColumnsTheSearchIsReportedAsExact) {
    const Data data = gaussian(4000, 4);
    const Result found = search(data.view(), approximately(10, 0.9), {.threads = 2});
    EXPECT_EQ(found.options.method, Method::exact);
    EXPECT_EQ(found.probes, 0);
    EXPECT_EQ(found.recall, 1);
    EXPECT_EQ(found.recall_se, 0);
    EXPECT_EQ(found.graph.targets, exactly(data, 10).targets);
    EXPECT_EQ(search(data.view(), approximately(10, 0.9, 3), {.threads = 2}).options.method, Method::approximate);
    const std::string said = refusal(Fault::bad_input, [&] {
        search(data.view(), {.k = 10, .method = Method::approximate, .probes = 3}, {.device = Device::cpu});
    });
    EXPECT_NE(said.find("probes is 3"), std::string::npos) << said;
}

TEST(NeighborsRecall, SampleByHand) {
    // Rows 0 to 3 are one item at 0; then 1 (twice), 3, 10
    const float at[] = {0, 0, 0, 0, 1, 1, 3, 10};
    const Data data = make(8, 1, [&](Index r, Index) { return at[r]; });
    device::Cpu cpu(1);
    const distance::Space space(cpu, data.view(), Metric::euclidean);
    const DistinctRows items = find_distinct_rows(cpu, space);
    const ItemTransform transform(space, items);
    const auto near = [&](Index a, Index b) {
        const Index item = transform.item_of(b);
        return NearItem{space.key(a, b), item, transform.copies(item)};
    };
    RecallSample sample = sample_items(transform, {2, 30}, 4, 1);
    EXPECT_EQ(sample.items(), (std::vector<Index>{0, 1, 2, 3}));
    EXPECT_EQ(sample.test_rows(), (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(sample.margin(), 0);
    sample.set_truth(0, std::vector{near(0, 4), near(0, 6), near(0, 7)});  // 0 0 0 1
    sample.set_truth(1, std::vector{near(4, 0), near(4, 6), near(4, 7)});  // 1 0 0 0
    sample.set_truth(2, std::vector{near(6, 4), near(6, 0), near(6, 7)});  // 1 1 0 0
    sample.set_truth(3, std::vector{near(7, 6), near(7, 4), near(7, 0)});  // 3 1 1 0

    const auto rank = [](Index item) { return 10 * item; };
    const auto ranks = [&](std::size_t i, const std::vector<NearItem>& found) {
        return sample.ranks_of(i, found, rank);
    };
    EXPECT_EQ(ranks(0, {near(0, 4), near(0, 6)}), (std::vector<Index>{0, 0, 0, 10}));
    EXPECT_EQ(ranks(0, {near(0, 6), near(0, 7)}), (std::vector<Index>{0, 0, 0}));
    EXPECT_EQ(ranks(3, {near(7, 6), near(7, 0)}), (std::vector<Index>{0, 0, 0, 20}));
    const std::vector<std::vector<Index>> of_items{{0}, {1}, {2}, {3}};
    EXPECT_EQ(sample.of_test(of_items).size(), 8U);
    EXPECT_EQ(sample.of_test(of_items)[3][0], 0);
    EXPECT_EQ(sample.of_test(of_items)[5][0], 1);

    sample.record(0, std::vector{near(0, 6)});              // 3 of 4, for four rows
    sample.record(1, std::vector{near(4, 0), near(4, 6)});  // all, for two
    sample.record(2, std::vector{near(6, 0), near(6, 7)});  // all: the four at 0 are as near as the fourth
    sample.record(3, std::vector{near(7, 6)});              // 1 of 4
    EXPECT_EQ(sample.recall().mean, (4 * 0.75 + 2 + 1 + 0.25) / 8);
    EXPECT_EQ(sample.recall().se, 0);

    const RecallSample some = sample_items(transform, {1, 3}, 4, 1);
    EXPECT_EQ(some.of_calibration(of_items).size(), 1U);
    EXPECT_EQ(some.of_test(of_items).size(), 2U);
    EXPECT_EQ(some.test_rows().size(), 2U);
}

TEST(NeighborsRecall, SampleIsRenumberedWithTheItems) {
    RecallSample sample(6, {1, 6}, 3, 1);
    sample.set_items(std::vector<Index>{2, 0, 1, 1, 3, 3}, std::vector<Index>{1, 1, 2, 2, 2, 2});
    const auto near = [](double key, Index item, Index copies) { return NearItem{key, item, copies}; };
    for (std::size_t i = 0; i < 4; ++i) sample.set_truth(i, std::vector{near(1.0 + static_cast<double>(i), 9, 3)});
    const std::vector<Index> place{5, 3, 4, 0};
    EXPECT_EQ(sample.renumber(place), (std::vector<std::size_t>{3, 1, 2, 0}));
    EXPECT_EQ(sample.items(), (std::vector<Index>{0, 3, 4, 5}));
    sample.record(0, std::vector{near(4, 3, 2)});  // formerly item 3, of two rows: the other copy and two near rows
    sample.record(1, std::vector{near(3, 0, 2)});  // formerly item 1, of two rows: the other copy alone is near enough
    sample.record(2, std::vector{near(3, 0, 2)});  // formerly item 2, a single row: two of three
    sample.record(3, std::vector{near(1.1, 0, 3)});  // formerly item 0: none is near enough
    EXPECT_NEAR(sample.recall().mean, (1 + 1 + 1.0 / 3 + 1.0 / 3 + 2.0 / 3 + 0) / 6, 1e-15);
}

TEST(NeighborsRecall, WithoutNeighborsThereIsNoSample) {
    RecallSample sample(1, sample_of_rows, 0, 1);
    EXPECT_TRUE(sample.rows().empty());
    EXPECT_EQ(sample.recall().mean, 1);
}

/// The reported recall is the mean over the test rows, computed here from the graphs and a second draw of the sample.
TEST(NeighborsRecall, IsTheRecallOfTheTestRowsInTheGraph) {
    const Data data = background_with_copies();
    const Graph truth = exactly(data, 15);
    for (const Index codes : {0, 20}) {
        for (const std::optional<Index> probes : {std::optional<Index>{}, std::optional<Index>{4}}) {
            Options options{.k = 15, .method = Method::approximate, .probes = probes, .codes = codes};
            if (!probes) options.recall = 0.6;
            if (codes > 0) options.rerank = 4;
            const Result found = search(data.view(), options, {.threads = 2, .seed = 5});
            const SearchParameters parameters = resolve_parameters(data.rows, data.cols, options, Device::cpu);
            const RecallSample sample(data.rows, sample_size(parameters), 15, 5);
            EXPECT_EQ(sample.rows().size(), codes > 0 ? 1000U : 3000U);
            EXPECT_EQ(sample.test_rows().size(), probes ? sample.rows().size() : codes > 0 ? 700U : 2000U);
            // Up to ties, which the float32 weights of a graph resolve differently
            EXPECT_NEAR(found.recall, recall_of_rows(found.graph, truth, sample.test_rows()),
                        cases::recall_of_test_rows)
                << codes;
        }
    }
}

TEST(NeighborsRecall, ProbesAreCellsOfAnInvertedFile) {
    // Rows searched: probes * rows / cells with cells = sqrt(rows). Leaves have up to 192 rows
    EXPECT_EQ(rescale_up(7, 105, 141), 6);
    EXPECT_EQ(rescale_up(6, 141, 105), 9);
    for (const Index from : {1, 3, 40, 5000}) {
        for (const Index to : {1, 7, 40, 99999}) {
            EXPECT_EQ(rescale_up(from, to, from), to);
            for (Index parts = 1; parts <= from; parts += 3) {
                const Index there = rescale_up(parts, to, from);
                EXPECT_GE(Offset{there} * from, Offset{parts} * to);
                EXPECT_GE(rescale_up(there, from, to), parts);
            }
        }
    }
    const Data data = gaussian(10000, 12);  // 100 cells of 100 rows
    Index before = 0;
    for (const Index probes : {1, 10, 30, 100, 1000}) {
        const Options options{.k = 5, .method = Method::approximate, .probes = probes};
        const Result found = search(data.view(), options, {.threads = 2});
        EXPECT_GE(found.probes, std::min(100, probes));
        EXPECT_LE(found.probes, std::min(100, probes + 4));
        EXPECT_GT(found.probes, before - 1);
        before = found.probes;
        EXPECT_EQ(found.recall == 1, probes >= 100);
    }
}

}  // namespace
}  // namespace dunlin::neighbors

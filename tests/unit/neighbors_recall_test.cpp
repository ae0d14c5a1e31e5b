#include "neighbors/jury.hpp"
#include "neighbors_check.hpp"

namespace dunlin::neighbors {
namespace {

Graph exactly(const Data& data, Index k) {
    return search(data.view(), {.k = k, .method = Method::exact}, {.threads = 2}).graph;
}

Options approximately(Index k, double recall, Index codes = 0) {
    return {.k = k, .method = Method::approximate, .recall = recall, .codes = codes};
}

/// Half of the rows are haze, whose neighbours are hard to find, each eight times; half are dense clusters. Shuffled.
Data hazy_copies() {
    const auto place = [](Index r) { return static_cast<Index>(Offset{r} * 4099 % 8000); };
    return make(8000, 50, [&](Index r, Index c) {
        const Index p = place(r);
        if (p < 4000) return 18 * uniform(3, p / 8, c) - 9;
        return 3 * normal(4, p % 50, c) + 0.05F * normal(5, p, c);
    });
}

TEST(NeighborsRecall, CopiesCountAsOftenAsTheyAreAskedFor) {
    const Data data = hazy_copies();
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

TEST(NeighborsRecall, WhatIsMeasuredIsNoLessThanWhatIsAsked) {
    // Of some rows all neighbours are found, of others few: what is measured is far from certain
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

TEST(NeighborsRecall, OfFewRowsAllAreMeasured) {
    for (const Index rows : {2, 33, 900}) {
        const Data data = gaussian(rows, 56);
        for (const Index codes : {0, 7, 56}) {
            Options options{.k = 5, .method = Method::approximate, .probes = 2, .codes = codes};
            if (codes > 0) options.rerank = 1;
            const Result found = search(data.view(), options, {.threads = 2, .seed = 697});
            EXPECT_NEAR(found.recall, recall_of_graph(found.graph, exactly(data, 5)), 1e-12) << rows << ' ' << codes;
            EXPECT_EQ(found.recall_se, 0);
        }
    }
}

TEST(NeighborsRecall, OfFewColumnsTheSearchIsExactAndSaysSo) {
    const Data data = gaussian(4000, 4);
    const Result found = search(data.view(), {.k = 10, .method = Method::approximate, .probes = 3}, {.threads = 2});
    EXPECT_EQ(found.method, Method::exact);
    EXPECT_EQ(found.probes, 0);
    EXPECT_EQ(found.recall, 1);
    EXPECT_EQ(found.recall_se, 0);
    EXPECT_EQ(found.graph.targets, exactly(data, 10).targets);
    EXPECT_EQ(search(data.view(), approximately(10, 0.9, 3), {.threads = 2}).method, Method::approximate);
}

TEST(NeighborsRecall, JudgesByHand) {
    // Rows 0 to 3 are one item at 0; then 1 (twice), 3, 10
    const float at[] = {0, 0, 0, 0, 1, 1, 3, 10};
    const Data data = make(8, 1, [&](Index r, Index) { return at[r]; });
    device::Cpu cpu(1);
    const Space space(cpu, data.view(), Metric::euclidean);
    const Duplicates items = find_duplicates(cpu, space);
    const Frame frame(space, items);
    const auto near = [&](Index a, Index b) { return Candidate{space.key(a, b), b}; };
    Jury jury(frame, {2, 30}, 4, 1);
    EXPECT_EQ(jury.items(), (std::vector<Index>{0, 1, 2, 3}));
    EXPECT_EQ(jury.spared(), 0);
    jury.learn(0, std::vector{near(0, 4), near(0, 6), near(0, 7)});  // 0 0 0 1
    jury.learn(1, std::vector{near(4, 0), near(4, 6), near(4, 7)});  // 1 0 0 0
    jury.learn(2, std::vector{near(6, 4), near(6, 0), near(6, 7)});  // 1 1 0 0
    jury.learn(3, std::vector{near(7, 6), near(7, 4), near(7, 0)});  // 3 1 1 0

    const auto rank = [](Index item) { return 10 * item; };
    const auto ranks = [&](std::size_t i, const std::vector<Candidate>& found) {
        return jury.ranks_of(i, found, rank);
    };
    EXPECT_EQ(ranks(0, {near(0, 4), near(0, 6)}), (std::vector<Index>{0, 0, 0, 10}));
    EXPECT_EQ(ranks(0, {near(0, 6), near(0, 7)}), (std::vector<Index>{0, 0, 0}));
    EXPECT_EQ(ranks(3, {near(7, 6), near(7, 0)}), (std::vector<Index>{0, 0, 0, 20}));
    const std::vector<std::vector<Index>> of_items{{0}, {1}, {2}, {3}};
    EXPECT_EQ(jury.of_measurers(of_items).size(), 8U);
    EXPECT_EQ(jury.of_measurers(of_items)[3][0], 0);
    EXPECT_EQ(jury.of_measurers(of_items)[5][0], 1);

    jury.hear(0, std::vector{near(0, 6)});              // 3 of 4, for four rows
    jury.hear(1, std::vector{near(4, 0), near(4, 6)});  // all, for two
    jury.hear(2, std::vector{near(6, 0), near(6, 7)});  // all: the four at 0 are as near as the fourth
    jury.hear(3, std::vector{near(7, 6)});              // 1 of 4
    EXPECT_EQ(jury.recall().mean, (4 * 0.75 + 2 + 1 + 0.25) / 8);
    EXPECT_EQ(jury.recall().se, 0);

    const Jury some(frame, {1, 3}, 4, 1);
    EXPECT_EQ(some.of_choosers(of_items).size(), 1U);
    EXPECT_EQ(some.of_measurers(of_items).size(), 2U);
}

}  // namespace
}  // namespace dunlin::neighbors

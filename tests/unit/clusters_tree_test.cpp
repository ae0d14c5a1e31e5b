// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "density_oracle.hpp"
#include "hierarchy/condense.hpp"
#include "hierarchy/merge_tree.hpp"
#include "hierarchy/select.hpp"
#include "refusal.hpp"

namespace dunlin::clusters {
namespace {

using hierarchy::Edge;

/// Two clusters of three and one of two, by hand:
/// {0, 1, 2} at 1, {3, 4, 5} at 2, both at 4, 6 and 7 at 5 with each other, all at 8.
const std::vector<Edge> by_hand = {{1, 0, 1}, {1, 1, 2}, {2, 3, 4}, {2, 5, 4}, {4, 2, 3}, {5, 6, 7}, {8, 7, 0}};

TEST(ClustersTree, MergesEqualWeightsTogether) {
    const hierarchy::MergeTree tree = hierarchy::merge_tree(8, by_hand);
    EXPECT_EQ(tree.level, (std::vector<double>{1, 2, 4, 5, 8}));
    EXPECT_EQ(tree.parent, (std::vector<Index>{2, 2, 4, 4, -1}));
    EXPECT_EQ(tree.size, (std::vector<Index>{3, 3, 6, 2, 8}));
    EXPECT_EQ(tree.least, (std::vector<Index>{0, 3, 0, 6, 0}));
    EXPECT_EQ(tree.home, (std::vector<Index>{0, 0, 0, 1, 1, 1, 3, 3}));
}

TEST(ClustersTree, CondensesByHand) {
    const GroupTree tree = hierarchy::condense(hierarchy::merge_tree(8, by_hand), 3);
    ASSERT_EQ(tree.groups.size(), 3U);
    EXPECT_EQ(tree.home, (std::vector<Index>{1, 1, 1, 2, 2, 2, 0, 0}));
    EXPECT_EQ(tree.leaves_at, (std::vector<double>{1, 1, 1, 2, 2, 2, 8, 8}));
    EXPECT_EQ(tree.groups[0].end, 3);
    EXPECT_EQ(tree.groups[0].death, 4);
    EXPECT_EQ(tree.groups[1].birth, 4);
    EXPECT_DOUBLE_EQ(tree.groups[0].stability, 2 * (1.0 / 8) + 6 * (1.0 / 4));
    EXPECT_DOUBLE_EQ(tree.groups[1].stability, 3 * (1 - 0.25));
    EXPECT_DOUBLE_EQ(tree.groups[2].stability, 3 * (0.5 - 0.25));
    EXPECT_EQ(hierarchy::select(tree, {}), (std::vector<Index>{1, 2}));
    EXPECT_EQ(hierarchy::select(tree, {.single = true}), (std::vector<Index>{1, 2}));
    EXPECT_EQ(hierarchy::select(tree, {.epsilon = 5, .single = true}), (std::vector<Index>{0}));
    EXPECT_EQ(hierarchy::select(tree, {.epsilon = 5}), (std::vector<Index>{1, 2}));
    EXPECT_EQ(hierarchy::select(tree, {.most = 2}), (std::vector<Index>{}));
    EXPECT_EQ(tree.children(0), (std::vector<Index>{1, 2}));
    EXPECT_EQ(tree.cut(4), (std::vector<Index>{0, 0, 0, 0, 0, 0, -1, -1}));
    EXPECT_EQ(tree.cut(1), (std::vector<Index>{0, 0, 0, -1, -1, -1, -1, -1}));
}

TEST(ClustersTree, LinkageHasScipysForm) {
    const std::vector<Merge> linkage = hierarchy::linkage_of(hierarchy::merge_tree(8, by_hand));
    ASSERT_EQ(linkage.size(), 7U);
    const std::vector<std::pair<Offset, Offset>> sets = {{0, 1}, {2, 8}, {3, 4}, {5, 10}, {9, 11}, {6, 7}, {12, 13}};
    const std::vector<Index> sizes = {2, 3, 2, 3, 6, 2, 8};
    for (std::size_t i = 0; i < linkage.size(); ++i) {
        EXPECT_EQ(linkage[i].first, sets[i].first) << i;
        EXPECT_EQ(linkage[i].second, sets[i].second) << i;
        EXPECT_EQ(linkage[i].size, sizes[i]) << i;
    }
    EXPECT_NE(refusal(Fault::bad_input, [&] { cut(linkage, 7, 1); }), "");
}

TEST(ClustersTree, ComponentsMeetAtInfinity) {
    const hierarchy::MergeTree tree = hierarchy::merge_tree(4, {{1, 0, 1}, {1, 2, 3}, {infinity, 0, 2}});
    EXPECT_EQ(tree.level, (std::vector<double>{1, 1, infinity}));
    const GroupTree groups = hierarchy::condense(tree, 2);
    EXPECT_EQ(groups.groups[0].stability, 0);
    EXPECT_EQ(hierarchy::select(groups, {}), (std::vector<Index>{1, 2}));
    device::Cpu cpu(1);
    EXPECT_EQ(hierarchy::members_of(cpu, groups, {1, 2}, 0).strengths, (std::vector<double>{1, 1, 1, 1}));
}

TEST(ClustersTree, ManyChildrenAndCopies) {
    // Three pairs of copies that join at once: three clusters, each of infinite stability
    const GroupTree tree = hierarchy::condense(
        hierarchy::merge_tree(6, {{0, 0, 1}, {0, 2, 3}, {0, 4, 5}, {3, 0, 2}, {3, 2, 4}, {3, 0, 4}}), 2);
    ASSERT_EQ(tree.groups.size(), 4U);
    EXPECT_EQ(tree.children(0), (std::vector<Index>{1, 2, 3}));
    EXPECT_EQ(tree.groups[1].stability, infinity);
    EXPECT_EQ(hierarchy::select(tree, {.single = true}), (std::vector<Index>{1, 2, 3}));
    device::Cpu cpu(1);
    EXPECT_EQ(hierarchy::outlier_scores(cpu, tree), std::vector<double>(6, 0));
}

TEST(ClustersTree, NoPointsOrOne) {
    EXPECT_TRUE(hierarchy::condense(hierarchy::merge_tree(0, {}), 2).groups.empty());
    EXPECT_TRUE(hierarchy::select({}, {}).empty());
    const GroupTree one = hierarchy::condense(hierarchy::merge_tree(1, {}), 2);
    EXPECT_EQ(one.home, std::vector<Index>{0});
    EXPECT_TRUE(hierarchy::select(one, {}).empty());
    EXPECT_TRUE(hierarchy::linkage_of(hierarchy::merge_tree(1, {})).empty());
}

/// A tree whose n points are joined in a chain needs no recursion.
TEST(ClustersTree, DeepTrees) {
    constexpr Index n = 200000;
    std::vector<Edge> edges;
    for (Index p = 1; p < n; ++p) edges.push_back({static_cast<double>(p), p - 1, p});
    const hierarchy::MergeTree merges = hierarchy::merge_tree(n, edges);
    EXPECT_EQ(merges.nodes(), n - 1);
    const GroupTree tree = hierarchy::condense(merges, 2);
    EXPECT_EQ(tree.groups.size(), 1U);
    EXPECT_EQ(hierarchy::linkage_of(merges).back().size, n);
}

TEST(ClustersTree, ExcessOfMassIsTheBestOfAllAntichains) {
    int tried = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Matrix points = blobs(90, 2, seed, seed % 3 == 0 ? 0.5F : 0);
        for (const bool single : {false, true}) {
            const Result result = cluster(points.view(), {.min_size = 4, .min_samples = 3, .single = single});
            if (result.tree.groups.size() > 16) continue;
            ++tried;
            double sum = 0;
            for (const Index g : result.tree.layers[0]) sum += result.tree.groups[at(g)].stability;
            const double best = best_stability(result.tree, single);
            if (std::isinf(best)) {
                EXPECT_EQ(sum, best);
            } else {
                EXPECT_NEAR(sum, best, 1e-9 * (1 + best)) << seed;
            }
        }
    }
    EXPECT_GT(tried, 30);
}

TEST(ClustersTree, LayersAndTheirNames) {
    GroupTree tree = hierarchy::condense(hierarchy::merge_tree(8, by_hand), 3);
    tree.layers = {{1, 2}, {0}};
    EXPECT_EQ(tree.labels(0), (std::vector<Index>{0, 0, 0, 1, 1, 1, -1, -1}));
    EXPECT_EQ(tree.labels(1), std::vector<Index>(8, 0));
    EXPECT_EQ(tree.label_layers("none")[0][6], "none");
    EXPECT_EQ(tree.label_layers("none")[0][3], "1");
    tree.names = {"all", "few", ""};
    EXPECT_EQ(tree.label_layers("none")[0][0], "few");
    EXPECT_EQ(tree.label_layers("none")[0][3], "1");
    EXPECT_NE(refusal(Fault::bad_input, [&] { (void)tree.labels(2); }), "");
}

/// The least size for which leaves are these labels; 0: there is none.
Index size_of_leaves(const Matrix& points, const std::vector<Index>& labels) {
    for (Index size = 4; size < points.rows(); ++size) {
        if (cluster(points.view(), {.min_size = size, .min_samples = 3, .select = Selection::leaf}).labels == labels)
            return size;
    }
    return 0;
}

TEST(ClustersTree, CoarserLayersAreClustersOfALargerLeastSize) {
    int coarser = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Matrix points = blobs(220, 2, seed, seed % 3 == 0 ? 0.5F : 0);
        const Result result =
            cluster(points.view(), {.min_size = 4, .min_samples = 3, .select = Selection::leaf, .layers = 4});
        const auto& layers = result.tree.layers;
        ASSERT_LE(layers.size(), 4U);
        for (std::size_t l = 1; l < layers.size(); ++l) {
            ++coarser;
            EXPECT_GE(layers[l].size(), 2U);
            EXPECT_LT(layers[l].size(), layers[l - 1].size());
            const std::vector<Index> labels = result.tree.labels(static_cast<Index>(l));
            EXPECT_GT(size_of_leaves(points, labels), 4) << seed << ", layer " << l;
        }
    }
    EXPECT_GE(coarser, 8);
}

TEST(ClustersTree, LayersNestAndHaveTheirNumbers) {
    const Matrix points = blobs(600, 2, 3, 0);
    for (const Selection select : {Selection::eom, Selection::leaf}) {
        const Result one = cluster(points.view(), {.min_size = 4, .select = select}),
                     result = cluster(points.view(), {.min_size = 4, .select = select, .layers = 3});
        EXPECT_EQ(result.labels, one.labels);
        EXPECT_EQ(one.tree.layers.size(), 1U);
        std::vector<Index> seen(result.tree.groups.size(), 0);
        for (std::size_t l = 0; l < result.tree.layers.size(); ++l) {
            for (const Index group : result.tree.layers[l]) {
                const Index number = result.tree.groups[at(group)].number;
                ASSERT_GE(number, 0);
                EXPECT_EQ(number < result.clusters, result.tree.groups[at(group)].number ==
                                                        result.labels[at(result.tree.groups[at(group)].least)]);
                seen[at(number)] = 1;
            }
            if (l == 0) continue;
            // A group of the finer layer lies in one of this layer, or in none
            const std::vector<Index> coarse = result.tree.labels(static_cast<Index>(l));
            for (const Index group : result.tree.layers[l - 1]) {
                for (Index p = 0; p < 600; ++p) {
                    if (!result.tree.contains(group, p)) continue;
                    EXPECT_EQ(coarse[at(p)], coarse[at(result.tree.groups[at(group)].least)]);
                }
            }
        }
        EXPECT_EQ(std::find(seen.begin(), seen.end(), 0), std::find(seen.rbegin(), seen.rend(), 1).base())
            << "numbers follow each other";
    }
}

TEST(ClustersTree, FewClustersHaveFewLayers) {
    const std::vector<float> none{1, 1};
    EXPECT_EQ(cluster({none.data(), 1, 2}, {.layers = 5}).tree.layers, (std::vector<std::vector<Index>>{{}}));
    EXPECT_EQ(cluster(blobs(40, 2, 1, 0).view(), {.min_size = 20, .layers = 5}).tree.layers.size(), 1U);
    EXPECT_NE(refusal(Fault::bad_input, [&] { cluster({none.data(), 1, 2}, {.layers = 0}); }), "");
}

}  // namespace
}  // namespace dunlin::clusters

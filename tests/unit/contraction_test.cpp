// SPDX-License-Identifier: Apache-2.0
// The merge tree and the linkage as a GPU makes them, on the executor of the CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "cases/cpu_selection.hpp"
#include "hierarchy/condensing.hpp"
#include "math/rng.hpp"

namespace dunlin::hierarchy {
namespace {

void expect_same(Index points, const std::vector<Edge>& edges) {
    device::Cpu cpu(3);
    const MergeTree expected = merge_tree(points, edges);
    Contraction<device::Cpu> contraction(cpu, points);
    contraction.run(edges);
    const MergeTree found = contraction.tree();
    EXPECT_EQ(found.level, expected.level);
    EXPECT_EQ(found.parent, expected.parent);
    EXPECT_EQ(found.size, expected.size);
    EXPECT_EQ(found.least, expected.least);
    EXPECT_EQ(found.home, expected.home);
    const std::vector<Merge> merges = contraction.linkage(), others = linkage_of(expected);
    ASSERT_EQ(merges.size(), others.size());
    for (std::size_t m = 0; m < merges.size(); ++m) {
        EXPECT_EQ(merges[m].first, others[m].first) << m;
        EXPECT_EQ(merges[m].second, others[m].second) << m;
        EXPECT_EQ(merges[m].level, others[m].level) << m;
        EXPECT_EQ(merges[m].size, others[m].size) << m;
    }
    for (const Index least : {2, 3, 10}) {
        GroupTree condensed;
        condense(cpu, contraction, points, least, condensed);
        const GroupTree other = condense(expected, least);
        EXPECT_EQ(condensed.home, other.home);
        EXPECT_EQ(condensed.leaves_at, other.leaves_at);
        ASSERT_EQ(condensed.groups.size(), other.groups.size());
        for (std::size_t g = 0; g < other.groups.size(); ++g) {
            const Group &a = condensed.groups[g], &b = other.groups[g];
            EXPECT_EQ(std::tie(a.parent, a.end, a.size, a.least, a.birth, a.death),
                      std::tie(b.parent, b.end, b.size, b.least, b.birth, b.death));
            EXPECT_TRUE(a.stability == b.stability || (std::isnan(a.stability) && std::isnan(b.stability)));
        }
    }
}

enum class Shape { random, near, path, star, caterpillar };

/// A tree whose vertices have numbers in random order; weights below `weights`, or all different if that is 0.
std::vector<Edge> some_tree(Index points, Shape shape, Index weights, std::uint64_t seed) {
    std::vector<Index> number(at(points));
    for (Index p = 0; p < points; ++p) number[at(p)] = p;
    const auto below = [&](Index bound, Index item, std::uint64_t draw) {
        return static_cast<Index>(
            math::random_below(static_cast<std::uint64_t>(bound), seed, static_cast<std::uint64_t>(item), draw));
    };
    for (Index p = points - 1; p > 0; --p) std::swap(number[at(p)], number[at(below(p + 1, p, 0))]);
    std::vector<Edge> edges;
    for (Index p = 1; p < points; ++p) {
        Index other = below(p, p, 1);
        if (shape == Shape::near) other = std::max(0, p - 1 - below(5, p, 1));
        if (shape == Shape::path) other = p - 1;
        if (shape == Shape::star) other = 0;
        if (shape == Shape::caterpillar) other = p % 2 == 1 ? p - 1 : std::max(0, p - 2);
        const double weight = weights == 0  ? math::random_uniform(seed, static_cast<std::uint64_t>(p), 2)
                              : weights < 0 ? static_cast<double>(weights == -1 ? p : points - p)
                                            : below(weights, p, 2);
        edges.push_back({weight, number[at(p)], number[at(other)]});
    }
    return edges;
}

TEST(Contraction, IsTheMergeTree) {
    for (const Shape shape : {Shape::random, Shape::near, Shape::path, Shape::star, Shape::caterpillar}) {
        for (const Index points : {2, 3, 4, 5, 6, 7, 8, 31, 32, 33, 100, 1000}) {
            // -1, -2: ascending and descending along the tree
            for (const Index weights : {0, 1, 2, 3, 20, 500, -1, -2}) {
                for (std::uint64_t seed = 1; seed <= (points < 40 ? 20U : 3U); ++seed) {
                    SCOPED_TRACE(testing::Message() << points << " points, shape " << static_cast<int>(shape)
                                                    << ", weights " << weights << ", seed " << seed);
                    expect_same(points, some_tree(points, shape, weights, seed));
                    if (testing::Test::HasFailure()) return;
                }
            }
        }
    }
    expect_same(20000, some_tree(20000, Shape::near, 0, 4));
}

}  // namespace
}  // namespace dunlin::hierarchy

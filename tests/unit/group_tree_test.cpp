// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <set>

#include <dunlin/communities.hpp>
#include <dunlin/group_tree_files.hpp>

#include "cases/communities.hpp"
#include "folder.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Labels = std::vector<Index>;

/// Points of a group, by the tree.
std::set<Index> members(const GroupTree& tree, Index group) {
    std::set<Index> points;
    for (Index p = 0; p < std::ssize(tree.home); ++p) {
        if (tree.contains(group, p)) points.insert(p);
    }
    return points;
}

void expect_sound(const GroupTree& tree) {
    ASSERT_FALSE(tree.groups.empty());
    EXPECT_EQ(tree.groups[0].parent, -1);
    EXPECT_EQ(tree.groups[0].birth, infinity);
    EXPECT_EQ(tree.groups[0].end, std::ssize(tree.groups));
    for (Index g = 0; g < std::ssize(tree.groups); ++g) {
        const Group& group = tree.groups[static_cast<std::size_t>(g)];
        const std::set<Index> points = members(tree, g);
        EXPECT_EQ(group.size, std::ssize(points)) << g;
        EXPECT_EQ(group.least, *points.begin()) << g;
        EXPECT_LT(group.death, group.birth) << g;
        if (g == 0) continue;
        const Group& parent = tree.groups[static_cast<std::size_t>(group.parent)];
        EXPECT_LT(group.parent, g);
        EXPECT_LE(group.end, parent.end);
        EXPECT_EQ(group.birth, parent.death) << g;
        EXPECT_LT(group.size, parent.size) << g;
    }
}

TEST(GroupTree, OfPartitionsByHand) {
    // {0, 1} {2} {3, 4} {5}; then {0, 1, 2} {3, 4} {5}; then {0, 1, 2, 5} {3, 4}
    const GroupTree tree =
        tree_of_partitions({Labels{0, 0, 1, 2, 2, 3}, Labels{7, 7, 7, 4, 4, 9}, Labels{1, 1, 1, 0, 0, 1}});
    expect_sound(tree);
    ASSERT_EQ(tree.groups.size(), 7U);
    const std::vector<std::set<Index>> wanted{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 5}, {0, 1, 2}, {0, 1}, {2}, {5}, {3, 4}};
    const std::vector<double> births{infinity, 4, 3, 2, 2, 3, 4}, deaths{4, 3, 2, 1, 1, 1, 1};
    for (std::size_t g = 0; g < wanted.size(); ++g) {
        EXPECT_EQ(members(tree, static_cast<Index>(g)), wanted[g]) << g;
        EXPECT_EQ(tree.groups[g].birth, births[g]) << g;
        EXPECT_EQ(tree.groups[g].death, deaths[g]) << g;
    }
    EXPECT_EQ(tree.layers, (std::vector<Labels>{{3, 4, 5, 6}, {2, 5, 6}, {1, 6}}));
    EXPECT_EQ(tree.children(0), (Labels{1, 6}));
}

TEST(GroupTree, OfRandomPartitionsGivesThemBack) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto draw = [&](int most, std::uint64_t a, std::uint64_t b) {
            return static_cast<int>(math::random_below(static_cast<std::uint64_t>(most), seed, a, b));
        };
        const int n = 1 + draw(30, 0, 0), levels = 1 + draw(4, 0, 1);
        std::vector<Labels> partitions;
        for (int level = 0; level < levels; ++level) {
            Labels labels(static_cast<std::size_t>(n));
            for (int p = 0; p < n; ++p) {
                const std::size_t at = static_cast<std::size_t>(p);
                const int before = level == 0 ? p : partitions.back()[at];
                // Some points have no set in the finest partition
                if (level == 0 && draw(9, 99, static_cast<std::uint64_t>(p)) == 0)
                    labels[at] = -1;
                else
                    labels[at] = draw(1 + n / (level + 2), 2 + static_cast<std::uint64_t>(level),
                                      static_cast<std::uint64_t>(before < 0 ? 1000 + p : before));
            }
            partitions.push_back(labels);
        }
        const GroupTree tree = tree_of_partitions(partitions);
        expect_sound(tree);
        ASSERT_EQ(std::ssize(tree.layers), levels);
        for (int level = 0; level < levels; ++level) {
            const Labels& wanted = partitions[static_cast<std::size_t>(level)];
            const Labels found = tree.labels(level), cut = tree.cut(level + 1);
            for (std::size_t p = 0; p < wanted.size(); ++p) {
                EXPECT_EQ(found[p] < 0, wanted[p] < 0);
                EXPECT_EQ(cut[p] < 0, wanted[p] < 0);
                for (std::size_t q = 0; q < p; ++q) {
                    if (wanted[p] < 0 || wanted[q] < 0) continue;
                    EXPECT_EQ(found[p] == found[q], wanted[p] == wanted[q]);
                    EXPECT_EQ(cut[p] == cut[q], wanted[p] == wanted[q]);
                }
            }
        }
    }
}

TEST(GroupTree, OfCommunitiesHasTheirLevels) {
    const communities::Result result = communities::find(made::karate());
    const GroupTree tree = tree_of_partitions(result.levels);
    expect_sound(tree);
    EXPECT_EQ(std::ssize(tree.layers.back()), result.count);
}

TEST(GroupTree, OfNoPointsIsEmptyAndOfOneIsARoot) {
    EXPECT_TRUE(tree_of_partitions({}).groups.empty());
    EXPECT_TRUE(tree_of_partitions({Labels{}, Labels{}}).groups.empty());
    const GroupTree tree = tree_of_partitions({Labels{4}});
    expect_sound(tree);
    EXPECT_EQ(tree.groups.size(), 1U);
    const GroupTree none = tree_of_partitions({Labels{-1, -1}});
    expect_sound(none);
    EXPECT_EQ(none.home, (Labels{0, 0}));
}

TEST(GroupTree, RefusesPartitionsThatAreNotNested) {
    const auto refused = [](const std::vector<Labels>& partitions) {
        return refusal(Fault::bad_input, [&] { tree_of_partitions(partitions); });
    };
    EXPECT_NE(refused({Labels{0, 0, 1}, Labels{0, 1, 1}}).find("set of point 1 of partition 1"), std::string::npos);
    EXPECT_NE(refused({Labels{0, 0}, Labels{-1, 0}}).find("partition 2"), std::string::npos);
    EXPECT_NE(refused({Labels{0, 0}, Labels{0}}).find("1 labels"), std::string::npos);
}

class GroupTreeFiles : public InFolder {
protected:
    GroupTreeFiles() {
        tree_ = tree_of_partitions({Labels{0, 0, 1, -1}, Labels{0, 0, 0, -1}});
        tree_.names = {"", "it's", "two words", "plain"};
    }
    GroupTree tree_;
};

TEST_F(GroupTreeFiles, Newick) {
    io::write_group_tree(path("tree.nwk"), tree_);
    EXPECT_EQ(bytes(path("tree.nwk")), "(('two words':1,plain:1)'it''s':1)0;\n");
}

TEST_F(GroupTreeFiles, Tables) {
    io::write_group_tree(path("tree.csv"), tree_);
    EXPECT_EQ(bytes(path("tree.csv")),
              "group,parent,end,size,least,birth,death,stability,persistence,number,name\n"
              "0,-1,4,4,0,,3,0,0,-1,\n"
              "1,0,4,3,0,3,2,0,0,0,it's\n"
              "2,1,3,2,0,2,1,0,0,-1,two words\n"
              "3,1,4,1,2,2,1,0,0,-1,plain\n");
}

TEST_F(GroupTreeFiles, Json) {
    io::write_group_tree(path("tree.json"), tree_, {"a", "b", "\"c", "d"});
    const std::string text = bytes(path("tree.json"));
    for (const char* part :
         {"\"parent\": [-1,0,1,1]", "\"birth\": [null,3,2,2]", "\"home\": [2,2,3,0]", "\"leaves_at\": [1,1,1,3]",
          "\"layers\": [[2,3],[1]]", "\"ids\": [\"a\",\"b\",\"\\\"c\",\"d\"]",
          "\"name\": [\"\",\"it's\",\"two words\",\"plain\"]"}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
}

TEST_F(GroupTreeFiles, OtherExtensionsAndWrongIdsAreRefused) {
    EXPECT_NE(refusal(Fault::bad_input, [&] { io::write_group_tree(path("tree.npy"), tree_); }).find(".nwk"),
              std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [&] { io::write_group_tree(path("tree.json"), tree_, {"a"}); }).find("1 ids"),
              std::string::npos);
}

TEST_F(GroupTreeFiles, EmptyAndDeepTrees) {
    io::write_group_tree(path("none.nwk"), {});
    EXPECT_EQ(bytes(path("none.nwk")), ";\n");
    GroupTree chain;
    constexpr Index groups = 200000;
    for (Index g = 0; g < groups; ++g) {
        const double birth = g == 0 ? infinity : static_cast<double>(groups - g + 1);
        chain.groups.push_back({.parent = g - 1,
                                .end = groups,
                                .size = groups - g,
                                .least = g,
                                .birth = birth,
                                .death = static_cast<double>(groups - g)});
    }
    io::write_group_tree(path("chain.nwk"), chain);
    const std::string text = bytes(path("chain.nwk"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '('), groups - 1);
    EXPECT_EQ(std::count(text.begin(), text.end(), ')'), groups - 1);
}

}  // namespace
}  // namespace dunlin

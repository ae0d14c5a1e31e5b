// SPDX-License-Identifier: Apache-2.0
#include "forces/tree/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cases/cases.hpp"
#include "cases/cpu_forces.hpp"
#include "cases/maps.hpp"
#include "forces/tree/mac_test.hpp"
#include "forces/tree/nodes.hpp"

namespace dunlin::forces {
namespace {

using namespace repulsion;
using cases::RepulsionTolerance;
using made::clusters;

void expect_close(const Points& y, int dim, float theta, const RepulsionTolerance& allowed) {
    const Forces found = tree(y, dim, theta), right = exact(y, dim);
    EXPECT_LT(error(found, right), allowed.force) << count(y, dim) << " theta " << theta;
    EXPECT_NEAR(found.mass, right.mass, allowed.mass * right.mass) << count(y, dim) << " theta " << theta;
}

TEST(Tree, NoPointsAndOnePointHaveNoForce) {
    EXPECT_EQ(tree({}, 2, 0.5F).mass, 0);
    const Forces one = tree({1, 2, 3}, 3, 0.5F);
    EXPECT_EQ(one.mass, 0);
    EXPECT_EQ(one.force, Points(3, 0.0F));
}

TEST(Tree, IsExactAtThetaZero) {
    for (const int dim : {2, 3}) {
        for (const Index n : {2, 3, 16, 17, 31, 32, 33, 64, 65, 1000, 5000}) {
            expect_close(clusters(n, dim), dim, 0, cases::all_pairs);
        }
    }
}

TEST(Tree, ErrsLessAtASmallerTheta) {
    for (const int dim : {2, 3}) {
        const Points y = clusters(5000, dim);
        const Forces right = exact(y, dim);
        double last = 0.1;
        for (const float theta : {1.0F, 0.7F, 0.5F, 0.3F, 0.15F}) {
            const double now = error(tree(y, dim, theta), right);
            EXPECT_LT(now, 0.8 * last) << theta;
            last = now;
        }
        EXPECT_LT(last, 1e-3);
    }
}

TEST(Tree, AWideThetaNeverLetsACellActOnItsOwnPoints) {
    for (const int dim : {2, 3}) expect_close(clusters(500, dim), dim, 5, cases::tree_at_five);
}

TEST(Tree, PointsInOnePlaceCountEachOther) {
    const Index n = 3000;
    const Forces r = tree(Points(2 * n, -4.25F), 2, 0.5F);
    EXPECT_EQ(r.mass, static_cast<double>(n) * (n - 1));
    EXPECT_EQ(r.force, Points(2 * n, 0.0F));
}

TEST(Tree, ManyCopiesOfFewPlacesAreExactFromAfar) {
    for (const int dim : {2, 3}) {
        const Points y = made::copies_of_places(dim, 50);
        expect_close(y, dim, 0, cases::all_pairs);
        expect_close(y, dim, 0.5F, cases::tree_at_half);
    }
}

TEST(Tree, CloudsOfCopiesCostLittle) {
    const Points y = made::cloud_of_copies();  // a quadratic algorithm would not finish
    const Forces r = tree(y, 2, 0.5F, 2);
    EXPECT_GT(r.mass, 0.99e12);
    EXPECT_LT(r.mass, 1e12);
}

TEST(Tree, AFarOutlierSpoilsNothing) {
    for (const int dim : {2, 3}) {
        for (const float far : {1e4F, 1e9F, 1e25F}) {
            const Points y = made::with_outlier(dim, far);
            expect_close(y, dim, 0, cases::all_pairs);
            expect_close(y, dim, 0.5F, cases::tree_at_half);
        }
    }
}

TEST(Tree, TakesPointsOnALine) {
    const Points y = made::line();
    expect_close(y, 3, 0, cases::all_pairs_cancelling);
    expect_close(y, 3, 0.5F, cases::tree_at_half);
}

TEST(Tree, TakesAFirstMapSmallAsDust) {
    const Points y = made::dust();
    expect_close(y, 2, 0, cases::all_pairs_cancelling);
    expect_close(y, 2, 0.5F, cases::tree_at_half_of_dust);
}

TEST(Tree, SurvivesWhatIsNotANumber) {
    Points y = clusters(1000, 2);
    y[77] = NAN;
    y[99] = INFINITY;
    EXPECT_EQ(tree(y, 2, 0.5F).force.size(), y.size());
}

TEST(Tree, OneTreeServesMapsOfEitherDimension) {
    device::Cpu cpu(2);
    device::Cell<double> mass;
    Tree<StudentT> one(0.5F);
    for (const int dim : {2, 3, 2}) {
        const Points y = clusters(700, dim);
        Points force(y.size());
        one.repel(cpu, {y.data(), 700, dim}, {force.data(), 700, dim}, mass);
        EXPECT_EQ(force, tree(y, dim, 0.5F).force);
    }
}

TEST(Tree, HasTheSameBytesForAnyNumberOfThreads) {
    for (const int dim : {2, 3}) {
        const Points y = clusters(20000, dim);
        const Forces one = tree(y, dim, 0.5F, 1);
        for (const int threads : {2, 3}) {
            const Forces other = tree(y, dim, 0.5F, threads);
            EXPECT_EQ(one.force, other.force);
            EXPECT_EQ(one.mass, other.mass);
        }
    }
}

template <int D>
void expect_sound(const Points& y) {
    device::Cpu cpu(2);
    TreeNodes<D> tree;
    tree.build(cpu, {y.data(), count(y, D), D}, 0.5F);
    std::vector<int> held(y.size() / D);
    for (const Index group : tree.groups()) {
        const TreeNode<D>& node = tree.nodes()[static_cast<std::size_t>(group)];
        for (Index i = 0; i < node.count; ++i) ++held[static_cast<std::size_t>(tree.item(node.first + i))];
    }
    EXPECT_TRUE(std::all_of(held.begin(), held.end(), [](int h) { return h == 1; }));
    for (const TreeNode<D>& node : tree.nodes()) {
        if (node.children == 0) continue;
        Index points = 0;
        for (Index c = node.child; c < node.child + node.children; ++c) {
            EXPECT_EQ(tree.nodes()[static_cast<std::size_t>(c)].first, node.first + points);
            points += tree.nodes()[static_cast<std::size_t>(c)].count;
        }
        EXPECT_EQ(points, node.count);
        EXPECT_GE(node.children, 2);
    }
}

TEST(TreeNodes, GroupsHoldEveryPointOnceAndChildrenAllOfTheirParent) {
    for (const Index n : {1, 16, 17, 64, 65, 2047, 2049, 30000}) {
        expect_sound<2>(clusters(n, 2));
        expect_sound<3>(clusters(n, 3));
    }
    Points crowd = clusters(5000, 2);
    crowd[0] = 1e20F;  // all others in one cell
    expect_sound<2>(crowd);
}

template <int D>
void expect_moments(const Points& y) {
    device::Cpu cpu(1);
    TreeNodes<D> tree;
    tree.build(cpu, {y.data(), count(y, D), D}, 0.5F);
    for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
        const TreeNode<D>& node = tree.nodes()[i];
        double xx = 0, xy = 0, x = 0;
        for (Index p = node.first; p < node.first + node.count; ++p) {
            const double dx = static_cast<double>(tree.axis(0)[p]) - static_cast<double>(node.at[0]);
            const double dy = static_cast<double>(tree.axis(1)[p]) - static_cast<double>(node.at[1]);
            x += dx;
            xx += dx * dx;
            xy += dx * dy;
        }
        EXPECT_NEAR(x / node.count, 0, 1e-5);
        EXPECT_NEAR(static_cast<double>(tree.moments()[i][0]), xx, 1e-4 * (1 + xx));
        EXPECT_NEAR(static_cast<double>(tree.moments()[i][D]), xy, 1e-4 * (1 + xx + std::abs(xy)));
    }
}

TEST(TreeNodes, HaveTheirCenterAndSecondMoments) {
    expect_moments<2>(clusters(3000, 2));
    expect_moments<3>(clusters(3000, 3));
}

template <int D>
void expect_equal_sifting(Index n) {
    device::Cpu cpu(1);
    TreeNodes<D> tree;
    const Points y = clusters(n, D);
    tree.build(cpu, {y.data(), n, D}, 0.5F);
    std::vector<Index> ids;
    for (std::size_t id = 0; id < tree.nodes().size(); ++id) ids.push_back(static_cast<Index>(id));
    GroupBox<D> box;
    box.low.fill(20);
    box.high.fill(23);
    const auto size = static_cast<Index>(ids.size());
    std::vector<Index> accepted[2], opened[2];
    for (int way : {0, 1}) {
        accepted[way].resize(ids.size() + 16);
        opened[way].resize(ids.size() + 16);
        const MacCounts counts =
            (way == 0 ? mac_test<D> : mac_test_plain<D>)(tree.nodes().data(), ids.data(), size, box,
                                                         accepted[way].data(), opened[way].data());
        EXPECT_EQ(counts.accepted + counts.opened, size);
        accepted[way].resize(static_cast<std::size_t>(counts.accepted));
        opened[way].resize(static_cast<std::size_t>(counts.opened));
    }
    EXPECT_EQ(accepted[0], accepted[1]);
    EXPECT_EQ(opened[0], opened[1]);
}

TEST(TreeNodes, MacTestIsTheSameOnAnyProcessor) {
    for (const Index n : {1, 100, 1000, 20000}) {
        expect_equal_sifting<2>(n);
        expect_equal_sifting<3>(n);
    }
}

}  // namespace
}  // namespace dunlin::forces

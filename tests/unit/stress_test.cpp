// SPDX-License-Identifier: Apache-2.0
// The sparse stress model by which the multilevel layout finds a graph's shape.
#include "layout/sparse_stress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cases/graphs.hpp"
#include "forces/spring.hpp"
#include "layout/coarsest.hpp"
#include "layout/hierarchy.hpp"

namespace dunlin::layout {
namespace {

using made::path;

double distance(const std::vector<float>& map, Index i, Index j) {
    const auto at = [&](Index v, Index c) {
        return static_cast<double>(map[static_cast<std::size_t>(Offset{2} * v + c)]);
    };
    return std::hypot(at(i, 0) - at(j, 0), at(i, 1) - at(j, 1));
}

TEST(CoarsestLayout, DistancesAlongAPathAreMet) {
    device::Cpu cpu(1);
    const Graph line = path(4);
    EXPECT_EQ(all_distances(cpu, {&line, {}}), (std::vector<float>{0, 1, 2, 3, 1, 0, 1, 2, 2, 1, 0, 1, 3, 2, 1, 0}));
    const CoarsestLayout summit = place_coarsest(cpu, {&line, {}}, 2, 1);
    for (Index i = 0; i < 4; ++i) {
        for (Index j = 0; j < i; ++j) EXPECT_NEAR(distance(summit.map.coordinates, i, j), i - j, 0.01);
    }
}

TEST(CoarsestLayout, PivotsLieFarApart) {
    device::Cpu cpu(1);
    const Graph line = path(5), two = path(2);
    const Pivots<device::Cpu> three = farthest_pivots(cpu, {&line, {}}, 3);
    EXPECT_EQ(three.vertices, (std::vector<Index>{4, 0, 2}));
    EXPECT_EQ(three.distances, (std::vector<float>{4, 0, 2, 3, 1, 1, 2, 2, 0, 1, 3, 1, 0, 4, 2}));
    EXPECT_EQ(farthest_pivots(cpu, {&line, {}}, 9).count, 5);
    const std::vector<float> nothing(2, 0.0F);  // lengths that underflow to zero
    EXPECT_EQ(farthest_pivots(cpu, {&two, nothing}, 9).vertices, (std::vector<Index>{0, 1}));  // no pivot twice
}

TEST(CoarsestLayout, HasPivotsOfItsOwnLevelWhateverItsSize) {
    device::Cpu cpu(1);
    for (const Index n : {0, 1, 2, 99, coarsest, coarsest + 1, 2000}) {
        const Graph line = path(n);
        const CoarsestLayout summit = place_coarsest(cpu, {&line, {}}, 2, 1);
        EXPECT_EQ(summit.map.size(), n);
        EXPECT_EQ(static_cast<Index>(summit.pivots.size()), std::min(n, max_pivots));
        ASSERT_EQ(summit.distances.size(), summit.pivots.size() * static_cast<std::size_t>(n));
        const bool is_path = n > 1;  // then the first pivot is its far end
        EXPECT_EQ(is_path ? summit.distances[0] : 0, static_cast<float>(std::max(n - 1, 0)));
    }
}

TEST(Hierarchy, EndsWithASmallLevel) {
    device::Cpu cpu(1);
    const Graph line = path(20000);
    const auto hierarchy = build_hierarchy(cpu, graph::Level{&line, {}}, 3);
    EXPECT_LE(hierarchy.size(hierarchy.coarsest()), small_level);
    EXPECT_GT(hierarchy.size(hierarchy.coarsest() - 1), small_level);
}

TEST(Pivots, BinsAreEightAnOctave) {
    for (Index d = 1; d < 16; ++d) {
        EXPECT_EQ(bin_of(static_cast<float>(2 * d)), bin_of(static_cast<float>(d)) + 8);
        EXPECT_GT(bin_of(static_cast<float>(d + 1)), bin_of(static_cast<float>(d)));
    }
    EXPECT_EQ(bin_of(0), 0);
    EXPECT_EQ(bin_of(1e30F), bins - 1);
}

/// A path of 10 vertices: pivots 9 and 0 with the distances of all vertices.
Pivots<device::Cpu> ends_of_ten() {
    Pivots<device::Cpu> two{2, {9, 0}, {}, {}};
    for (int v = 0; v < 10; ++v) {
        two.distances.push_back(static_cast<float>(9 - v));
        two.distances.push_back(static_cast<float>(v));
    }
    return two;
}

TEST(Pivots, StandForTheirRegions) {
    device::Cpu cpu(1);
    Pivots<device::Cpu> two = ends_of_ten();
    set_pivot_weights(cpu, 10, two);
    // Vertex 8 is 8 from pivot 0, whose region is 0 to 4: all of it at most 4 away
    EXPECT_FLOAT_EQ(two.weights[8 * 2 + 1], 5.0F / 64);
    EXPECT_FLOAT_EQ(two.weights[7 * 2 + 1], 4.0F / 49);  // 4 is beyond half of 7
    EXPECT_FLOAT_EQ(two.weights[8 * 2 + 0], 1.0F);
    EXPECT_FLOAT_EQ(two.weights[9 * 2 + 0], 0.0F);
}

TEST(Pivots, DistancesCarriedDownAreThoseAlongEdges) {
    const Graph line = path(200);
    std::vector<float> lengths;
    for (Index v = 0; v < 200; ++v) {  // an edge is as long as its lower end's number, and one
        if (v > 0) lengths.push_back(static_cast<float>(v));
        if (v < 199) lengths.push_back(static_cast<float>(v + 1));
    }
    for (const int threads : {1, 3}) {
        device::Cpu cpu(threads);
        const graph::Level level{&line, lengths};
        const graph::Coarsening step = graph::coarsen(cpu, level, 3);
        const Pivots<device::Cpu> coarse = farthest_pivots(cpu, step.level(), 20);
        const Pivots<device::Cpu> fine = prolongate_pivots(cpu, level, step, coarse, 7);
        ASSERT_EQ(fine.count, 7);
        const auto along = [](Index v) { return static_cast<float>(v * (v + 1) / 2); };
        for (Index v = 0; v < 200; ++v) {
            for (Index p = 0; p < 7; ++p) {
                EXPECT_FLOAT_EQ(fine.distances[static_cast<std::size_t>(7 * v + p)],
                                std::abs(along(v) - along(fine.vertices[static_cast<std::size_t>(p)])));
            }
        }
    }
}

TEST(Stress, OneStepByHand) {
    // Vertex 1 of 0 - 1 - 2, at (1, 0); the one pivot, 0 at (0, 0), is 1 away and stands for 3; 2 is at (4, 0)
    device::Cpu cpu(1);
    const Graph line = path(3);
    const Pivots<device::Cpu> one{1, {0}, {0, 1, 2}, {0, 3, 0.5F}};
    std::vector<float> map{0, 0, 1, 0, 4, 0};
    reduce_stress(cpu, {&line, {}}, one, 1, 2, map);
    EXPECT_FLOAT_EQ(map[2], (3 * 1 + 1 * 1 + 1 * 3) / 5.0F);  // pivot 0 and neighbors 0 and 2 would have it at 1, 1, 3
    EXPECT_FLOAT_EQ(map[3], 0);
}

TEST(Stress, AnEdgeAsASpringPullsAsItsMajorizationDoes) {
    const forces::StressSpring spring;
    EXPECT_NEAR(spring.attraction(0.25, 16.0), 0.25 * (1 - 2.0 / 4), 1e-9);  // of length 2, stretched to 4
    EXPECT_NEAR(spring.attraction(0.25, 4.0), 0, 1e-9);
    EXPECT_EQ(spring.attraction(0.0, 4.0), 0);
}

}  // namespace
}  // namespace dunlin::layout

// SPDX-License-Identifier: Apache-2.0
#include "arrange/pack.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "arrange/hull.hpp"
#include "arrange/polyomino.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::arrange {
namespace {

/// Components of the given sizes, with consecutive vertices.
graph::Components components_of(const std::vector<Index>& sizes) {
    graph::Components components;
    for (const Index size : sizes) {
        for (Index i = 0; i < size; ++i) {
            components.of.push_back(components.count());
            components.members.push_back(static_cast<Index>(components.members.size()));
        }
        components.offsets.push_back(std::ssize(components.members));
    }
    return components;
}

/// All components in squares of side sqrt(size) around the origin, overlapping.
Map heap_of(const graph::Components& components, int dim = 2) {
    Map map{dim, {}};
    for (std::uint64_t v = 0; v < components.of.size(); ++v) {
        const double side = std::sqrt(static_cast<double>(components.members_of(components.of[v]).size()));
        for (int c = 0; c < dim; ++c) {
            map.coordinates.push_back(
                static_cast<float>(side * (math::random_uniform(1, v, static_cast<std::uint64_t>(c)) - 0.5)));
        }
    }
    return map;
}

double distance(const Map& map, Index a, Index b) {
    double sum = 0;
    for (int c = 0; c < map.dim; ++c) {
        const double d = static_cast<double>(map.view()(a, c)) - static_cast<double>(map.view()(b, c));
        sum += d * d;
    }
    return std::sqrt(sum);
}

/// Distances within components are preserved, and discs of different components are `gap` apart.
void expect_packed(const Map& before, const Map& after, const graph::Components& components,
                   const std::vector<float>& radii, double gap) {
    const auto radius = [&](Index v) { return radii.empty() ? 0.0 : static_cast<double>(radii[at(v)]); };
    for (Index a = 0; a < before.size(); ++a) {
        for (Index b = 0; b < a; ++b) {
            if (components.of[at(a)] == components.of[at(b)]) {
                ASSERT_NEAR(distance(after, a, b), distance(before, a, b), 1e-3);
            } else {
                ASSERT_GE(distance(after, a, b), radius(a) + radius(b) + gap - 1e-3) << a << ' ' << b;
            }
        }
    }
}

double share_of_page_used(const Map& map, const std::vector<Index>& sizes) {
    const auto y = map.view();
    float low[2] = {1e9F, 1e9F}, high[2] = {-1e9F, -1e9F};
    for (Index v = 0; v < map.size(); ++v) {
        for (int c = 0; c < 2; ++c) {
            low[c] = std::min(low[c], y(v, c));
            high[c] = std::max(high[c], y(v, c));
        }
    }
    double used = 0;
    for (const Index size : sizes) used += size;
    return used / (static_cast<double>(high[0] - low[0]) * static_cast<double>(high[1] - low[1]));
}

TEST(Hull, OfASquareWithPointsInItAndOnItIsFourCorners) {
    const std::vector<Point> hull = convex_hull({{1, 1}, {0, 0}, {2, 0}, {1, 0}, {2, 2}, {0, 2}, {0, 2}, {0.5, 1.5}});
    EXPECT_EQ(hull, (std::vector<Point>{{0, 0}, {2, 0}, {2, 2}, {0, 2}}));
    EXPECT_EQ(convex_hull(std::vector<Point>(5000, {3, 4})), (std::vector<Point>{{3, 4}}));
    EXPECT_EQ(convex_hull({{1, 1}, {0, 0}, {2, 2}}), (std::vector<Point>{{0, 0}, {2, 2}}));
}

TEST(Hull, OfManyPointsHoldsThemAll) {
    std::vector<Point> points;
    for (std::uint64_t i = 0; i < 5000; ++i) points.push_back({math::random_normal(1, i), math::random_normal(2, i)});
    const std::vector<Point> hull = convex_hull(points);
    ASSERT_GT(hull.size(), 5U);
    for (std::size_t i = 0; i < hull.size(); ++i) {
        for (const Point p : points) EXPECT_GE(orientation(hull[i], hull[(i + 1) % hull.size()], p), -1e-12);
    }
}

TEST(Hull, LongDirectionOfARotatedRectangleIsItsLongSide) {
    const double c = std::cos(0.4), s = std::sin(0.4);
    std::vector<Point> points;
    for (const Point p : {Point{0, 0}, {5, 0}, {5, 1}, {0, 1}, {2, 0.5}})
        points.push_back({c * p.x - s * p.y, s * p.x + c * p.y});
    const Point level = long_direction(convex_hull(points));
    EXPECT_NEAR(std::abs(level.x), c, 1e-12);
    EXPECT_NEAR(level.x * s - level.y * c, 0, 1e-12);
}

TEST(PolyominoPacking, PlacesPolyominoesAroundTheCenterWithoutOverlap) {
    PolyominoPacking packing;
    const Polyomino square{3, {{0, 3}, {0, 3}, {0, 3}}}, single{1, {{0, 1}}}, bend{2, {{0, 1}, {0, 2}}};
    const GridCell first = packing.place(square);
    EXPECT_EQ(first.x, -1);
    EXPECT_EQ(first.y, -1);
    std::vector<std::pair<int, int>> cells;
    for (int i = 0; i < 200; ++i) {
        const Polyomino& polyomino = i % 2 == 0 ? single : bend;
        const GridCell corner = packing.place(polyomino);
        for (int r = 0; r < polyomino.height(); ++r) {
            for (int x = polyomino.rows[at(r)].first; x < polyomino.rows[at(r)].last; ++x)
                cells.emplace_back(corner.x + x, corner.y + r);
        }
    }
    std::sort(cells.begin(), cells.end());
    EXPECT_EQ(std::adjacent_find(cells.begin(), cells.end()), cells.end());
    for (const auto& [x, y] : cells) {
        EXPECT_FALSE(x >= -1 && x <= 1 && y >= -1 && y <= 1);
        EXPECT_LT(std::max(std::abs(x), std::abs(y)), 13);  // 409 cells need a square of side 21
    }
}

TEST(Pack, KeepsComponentsApartAndInShape) {
    const auto components = components_of({40, 1, 1, 200, 2, 1, 3, 3, 2, 2, 25, 1, 60, 7, 1});
    for (const int dim : {2, 3}) {
        for (const bool discs : {false, true}) {
            std::vector<float> radii;
            for (Index v = 0; discs && v < std::ssize(components.of); ++v)
                radii.push_back(0.1F + 0.4F * static_cast<float>(v % 3));
            const Map before = heap_of(components, dim);
            Map after = before;
            device::Cpu cpu(2);
            pack(cpu, after, components, radii, 0.7F);
            expect_packed(before, after, components, radii, 0.7);
        }
    }
}

TEST(Pack, WholeAndEmptyGraphsStayAsTheyAre) {
    device::Cpu cpu(1);
    const auto whole = components_of({5});
    const Map before = heap_of(whole);
    Map after = before;
    pack(cpu, after, whole, {}, 1);
    EXPECT_EQ(after.coordinates, before.coordinates);
    Map nothing;
    pack(cpu, nothing, graph::Components{}, {}, 1);
    EXPECT_EQ(nothing.size(), 0);
}

TEST(Pack, IsolatedVerticesFormASquareOfRows) {
    const auto components = components_of(std::vector<Index>(16, 1));
    Map map{2, std::vector<float>(32, 0)};
    device::Cpu cpu(1);
    pack(cpu, map, components, {}, 2);
    for (Index v = 0; v < 16; ++v) {
        EXPECT_FLOAT_EQ(map.view()(v, 0) - map.view()(0, 0), static_cast<float>(v % 4 * 2));
        EXPECT_FLOAT_EQ(map.view()(0, 1) - map.view()(v, 1), static_cast<float>(v / 4 * 2));
    }
}

TEST(Pack, IsolatedVerticesLieBelowTheOthers) {
    for (const std::size_t alone : {4U, 400U}) {
        std::vector<Index> sizes(alone, 1);
        for (const Index size : {30, 100, 60}) sizes.push_back(size);
        const auto components = components_of(sizes);
        Map map = heap_of(components);
        device::Cpu cpu(1);
        pack(cpu, map, components, {}, 2);
        float highest = -1e9F, lowest = 1e9F;
        for (Index v = 0; v < map.size(); ++v) {
            if (v < static_cast<Index>(alone)) highest = std::max(highest, map.view()(v, 1));
            if (v >= static_cast<Index>(alone)) lowest = std::min(lowest, map.view()(v, 1));
        }
        EXPECT_LE(highest, lowest - 2 + 1e-4F) << alone;
    }
}

/// Each component is a path through its vertices in their order, with steps of length 1 around a spiral.
struct Paths {
    graph::Components components;
    Graph graph;
    Map map;
};
Paths paths_of(const std::vector<Index>& sizes, int dim = 2) {
    Paths paths{components_of(sizes), {}, {dim, {}}};
    paths.graph.offsets = {0};
    for (Index c = 0; c < paths.components.count(); ++c) {
        const auto vertices = paths.components.members_of(c);
        double angle = 0;
        for (std::size_t i = 0; i < vertices.size(); ++i) {
            const double radius = 1 + angle / (2 * M_PI);
            const std::array<double, 3> place{radius * std::cos(angle), radius * std::sin(angle), 0.1 * angle};
            for (int d = 0; d < dim; ++d) paths.map.coordinates.push_back(static_cast<float>(place[at(d)]));
            angle += 1 / radius;
            if (i > 0) paths.graph.targets.push_back(vertices[i] - 1);
            if (i + 1 < vertices.size()) paths.graph.targets.push_back(vertices[i] + 1);
            paths.graph.offsets.push_back(std::ssize(paths.graph.targets));
        }
    }
    paths.graph.weights.assign(paths.graph.targets.size(), 1);
    return paths;
}

/// Sides of the box around some vertices, and their product.
double area_of(const Map& map, std::span<const Index> vertices) {
    double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    for (const Index v : vertices) {
        for (int d = 0; d < 2; ++d) {
            low[d] = std::min(low[d], static_cast<double>(map.view()(v, d)));
            high[d] = std::max(high[d], static_cast<double>(map.view()(v, d)));
        }
    }
    return (high[0] - low[0]) * (high[1] - low[1]);
}

std::vector<Index> one_large_and_many_pairs() {
    std::vector<Index> sizes(300, 2);
    for (const Index size : {3, 5, 8, 1, 1, 1, 900, 20}) sizes.push_back(size);
    return sizes;
}

TEST(PackDrawing, TheLargestComponentGetsItsShare) {
    for (const int dim : {2, 3}) {
        const Paths paths = paths_of(one_large_and_many_pairs(), dim);
        Map map = paths.map;
        device::Cpu cpu(2);
        const double scale = pack_drawing(cpu, map, paths.graph, paths.components, {}, false);
        EXPECT_GT(scale, 0.02);
        EXPECT_LT(scale, 1);
        const auto large = paths.components.members_of(306);
        ASSERT_EQ(large.size(), 900U);
        const double share = 900 / static_cast<double>(map.size());
        EXPECT_GE(area_of(map, large), share * area_of(map, paths.components.members));
        // One scale for all others, none for the largest
        EXPECT_NEAR(distance(map, 0, 1), scale * distance(paths.map, 0, 1), 1e-3);
        EXPECT_NEAR(distance(map, large[0], large[899]), distance(paths.map, large[0], large[899]), 1e-2);

        Map one = paths.map;
        EXPECT_EQ(pack_drawing(cpu, one, paths.graph, paths.components, {}, true), 1);
        EXPECT_NEAR(distance(one, 0, 1), distance(paths.map, 0, 1), 1e-3);
        Map other = paths.map;
        device::Cpu cpu4(4);
        EXPECT_EQ(pack_drawing(cpu4, other, paths.graph, paths.components, {}, false), scale);
        EXPECT_EQ(other.coordinates, map.coordinates);
    }
}

TEST(PackDrawing, StrangersAreFartherThanNeighbors) {
    const Paths paths = paths_of(one_large_and_many_pairs());
    for (const bool one_scale : {false, true}) {
        Map map = paths.map;
        device::Cpu cpu(2);
        const double scale = pack_drawing(cpu, map, paths.graph, paths.components, {}, one_scale);
        for (Index a = 0; a < 620; ++a) {  // of small components
            for (Index b = 0; b < map.size(); ++b) {
                if (paths.components.of[at(a)] == paths.components.of[at(b)]) continue;
                ASSERT_GE(distance(map, a, b), 1.1 * scale) << a << ' ' << b;
            }
        }
    }
}

TEST(PackDrawing, ComponentsOfOneSizeHaveOneScale) {
    for (const std::vector<Index>& sizes :
         {std::vector<Index>{30, 30}, {40, 40, 40}, {20, 10, 10}, {1, 1, 1}, {1, 1}, {5}, {}}) {
        const Paths paths = paths_of(sizes);
        Map map = paths.map;
        device::Cpu cpu(1);
        EXPECT_EQ(pack_drawing(cpu, map, paths.graph, paths.components, {}, false), 1);
        for (const float x : map.coordinates) EXPECT_TRUE(std::isfinite(x));
        for (Index a = 0; a < map.size(); ++a) {
            for (Index b = 0; b < a; ++b) {
                if (paths.components.of[at(a)] == paths.components.of[at(b)]) continue;
                EXPECT_GT(distance(map, a, b), 1);
            }
        }
    }
}

TEST(PackDrawing, DiscsAndLinesHaveOneScale) {
    const Paths paths = paths_of(one_large_and_many_pairs()), line = paths_of(one_large_and_many_pairs(), 1);
    const std::vector<float> radii(at(paths.map.size()), 0.1F);
    device::Cpu cpu(2);
    Map map = paths.map;
    EXPECT_EQ(pack_drawing(cpu, map, paths.graph, paths.components, radii, false), 1);
    map = line.map;
    EXPECT_EQ(pack_drawing(cpu, map, line.graph, line.components, {}, false), 1);
}

TEST(PackDrawing, CoincidentVerticesAndAPairBesideOneVertex) {
    for (const std::vector<Index>& sizes : {std::vector<Index>{50, 4, 2, 1}, {2, 1}}) {
        for (const bool coincident : {false, true}) {
            const Paths paths = paths_of(sizes);
            Map map = paths.map;
            if (coincident) std::fill(map.coordinates.begin(), map.coordinates.end(), 3.0F);
            device::Cpu cpu(1);
            EXPECT_GT(pack_drawing(cpu, map, paths.graph, paths.components, {}, false), 0.003);
            for (const float x : map.coordinates) EXPECT_TRUE(std::isfinite(x));
            EXPECT_GT(distance(map, 0, map.size() - 1), 0.003);
        }
    }
}

TEST(Pack, FillsTheAreaWell) {
    std::vector<Index> sizes{20000};  // squares with one point
    for (Index i = 0; i < 400; ++i) sizes.push_back(30 + i % 50);
    const auto components = components_of(sizes);
    Map map = heap_of(components);
    device::Cpu cpu(2);
    pack(cpu, map, components, {}, 0.2F);
    EXPECT_GT(share_of_page_used(map, sizes), 0.75);
}

TEST(Pack, DoesNotDependOnThreads) {
    std::vector<Index> sizes;
    for (Index i = 0; i < 300; ++i) sizes.push_back(1 + i % 9);
    const auto components = components_of(sizes);
    Map one = heap_of(components), four = one;
    device::Cpu cpu1(1), cpu4(4);
    pack(cpu1, one, components, {}, 0.5F);
    pack(cpu4, four, components, {}, 0.5F);
    EXPECT_EQ(one.coordinates, four.coordinates);
}

TEST(Pack, ALongPathAndAHundredThousandPairs) {
    std::vector<Index> sizes(100001, 2);
    const auto components = components_of(sizes);
    Map map = heap_of(components);
    map.coordinates[0] = -1e6F;  // the first pair is very long
    device::Cpu cpu(2);
    pack(cpu, map, components, {}, 1);
    for (const float x : map.coordinates) EXPECT_LT(std::abs(x), 2e6F);
}

}  // namespace
}  // namespace dunlin::arrange

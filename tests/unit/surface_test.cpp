// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cases/surface.hpp"
#include "surface/border.hpp"
#include "surface/cube.hpp"
#include "surface/inside.hpp"

namespace dunlin::surface {
namespace {

using cases::ball, cases::cube_field, cases::field_of, cases::topology_of, cases::torus, cases::whole_numbers;

constexpr double pi = std::numbers::pi;

/// Expects that every edge belongs to two triangles in opposite directions, and that the measures agree.
void expect_closed(const Result& result) {
    const cases::Topology topology = topology_of(result.mesh);
    EXPECT_TRUE(topology.is_closed()) << topology.edges - topology.closed << " of " << topology.edges;
    EXPECT_EQ(topology.edges, result.measures.edges);
    EXPECT_EQ(topology.used, result.mesh.vertices());
    EXPECT_EQ(result.measures.vertices, result.mesh.vertices());
    EXPECT_EQ(result.measures.triangles, result.mesh.faces());
}

double distance(const Mesh& mesh, Offset vertex) {
    const float* p = mesh.positions.data() + 3 * vertex;
    return std::sqrt(double(p[0]) * double(p[0]) + double(p[1]) * double(p[1]) + double(p[2]) * double(p[2]));
}

TEST(CubeTable, HasTheTrianglesOfKuhnsSixTetrahedra) {
    // A corner lies in 6 tetrahedra (0 and 7) or 2 (the others); the complement has as many triangles
    EXPECT_EQ(cube_table.count[0], 0);
    EXPECT_EQ(cube_table.count[255], 0);
    EXPECT_EQ(cube_table.count[1], 6);
    EXPECT_EQ(cube_table.count[2], 2);
    EXPECT_EQ(cube_table.count[128], 6);
    int most = 0;
    for (int c = 0; c < 256; ++c) {
        EXPECT_EQ(cube_table.count[c], cube_table.count[255 - c]);
        most = std::max<int>(most, cube_table.count[c]);
        for (int i = 0; i < 3 * cube_table.count[c]; ++i) {
            const int edge = cube_table.edges[c][i];
            ASSERT_LT(edge, cube_edges);
            const int a = cube_table.owner[edge], b = a + cube_table.direction[edge];
            EXPECT_NE(c >> a & 1, c >> b & 1);
        }
    }
    EXPECT_EQ(most, most_triangles);
}

TEST(Surface, FloorOfALevelSeparatesTheSameValues) {
    EXPECT_EQ(floor_of<float>(0.5), 0.5F);
    EXPECT_LT(double(floor_of<float>(0.1)), 0.1);
    EXPECT_GT(double(std::nextafter(floor_of<float>(0.1), 1.0F)), 0.1);
    EXPECT_EQ(floor_of<double>(0.1), 0.1);
    EXPECT_EQ(floor_of<float>(1e300), std::numeric_limits<float>::max());
    EXPECT_EQ(floor_of<float>(-1e300), -std::numeric_limits<float>::infinity());
    EXPECT_EQ(floor_of<float>(0.0), 0.0F);
    EXPECT_EQ(floor_of<float>(-1e-300), -std::numeric_limits<float>::denorm_min());
}

TEST(Surface, OneCornerInsideIsATetrahedronOfHalfEdges) {
    // GridNode 0 is 1, all others are -1: the vertices lie in the middle of the 7 edges of node 0
    auto field = field_of<double>({2, 2, 2}, {1, 1, 1}, {0, 0, 0}, [](double, double, double) { return -1.0; });
    field.values[0] = 1;
    const Result open = extract(field.grid(), {.open = true});
    EXPECT_EQ(open.mesh.vertices(), 7);
    EXPECT_EQ(open.mesh.faces(), 6);
    EXPECT_EQ(open.measures.euler(), 1);
    EXPECT_FALSE(open.measures.volume);
    const Result closed = extract(field.grid());
    // Six tetrahedra, each with the eighth of its volume 1/6 at node 0
    EXPECT_NEAR(*closed.measures.volume, 1.0 / 8, 1e-7);
    EXPECT_NEAR(closed.measures.cap, 3.0 / 4, 1e-7);  // each face: half of it lies in two triangles, a quarter of each
    EXPECT_EQ(closed.mesh.vertices(), 8);
    EXPECT_EQ(closed.mesh.faces(), 6 + 6);
    expect_closed(closed);
}

TEST(Surface, SphereHasTheCharacteristicTwoAndAreaOfSecondOrder) {
    double before = 0;
    for (const Index n : {16, 32, 64}) {
        const Result result = extract(cube_field<double>(n, ball).grid());
        expect_closed(result);
        EXPECT_EQ(result.measures.euler(), 2);
        EXPECT_EQ(result.measures.cap, 0);
        const double area = 4 * pi * 0.49;
        const double error = std::abs(result.measures.area - area) / area;
        if (before > 0) {
            EXPECT_GT(before / error, 3.5) << n;
            EXPECT_LT(before / error, 4.6) << n;
        }
        before = error;
        EXPECT_NEAR(*result.measures.volume, 4.0 / 3 * pi * 0.343, 8.0 / n / n);
        for (Offset v = 0; v < result.mesh.vertices(); ++v) {
            ASSERT_NEAR(distance(result.mesh, v), 0.7, 2.5 / n / n);
            double cosine = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const auto i = static_cast<std::size_t>(3 * v + axis);
                cosine += double(result.mesh.normals[i]) * double(result.mesh.positions[i]) / 0.7;
            }
            ASSERT_GT(cosine, 1 - 8.0 / n / n) << "normals are outward";
        }
    }
    EXPECT_LT(before, 7e-4);
}

TEST(Surface, TorusHasTheCharacteristicZero) {
    double before = 0;
    for (const Index n : {32, 64}) {
        const Result result = extract(cube_field<float>(n, torus).grid());
        expect_closed(result);
        EXPECT_EQ(result.measures.euler(), 0);
        const double area = 4 * pi * pi * 0.6 * 0.25;
        const double error = std::abs(result.measures.area - area) / area;
        if (before > 0) {
            EXPECT_NEAR(before / error, 4, 0.5);
        }
        before = error;
    }
}

TEST(Surface, IsClosedWhereValuesEqualTheLevel) {
    for (const int most : {2, 3, 5}) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            const auto field = whole_numbers<double>({9, 7, 38}, most, seed);
            for (const double level : {0.0, 0.5, 1.0, 3.0}) {
                const Result result = extract(field.grid(), {.level = level});
                expect_closed(result);
                EXPECT_GE(*result.measures.volume, 0);
            }
        }
    }
}

TEST(Surface, OpenSurfacesEndAtTheBorderOnly) {
    const auto field = whole_numbers<float>({8, 9, 35}, 4, 5);
    const Result open = extract(field.grid(), {.level = 1.5, .open = true});
    const cases::Topology topology = topology_of(open.mesh);
    EXPECT_GT(topology.single, 0);
    EXPECT_EQ(topology.closed + topology.single, topology.edges);
    EXPECT_EQ(topology.edges, open.measures.edges);
    EXPECT_EQ(open.measures.cap, 0);
    // The cap has the open surface's vertices and triangles first
    const Result closed = extract(field.grid(), {.level = 1.5});
    expect_closed(closed);
    EXPECT_TRUE(std::equal(open.mesh.positions.begin(), open.mesh.positions.end(), closed.mesh.positions.begin()));
    EXPECT_TRUE(std::equal(open.mesh.triangles.begin(), open.mesh.triangles.end(), closed.mesh.triangles.begin()));
}

TEST(Surface, LevelsBeyondAllValuesAreEmptyOrTheWholeGrid) {
    const auto field = field_of<float>({4, 5, 6}, {1, 2, 3}, {10, 20, 30}, [](double x, double, double) { return x; });
    for (const double above : {13.0, 14.0, 1e300}) {
        const Result result = extract(field.grid(), {.level = above});
        EXPECT_EQ(result.mesh.vertices(), 0);
        EXPECT_EQ(result.measures.euler(), 0);
        EXPECT_EQ(*result.measures.volume, 0);
    }
    const Result whole = extract(field.grid(), {.level = -1e300});
    expect_closed(whole);
    EXPECT_EQ(whole.measures.euler(), 2);
    EXPECT_NEAR(*whole.measures.volume, 3 * 8 * 15, 1e-3);
    EXPECT_NEAR(whole.measures.area, 2 * (3 * 8 + 3 * 15 + 8 * 15), 1e-3);
    EXPECT_EQ(extract(field.grid(), {.level = -1, .open = true}).mesh.vertices(), 0);
}

TEST(Surface, PlaneOfAThinGridIsExact) {
    // x + 2y + 3z = 5.5 in a grid of one cell along y and z
    const auto field = field_of<double>({9, 2, 2}, {1, 1, 1}, {0, 0, 0},
                                        [](double x, double y, double z) { return 5.5 - x - 2 * y - 3 * z; });
    const Result open = extract(field.grid(), {.open = true});
    for (Offset v = 0; v < open.mesh.vertices(); ++v) {
        const float* p = open.mesh.positions.data() + 3 * v;
        const float* normal = open.mesh.normals.data() + 3 * v;
        EXPECT_NEAR(p[0] + 2 * p[1] + 3 * p[2], 5.5F, 1e-6F);
        for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(double(normal[axis]), (axis + 1) / std::sqrt(14.0), 1e-6);
    }
    EXPECT_NEAR(open.measures.area, std::sqrt(14.0), 1e-6);
    const Result closed = extract(field.grid());
    expect_closed(closed);
    EXPECT_EQ(closed.measures.euler(), 2);
    EXPECT_NEAR(*closed.measures.volume, 5.5 - 1 - 1.5, 1e-6);
}

TEST(Surface, SpacingPerAxisScalesTheSurface) {
    // An ellipsoid as a ball of a stretched grid; axes are x, y, z in the order of the array
    const auto field =
        field_of<float>({33, 17, 25}, {0.125, 0.25, 0.25}, {-2, -2, -3},
                        [](double x, double y, double z) { return 1 - x * x / 2.25 - y * y / 1 - z * z / 6.25; });
    const Result result = extract(field.grid());
    expect_closed(result);
    EXPECT_EQ(result.measures.euler(), 2);
    EXPECT_NEAR(*result.measures.volume, 4.0 / 3 * pi * 1.5 * 1 * 2.5, 0.4);
    float most[3] = {};
    for (std::size_t i = 0; i < result.mesh.positions.size(); ++i)
        most[i % 3] = std::max(most[i % 3], result.mesh.positions[i]);
    EXPECT_NEAR(most[0], 1.5F, 0.02F);
    EXPECT_NEAR(most[1], 1.0F, 0.05F);
    EXPECT_NEAR(most[2], 2.5F, 0.05F);
}

TEST(Surface, ExtremeValuesGiveFinitePositionsAndNormals) {
    auto field = whole_numbers<double>({6, 6, 6}, 2, 3);
    for (double& v : field.values) v = v > 0 ? 1e308 : -1e308;
    for (const double level : {0.0, 1e307, -1e308}) {
        const Result result = extract(field.grid(), {.level = level});
        expect_closed(result);
        for (const float p : result.mesh.positions) ASSERT_TRUE(p >= 0 && p <= 5);
        for (const float c : result.mesh.normals) ASSERT_TRUE(std::isfinite(c));
    }
    for (double& v : field.values) v = v > 0 ? 5e-324 : 0;
    const Result tiny = extract(field.grid());
    expect_closed(tiny);
    for (const float p : tiny.mesh.positions) ASSERT_TRUE(p >= 0 && p <= 5);
}

TEST(Surface, SameBytesForAnyNumberOfThreads) {
    const auto field = whole_numbers<float>({40, 90, 100}, 7, 9);
    dunlin::Run run;
    run.threads = 1;
    const Result one = extract(field.grid(), {.level = 3}, run);
    for (const int threads : {2, 3}) {
        run.threads = threads;
        const Result other = extract(field.grid(), {.level = 3}, run);
        EXPECT_EQ(one.mesh.positions, other.mesh.positions);
        EXPECT_EQ(one.mesh.normals, other.mesh.normals);
        EXPECT_EQ(one.mesh.triangles, other.mesh.triangles);
        EXPECT_EQ(one.measures.area, other.measures.area);
    }
}

TEST(Surface, FloatAndDoubleOfTheSameValuesAgree) {
    const auto floats = whole_numbers<float>({10, 11, 12}, 9, 4);
    const auto doubles = whole_numbers<double>({10, 11, 12}, 9, 4);
    EXPECT_EQ(extract(floats.grid(), {.level = 3.3}).mesh.positions,
              extract(doubles.grid(), {.level = 3.3}).mesh.positions);
}

TEST(BorderNodes, AreNumberedInOrder) {
    for (const Shape shape : {Shape(2, 2, 2), Shape(2, 5, 3), Shape(4, 2, 6), Shape(5, 4, 2), Shape(4, 5, 6)}) {
        const BorderNodes nodes{shape};
        Offset number = 0;
        for (Index x = 0; x < shape.nx; ++x) {
            for (Index y = 0; y < shape.ny; ++y) {
                for (Index z = 0; z < shape.nz; ++z) {
                    const bool inner =
                        x > 0 && x + 1 < shape.nx && y > 0 && y + 1 < shape.ny && z > 0 && z + 1 < shape.nz;
                    if (inner) continue;
                    EXPECT_EQ(nodes.number({x, y, z}), number);
                    const GridNode n = nodes.node(number++);
                    EXPECT_TRUE(n.x == x && n.y == y && n.z == z) << x << ' ' << y << ' ' << z;
                }
            }
        }
        EXPECT_EQ(nodes.count(), number);
    }
}

}  // namespace
}  // namespace dunlin::surface

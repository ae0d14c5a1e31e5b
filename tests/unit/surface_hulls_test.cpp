// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "cases/maps.hpp"
#include "cases/surface.hpp"
#include "refusal.hpp"
#include "surface/metaballs.hpp"

namespace dunlin::surface {
namespace {

using cases::topology_of;

Map map_of(std::vector<float> coordinates) { return {.dim = 3, .coordinates = std::move(coordinates)}; }

TEST(Metaballs, FieldIsTheSumOfTheKernels) {
    const Map map = map_of(made::cloud(50, 3, 1.0));
    const double radius = 0.8;
    const FieldArray field = metaballs(map, radius, 40);
    Offset node = 0;
    for (Index x = 0; x < field.nodes[0]; ++x) {
        for (Index y = 0; y < field.nodes[1]; ++y) {
            for (Index z = 0; z < field.nodes[2]; ++z, ++node) {
                const double p[3] = {field.origin[0] + field.spacing[0] * x, field.origin[1] + field.spacing[1] * y,
                                     field.origin[2] + field.spacing[2] * z};
                double sum = 0;
                for (Index i = 0; i < map.size(); ++i) {
                    double square = 0;
                    for (int axis = 0; axis < 3; ++axis) square += std::pow(p[axis] - double(map.view()(i, axis)), 2);
                    sum += std::pow(std::max(1 - square / radius / radius, 0.0), 3);
                }
                ASSERT_NEAR(double(field.values[static_cast<std::size_t>(node)]), sum, 1e-6);
                const bool inner = x > 0 && y > 0 && z > 0 && x + 1 < field.nodes[0] && y + 1 < field.nodes[1] &&
                                   z + 1 < field.nodes[2];
                if (!inner) {
                    ASSERT_EQ(field.values[static_cast<std::size_t>(node)], 0.0F);
                }
            }
        }
    }
    EXPECT_EQ(*std::max_element(field.nodes.begin(), field.nodes.end()), 41);
}

TEST(Metaballs, TwoMergeAtTheKnownDistance) {
    // In the middle of two balls at distance d the sum is 2 (1 - (d / 2R)^2)^3
    for (const double level : {0.25, 0.5, 0.8}) {
        const double merge = 2 * std::sqrt(1 - std::cbrt(level / 2));
        for (const double share : {0.97, 1.03}) {
            const auto half = static_cast<float>(merge * share / 2);
            const HullResult result =
                hulls(map_of({-half, 0, 0, half, 0, 0}), {}, {.radius = 1, .level = level, .cells = 96});
            EXPECT_EQ(result.hulls.at(0).measures.euler(), share < 1 ? 2 : 4) << level;
            EXPECT_TRUE(topology_of(result.mesh).is_closed());
        }
    }
}

TEST(Hulls, OnePointIsABall) {
    const HullResult result = hulls(map_of({3, 4, 5}), {}, {.radius = 2, .level = 0.5});
    const Hull& hull = result.hulls.at(0);
    const double r = 2 * std::sqrt(1 - std::cbrt(0.5));
    EXPECT_EQ(hull.measures.euler(), 2);
    EXPECT_NEAR(*hull.measures.volume, 4.0 / 3 * std::numbers::pi * r * r * r, 0.01);
    EXPECT_EQ(hull.inside, 1);
    // By rule: radius 1, and the point inside
    const HullResult by_rule = hulls(map_of({3, 4, 5}));
    EXPECT_EQ(by_rule.hulls.at(0).radius, 1);
    EXPECT_EQ(by_rule.hulls.at(0).inside, 1);
    EXPECT_EQ(by_rule.hulls.at(0).measures.euler(), 2);
}

TEST(Hulls, EqualPointsAreOneBall) {
    std::vector<float> coordinates(300, 7.0F);
    const HullResult result = hulls(map_of(coordinates), {}, {.share = 50});
    EXPECT_EQ(result.hulls.at(0).inside, 1) << "equal points are inside together";
    EXPECT_EQ(result.hulls.at(0).measures.euler(), 2);
}

TEST(Hulls, NoPointsHaveNoHull) {
    const HullResult result = hulls(map_of({}));
    EXPECT_EQ(result.mesh.vertices(), 0);
    EXPECT_TRUE(result.hulls.empty());
    EXPECT_EQ(result.stopped, Stopped::converged);
}

TEST(Hulls, HoldTheirShareOfThePoints) {
    const Map map = map_of(made::clusters(2000, 3));
    for (const double share : {10.0, 50.0, 90.0, 100.0}) {
        const HullResult result = hulls(map, {}, {.share = share, .cells = 64});
        EXPECT_NEAR(result.hulls.at(0).inside, share / 100, 1.0 / 2000 + 1e-12) << share;
        EXPECT_GE(result.hulls.at(0).inside, share / 100 - 1e-12);
        EXPECT_TRUE(topology_of(result.mesh).is_closed());
    }
}

TEST(Hulls, AreOfPointsWithLabels) {
    const Map map = map_of(made::clusters(100, 3));
    Labels labels{std::vector<Index>(100, no_label), {"a"}};
    EXPECT_TRUE(hulls(map, labels, {.cells = 32}).hulls.empty());
    std::fill_n(labels.of.begin(), 50, 0);
    const HullResult result = hulls(map, labels, {.cells = 32});
    ASSERT_EQ(result.hulls.size(), 1U);
    EXPECT_EQ(result.hulls[0].points, 50);
}

TEST(Hulls, OnePerLabelInTheLabelsOrder) {
    const Map map = map_of(made::clusters(700, 3));
    Labels labels{{}, {"none", "a", "b", "c", "d", "e", "f", "g"}};
    for (Index i = 0; i < map.size(); ++i) labels.of.push_back(1 + i % 7);
    const HullResult result = hulls(map, labels, {.cells = 32});
    ASSERT_EQ(result.hulls.size(), 7U) << "a label without points has none";
    ASSERT_EQ(result.mesh.parts.size(), 7U);
    Offset vertices = 0, triangles = 0;
    for (std::size_t l = 0; l < 7; ++l) {
        EXPECT_EQ(result.hulls[l].name, labels.names[l + 1]);
        EXPECT_EQ(result.hulls[l].points, 100);
        EXPECT_GE(result.hulls[l].inside, 0.9);
        EXPECT_EQ(result.mesh.parts[l].name, labels.names[l + 1]);
        vertices += result.mesh.parts[l].vertices;
        triangles += result.mesh.parts[l].triangles;
    }
    EXPECT_NE(result.mesh.parts[0].color, result.mesh.parts[1].color);
    EXPECT_EQ(vertices, result.mesh.vertices());
    EXPECT_EQ(triangles, result.mesh.faces());
    EXPECT_TRUE(topology_of(result.mesh).is_closed());
    EXPECT_EQ(hulls(map, labels, {.hulls = Hulls::all, .cells = 32}).hulls.size(), 1U);
}

TEST(Hulls, SameBytesForAnyNumberOfThreads) {
    const Map map = map_of(made::clusters(3000, 3));
    dunlin::Run run;
    run.threads = 1;
    const HullResult one = hulls(map, {}, {.cells = 50}, run);
    run.threads = 3;
    const HullResult three = hulls(map, {}, {.cells = 50}, run);
    EXPECT_EQ(one.mesh.positions, three.mesh.positions);
    EXPECT_EQ(one.mesh.triangles, three.mesh.triangles);
}

TEST(Hulls, ValueIsLinearInATetrahedron) {
    const auto field = cases::field_of<float>({4, 4, 4}, {0.5, 1, 2}, {1, 2, 3},
                                              [](double x, double y, double z) { return 3 * x - 2 * y + z - 1; });
    for (const std::array<float, 3> p :
         {std::array<float, 3>{1.3F, 2.4F, 3.9F}, {2.5F, 5, 9}, {1, 2, 3}, {2.2F, 3.1F, 7.7F}})
        EXPECT_NEAR(value_at(field.grid(), p), 3 * double(p[0]) - 2 * double(p[1]) + double(p[2]) - 1, 1e-5);
}

TEST(Hulls, BadInputIsNamed) {
    const auto refused = [](const Map& map, const Labels& labels = {}, const HullOptions& options = {}) {
        return refusal(Fault::bad_input, [&] { (void)hulls(map, labels, options); });
    };
    EXPECT_NE(refused({.dim = 2, .coordinates = {1, 2}}).find("dim 3"), std::string::npos);
    EXPECT_NE(refused(map_of({0, 0, 0, 1, std::numeric_limits<float>::quiet_NaN(), 0})).find("coordinate y of point 1"),
              std::string::npos);
    EXPECT_NE(refused(map_of({0, 0, 0}), {{0, 0}, {"a"}}).find("2 labels"), std::string::npos);
    EXPECT_NE(refused(map_of({0, 0, 0}), {}, {.radius = 0}).find("radius"), std::string::npos);
    EXPECT_NE(refused(map_of({0, 0, 0}), {}, {.level = 0.5, .share = 50}).find("share"), std::string::npos);
    EXPECT_NE(refused(map_of({0, 0, 0}), {}, {.cells = 3}).find("cells"), std::string::npos);
    EXPECT_NE(refusal(Fault::bad_input, [] { (void)metaballs(map_of({}), 1, 10); }).find("no points"),
              std::string::npos);
}

TEST(Hulls, AStopLeavesNoHulls) {
    std::stop_source source;
    dunlin::Run run;
    run.stop = source.get_token();
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "spread") source.request_stop();
    };
    const HullResult result = hulls(map_of(made::clusters(3000, 3)), {}, {}, run);
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_TRUE(result.hulls.empty());
    EXPECT_EQ(result.mesh.vertices(), 0);
}

}  // namespace
}  // namespace dunlin::surface

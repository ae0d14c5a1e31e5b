// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cases/surface.hpp"
#include "refusal.hpp"

namespace dunlin::surface {
namespace {

using cases::ball, cases::cube_field, cases::field_of, cases::torus;

void expect_same(const Result& one, const Result& other) {
    EXPECT_EQ(one.mesh.positions, other.mesh.positions);
    EXPECT_EQ(one.mesh.normals, other.mesh.normals);
    EXPECT_EQ(one.mesh.triangles, other.mesh.triangles);
    EXPECT_EQ(one.measures.area, other.measures.area);
    EXPECT_EQ(one.measures.volume, other.measures.volume);
    EXPECT_EQ(one.measures.edges, other.measures.edges);
}

/// Nodes at the points of a map.
std::vector<Offset> nodes_of(const FieldArray& field, const Map& map) {
    std::vector<Offset> nodes;
    for (std::size_t i = 0; i < map.coordinates.size(); i += 3) {
        Offset number = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double place = (double(map.coordinates[i + axis]) - field.origin[axis]) / field.spacing[axis];
            number = number * field.nodes[axis] + std::lround(place);
        }
        nodes.push_back(number);
    }
    return nodes;
}

TEST(SurfaceSeeds, MetaballsFromTheirPointsAreThoseOfTheWholeWalk) {
    Map map{3, {}};
    for (int i = 0; i < 60; ++i) {
        for (const double turn : {0.7, 1.9, 2.3}) map.coordinates.push_back(static_cast<float>(std::sin(turn * i * i)));
    }
    const FieldArray field = metaballs(map, 0.4, 70);
    const Result whole = extract(field.grid(), {.level = 0.5});
    for (const int threads : {1, 3}) {
        const Result near = extract(field.grid(), {.level = 0.5, .seeds = nodes_of(field, map)}, {.threads = threads});
        expect_same(near, whole);
        EXPECT_EQ(whole.visited, Offset{field.nodes[0] - 1} * (field.nodes[1] - 1) * (field.nodes[2] - 1));
        EXPECT_GT(near.visited, 1000);
        EXPECT_LT(near.visited, whole.visited / 8);
    }
}

TEST(SurfaceSeeds, ASurfaceThatTheBorderCutsIsThatOfTheWholeWalkIfOpen) {
    const auto field = cube_field<double>(40, [](double x, double y, double z) { return torus(x + 0.4, y, z); });
    const auto middle = static_cast<Offset>(field.values.size() / 2);
    expect_same(extract(field.grid(), {.open = true, .seeds = {middle, middle, 0}}),
                extract(field.grid(), {.open = true}));
    const std::string refused = refusal(Fault::bad_input, [&] { (void)extract(field.grid(), {.seeds = {middle}}); });
    EXPECT_NE(refused.find("reaches the border"), std::string::npos) << refused;
}

TEST(SurfaceSeeds, PiecesThatNoSeedLeadsToAreNotFound) {
    const auto field = field_of<float>({20, 20, 60}, {0.1, 0.1, 0.1}, {-1, -1, -1}, [](double x, double y, double z) {
        return std::max(0.5 - std::hypot(x, y, z), 0.5 - std::hypot(x, y, z - 3));
    });
    const Offset row = (Offset{10} * 20 + 10) * 60;
    EXPECT_EQ(extract(field.grid()).measures.euler(), 4);
    EXPECT_EQ(extract(field.grid(), {.seeds = {row + 10}}).measures.euler(), 2);
    EXPECT_EQ(extract(field.grid(), {.seeds = {row + 25}}).measures.euler(), 4) << "between the two, on both sides";
    const Result none = extract(field.grid(), {.seeds = {0}});
    EXPECT_EQ(none.mesh.faces(), 0);
    EXPECT_EQ(none.visited, 0);
}

TEST(SurfaceSeeds, NumbersValuesAndDevicesAreChecked) {
    auto field = cube_field<float>(20, ball);
    const Offset middle = (Offset{10} * 21 + 10) * 21 + 10;
    for (const Offset seed : {Offset{-1}, Offset{21 * 21 * 21}}) {
        const std::string refused =
            refusal(Fault::bad_input, [&] { (void)extract(field.grid(), {.seeds = {middle, seed}}); });
        EXPECT_NE(refused.find("not a node of the grid of 21 x 21 x 21"), std::string::npos) << refused;
    }
    EXPECT_THROW((void)extract(field.grid(), {.seeds = {middle}}, {.device = Device::cuda}), Error);
    field.values[static_cast<std::size_t>(middle + 1)] = std::numeric_limits<float>::quiet_NaN();
    const std::string refused = refusal(Fault::bad_input, [&] { (void)extract(field.grid(), {.seeds = {middle}}); });
    EXPECT_NE(refused.find("node (10, 10, 11)"), std::string::npos) << refused;
}

}  // namespace
}  // namespace dunlin::surface

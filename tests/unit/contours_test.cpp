// SPDX-License-Identifier: Apache-2.0
#include <dunlin/density.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "cases/maps.hpp"
#include "density/level_lines.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin::density {
namespace {

using Function = std::function<double(double, double)>;

ScalarField field_of(Index nx, Index ny, const Function& value, std::array<double, 3> origin = {}, double spacing = 1) {
    ScalarField field{.dim = 2, .nodes = {nx, ny, 1}, .origin = origin, .spacing = spacing, .values = {}};
    for (Index y = 0; y < ny; ++y) {
        for (Index x = 0; x < nx; ++x)
            field.values.push_back(static_cast<float>(value(field.coordinate(0, x), field.coordinate(1, y))));
    }
    return field;
}

/// Signed area: positive if counterclockwise.
double area_of(const Contour& contour) {
    double twice = 0;
    for (std::size_t i = 0; i < contour.points.size(); ++i) {
        const auto &a = contour.points[i], &b = contour.points[(i + 1) % contour.points.size()];
        twice += a[0] * b[1] - b[0] * a[1];
    }
    return twice / 2;
}

TEST(Contours, OfAConeAreCircles) {
    double last = 1;
    for (const Index n : {50, 100, 200}) {
        const double spacing = 4.0 / n;
        const ScalarField field = field_of(
            n + 1, n + 1, [](double x, double y) { return 2 - std::hypot(x - 0.03, y + 0.01); }, {-2, -2, 0}, spacing);
        const std::vector<Contour> lines = contours(field, 1);
        ASSERT_EQ(lines.size(), 1U);
        const double error = std::abs(area_of(lines[0]) - std::numbers::pi);  // counterclockwise: the area is positive
        EXPECT_LT(error, last / 3);
        last = error;
        for (const auto& [x, y] : lines[0].points) EXPECT_NEAR(std::hypot(x - 0.03, y + 0.01), 1, spacing * spacing);
    }
}

TEST(Contours, OfARingRunBothWays) {
    const ScalarField field =
        field_of(101, 101, [](double x, double y) { return -std::abs(std::hypot(x, y) - 30); }, {-50, -50, 0});
    const std::vector<Contour> lines = contours(field, -10);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_NEAR(area_of(lines[0]), std::numbers::pi * 1600, 20);
    EXPECT_NEAR(area_of(lines[1]), -std::numbers::pi * 400, 20);
}

/// Every place at which contours cross the lines of the grid and its diagonals lies between a node above the level and
/// one below.
TEST(Contours, OfNoiseAreClosedAndSeparateTheNodes) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        ScalarField field{.dim = 2, .nodes = {13, 9, 1}, .values = {}};
        for (std::uint64_t i = 0; i < 13 * 9; ++i) {
            // Many values equal the level, some are missing
            const std::uint64_t draw = math::random_below(5, seed, i);
            field.values.push_back(draw == 4 && seed % 2 == 0 ? NAN : static_cast<float>(draw));
        }
        const std::vector<Contour> lines = contours(field, 2);
        double area = 0;
        for (const Contour& line : lines) {
            EXPECT_GE(line.points.size(), 3U);
            area += area_of(line);
        }
        // The area above the level is the sum of those of all triangles
        double truth = 0;
        const auto value = [&](Index x, Index y) {
            const float v = field.values[at(x + 13 * y)];
            return std::isnan(v) ? -1e300 : static_cast<double>(v);
        };
        const auto triangle = [&](std::array<double, 3> v) {
            std::sort(v.begin(), v.end());
            if (v[0] >= 2) return 0.5;
            if (v[2] < 2) return 0.0;
            if (v[1] < 2) return 0.5 * (v[2] - 2) / (v[2] - v[0]) * (v[2] - 2) / (v[2] - v[1]);
            return 0.5 - 0.5 * (2 - v[0]) / (v[1] - v[0]) * (2 - v[0]) / (v[2] - v[0]);
        };
        for (Index y = 0; y + 1 < 9; ++y) {
            for (Index x = 0; x + 1 < 13; ++x) {
                truth += triangle({value(x, y), value(x + 1, y), value(x + 1, y + 1)});
                truth += triangle({value(x, y), value(x, y + 1), value(x + 1, y + 1)});
            }
        }
        EXPECT_NEAR(area, truth, 1e-9) << "seed " << seed;
    }
}

TEST(Contours, PassAlongTheBorderOfTheGrid) {
    const ScalarField flat = field_of(5, 4, [](double, double) { return 1.0; });
    const std::vector<Contour> lines = contours(flat, 1);  // equal to the level: above it
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(area_of(lines[0]), 12);
    EXPECT_TRUE(contours(flat, 1.5).empty());
    EXPECT_TRUE(contours(field_of(1, 1, [](double, double) { return 0.0; }), 1).empty());
    EXPECT_EQ(contours(field_of(1, 1, [](double, double) { return 2.0; }), 1).size(), 1U);  // a point
    EXPECT_TRUE(contours(ScalarField{}, 1).empty());
}

TEST(Contours, RefuseOtherFields) {
    ScalarField field = field_of(3, 3, [](double, double) { return 1.0; });
    EXPECT_NE(refusal(Fault::bad_input, [&] { contours(field, NAN); }), "");
    EXPECT_NE(refusal(Fault::no_device, [&] { contours(field, 1, {.device = Device::cuda}); }), "");
    field.values.pop_back();
    EXPECT_NE(refusal(Fault::bad_input, [&] { contours(field, 1); }), "");
    const ScalarField cube{.dim = 3, .nodes = {1, 1, 1}, .values = {1}};
    EXPECT_NE(refusal(Fault::bad_input, [&] { contours(cube, 1); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { peaks(cube, -1); }), "");
}

TEST(LevelLines, EndAtTheBorderAndAtMissingValues) {
    const auto slope = [](Index x, Index) { return static_cast<double>(x); };
    const auto lines = level_lines(4, 3, slope, 1.5, LineEnds::open);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_FALSE(lines[0].closed);
    for (const auto& point : lines[0].points) EXPECT_EQ(point[0], 1.5);
    const auto length = [](const LevelLine& line) {
        double sum = 0;
        for (std::size_t i = 0; i + 1 < line.points.size(); ++i)
            sum += std::hypot(line.points[i + 1][0] - line.points[i][0], line.points[i + 1][1] - line.points[i][1]);
        return sum;
    };
    EXPECT_EQ(length(lines[0]), 2);
    const auto broken = [](Index x, Index y) { return y == 2 ? std::nan("") : static_cast<double>(x); };
    const auto parts = level_lines(4, 5, broken, 1.5, LineEnds::open);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(length(parts[0]) + length(parts[1]), 2);
}

// Peaks

TEST(Peaks, OfTwoHillsAreTheirTops) {
    const auto hill = [](double x, double y, double cx, double cy) {
        return std::exp(-((x - cx) * (x - cx) + (y - cy) * (y - cy)) / 50);
    };
    const ScalarField field =
        field_of(80, 60, [&](double x, double y) { return 2 * hill(x, y, 20, 30) + hill(x, y, 60, 20); }, {0, 0, 0});
    const std::vector<Peak> found = peaks(field);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NEAR(found[0].position[0], 20, 0.5);
    EXPECT_NEAR(found[0].position[1], 30, 0.5);
    EXPECT_NEAR(found[1].position[0], 60, 0.5);
    EXPECT_NEAR(found[0].height, 2, 0.01);
    EXPECT_EQ(found[0].prominence, found[0].height);
    EXPECT_LT(found[1].prominence, found[1].height);
    EXPECT_GT(found[1].prominence, 0.9);
    EXPECT_EQ(peaks(field, 1.5).size(), 1U);
}

TEST(Peaks, AreJoinedAlongTheDiagonalOfSquares) {
    // (0, 0) and (1, 1) are neighbors, (1, 0) and (0, 1) are not
    const ScalarField along = field_of(2, 2, [](double x, double y) { return x == y ? 1 + x : 0.0; });
    EXPECT_EQ(peaks(along).size(), 1U);
    const ScalarField across = field_of(2, 2, [](double x, double y) { return x != y ? 1 + x : 0.0; });
    const std::vector<Peak> two = peaks(across);
    ASSERT_EQ(two.size(), 2U);
    EXPECT_EQ(two[0].node, 1);
    EXPECT_EQ(two[0].prominence, 2);
    EXPECT_EQ(two[1].prominence, 1);
    EXPECT_EQ(contours(across, 0.5).size(), 2U);  // as the contours
    EXPECT_EQ(contours(along, 0.5).size(), 1U);
}

TEST(Peaks, OfPlateausAndMissingValues) {
    const ScalarField plateau = field_of(5, 5, [](double, double) { return 3.0; });
    ASSERT_EQ(peaks(plateau).size(), 1U);
    EXPECT_EQ(peaks(plateau)[0].node, 0);
    ScalarField missing = plateau;
    for (float& value : missing.values) value = NAN;
    EXPECT_TRUE(peaks(missing).empty());
}

/// At every level the number of contours that run counterclockwise, less the hollows in the same island, is that of the
/// peaks above with a prominence that reaches down to it: islands are the density clusters of the level.
TEST(Peaks, CountTheIslandsOfEveryLevel) {
    const Map map = made::clusters(3000, 2, 50);
    const ScalarField field = estimate(map, {.nodes = 200}).field;
    const std::vector<Peak> all = peaks(field);
    for (const Band& band : estimate(map, {.nodes = 200}).bands) {
        int islands = 0;
        for (const Peak& peak : all) islands += peak.height >= band.level && peak.height - peak.prominence < band.level;
        const std::vector<Contour> lines = contours(field, band.level);
        const auto outer =
            std::count_if(lines.begin(), lines.end(), [](const Contour& line) { return area_of(line) > 0; });
        EXPECT_EQ(islands, outer) << band.percentage;
    }
}

TEST(Peaks, InSpace) {
    Map map{3, {}};
    for (std::uint64_t i = 0; i < 4000; ++i) {
        for (std::uint64_t d = 0; d < 3; ++d)
            map.coordinates.push_back(static_cast<float>(math::random_normal(1, i, d) + (i % 4 == 0 ? 12 : 0)));
    }
    const Result result = estimate(map, {.bandwidth = 0.8, .nodes = 100});
    const std::vector<Peak> found = peaks(result.field, 0.1 * peaks(result.field)[0].height);
    ASSERT_EQ(found.size(), 2U);
    for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_NEAR(found[0].position[a], 0, 0.7);
        EXPECT_NEAR(found[1].position[a], 12, 0.7);
    }
}

}  // namespace
}  // namespace dunlin::density

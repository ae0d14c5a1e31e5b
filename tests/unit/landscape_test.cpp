// SPDX-License-Identifier: Apache-2.0
#include <dunlin/landscape.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cases/maps.hpp"
#include "folder.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "picture/relief.hpp"
#include "refusal.hpp"

namespace dunlin::picture {
namespace {

using made::clusters;

constexpr auto style = MapStyle::landscape;

class Landscape : public InFolder {
protected:
    /// The SVG of a map.
    std::string drawn(const Map& map, const Labels& labels = {}, const LandscapeOptions& landscape = {.style = style},
                      const Options& options = {}, const dunlin::Run& run = {}, const Coloring* coloring = nullptr) {
        EXPECT_TRUE(draw_landscape(path("map.svg"), map, labels, landscape, options, run, coloring));
        return bytes(path("map.svg"));
    }
};

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto place = text.find(part); place != std::string::npos; place = text.find(part, place + 1)) ++found;
    return found;
}

Labels thirds(Index n) {
    Labels labels{{}, {"one & two", "three", "four"}};
    for (Index i = 0; i < n; ++i) labels.of.push_back(i % 7 % 3);
    return labels;
}

TEST_F(Landscape, HasClosedPathsBandsNamesAndShade) {
    const Map map = clusters(3000, 2, 50);
    const std::string svg = drawn(map, thirds(3000), {.style = style}, {.title = "a <map>"});
    EXPECT_EQ(count(svg, "<path id=\"region"), 7U);
    EXPECT_EQ(count(svg, "<use "), 14U);  // filled and stroked
    for (std::size_t region = 0; region < 7; ++region) {
        const std::string head = "<path id=\"region" + std::to_string(region) + "\" d=\"";
        const auto from = svg.find(head) + head.size();
        const std::string path = svg.substr(from, svg.find('"', from) - from);
        EXPECT_EQ(path.front(), 'M');
        EXPECT_EQ(path.back(), 'Z');
        EXPECT_EQ(count(path, "M"), count(path, "Z"));
    }
    EXPECT_EQ(count(svg, "<image "), 1U);
    for (const char* text : {">densest 10%<", ">to 95%<", ">water, to 99%<", ">water, beyond<", ">bandwidth ",
                             ">one &amp; two<", ">three<", ">four<", "a &lt;map&gt;"})
        EXPECT_NE(svg.find(text), std::string::npos) << text;
    const std::string plain = drawn(map, {}, {.style = style, .contours = false, .hillshade = false});
    EXPECT_EQ(count(plain, "<use "), 7U);
    EXPECT_EQ(count(plain, "<image "), 0U);
}

TEST_F(Landscape, WaterIsWherePercentagesSay) {
    const Map map = clusters(2000, 2, 50);
    LandscapeOptions landscape{.style = style, .bands = "20,60", .water = 80};
    const std::string svg = drawn(map, {}, landscape);
    EXPECT_EQ(count(svg, "<path id=\"region"), 3U);
    for (const char* text : {">densest 20%<", ">to 60%<", ">to 80%<", ">water, beyond<"})
        EXPECT_NE(svg.find(text), std::string::npos) << text;
    landscape = {.style = style, .bands = "", .water = 100};
    EXPECT_EQ(count(drawn(map, {}, landscape), "<path id=\"region"), 1U);
}

TEST_F(Landscape, OfValuesHasTheirLevels) {
    const Map map = clusters(2000, 2, 50);
    Coloring coloring{{}, "height <m>"};
    for (Index i = 0; i < map.size(); ++i)
        coloring.values.push_back(i % 10 == 0 ? NAN : 100 + static_cast<double>(map.view()(i, 0)));
    const std::string svg = drawn(map, {}, {.style = style}, {}, {}, &coloring);
    EXPECT_EQ(count(svg, "<path id=\"region"), 8U);  // the land, and seven bands
    EXPECT_EQ(count(svg, ">from 1"), 7U);
    EXPECT_NE(svg.find(">lower height &lt;m&gt;<"), std::string::npos);
    EXPECT_NE(svg.find(">water: few points<"), std::string::npos);
    coloring.values.assign(coloring.values.size(), NAN);
    EXPECT_NE(refusal(Fault::bad_input, [&] { drawn(map, {}, {.style = style}, {}, {}, &coloring); }), "");
}

TEST_F(Landscape, HasTheSameBytesForAnyThreads) {
    const Map map = clusters(5000, 3, 50);
    for (const char* name : {"a.png", "a.svg"}) {
        const LandscapeOptions landscape{.style = style, .detail = 0.3};
        ASSERT_TRUE(draw_landscape(path(name), map, thirds(5000), landscape, {}, {.threads = 1}));
        const std::string one = bytes(path(name));
        ASSERT_TRUE(draw_landscape(path(name), map, thirds(5000), landscape, {}, {.threads = 3}));
        EXPECT_EQ(one, bytes(path(name))) << name;
        EXPECT_GT(one.size(), 10000U);
    }
}

TEST_F(Landscape, OfFewPointsAndOtherDimensions) {
    for (const int dim : {1, 2, 3, 5}) {
        for (const Index n : {1, 2, 40}) {
            const Map map{dim, made::scattered(n, dim, 10)};
            EXPECT_EQ(count(drawn(map), "<path id=\"region"), 7U) << dim << "-D, n " << n;
        }
    }
    EXPECT_EQ(count(drawn({2, std::vector<float>(100, 7)}), "<path id=\"region"), 7U);
    const std::string small = drawn(clusters(100, 2, 9), thirds(100), {.style = style}, {.width = 100, .height = 100});
    EXPECT_NE(small.find("width=\"100\""), std::string::npos);
}

TEST_F(Landscape, SaysThatDetailIsDecoration) {
    const Map map = clusters(300, 2, 50);
    EXPECT_EQ(drawn(map).find("decoration"), std::string::npos);
    EXPECT_NE(drawn(map, {}, {.style = style, .detail = 0.1}).find(">fine relief is decoration<"), std::string::npos);
}

TEST_F(Landscape, RefusesWhatItDoesNotDraw) {
    const Map map = clusters(300, 2, 50);
    const auto refused = [&](const std::string& file, const Map& of,
                             const LandscapeOptions& landscape = {.style = style}, const Options& options = {},
                             const Labels& labels = {}) {
        return refusal(Fault::bad_input, [&] { draw_landscape(path(file), of, labels, landscape, options); });
    };
    EXPECT_NE(refused("a.jpg", map).find(".png"), std::string::npos);
    EXPECT_NE(refused("a.png", {2, {}}).find("no points"), std::string::npos);
    EXPECT_NE(refused("a.png", map, {.style = style}, {.point_size = 3}).find("point-size"), std::string::npos);
    EXPECT_NE(refused("a.html", map, {.style = style}, {.edge_alpha = 0.5F}).find("edge-alpha"), std::string::npos);
    EXPECT_NE(refused("a.png", map, {.style = style}, {.vertex_names = true}).find("vertex-names"), std::string::npos);
    EXPECT_NE(refused("a.png", map, {.style = style, .water = 0}).find("water is 0"), std::string::npos);
    EXPECT_NE(refused("a.png", map, {.style = style, .detail = 2}).find("detail is 2"), std::string::npos);
    EXPECT_NE(refused("a.png", map, {.style = style, .bands = "x"}).find("bands"), std::string::npos);
    EXPECT_NE(refused("a.png", map, {.water = 50}).find("style"), std::string::npos);
    EXPECT_NE(refused("a.png", map, {.style = style}, {}, thirds(299)), "");
    Map broken = map;
    broken.coordinates[7] = NAN;
    EXPECT_NE(refused("a.png", broken).find("point 3"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(path("a.png")));
    std::stop_source source;
    source.request_stop();
    EXPECT_FALSE(draw_landscape(path("a.png"), map, {}, {.style = style}, {}, {.stop = source.get_token()}));
    EXPECT_FALSE(std::filesystem::exists(path("a.png")));
}

// Relief

ScalarField grid_of(Index nx, Index ny, const auto& value) {
    ScalarField grid{.dim = 2, .nodes = {nx, ny, 1}, .values = {}};
    for (Index y = 0; y < ny; ++y) {
        for (Index x = 0; x < nx; ++x) grid.values.push_back(static_cast<float>(value(x, y)));
    }
    return grid;
}

TEST(Hillshade, OfAPlaneIsLambertsLaw) {
    device::Cpu cpu(2);
    const ScalarField land = grid_of(20, 10, [](Index, Index) { return 1.0; });
    const auto shaded = [&](double dx, double dy) {
        std::vector<float> heights;
        for (Index y = 0; y < 10; ++y) {
            for (Index x = 0; x < 20; ++x) heights.push_back(static_cast<float>(dx * x + dy * y));
        }
        return hillshade(cpu, land, 1, heights);
    };
    // Slopes are scaled to 45 degrees: towards the light (falling to the upper left) it is sqrt 2 times as bright as
    // flat ground, away from it dark
    const Shade towards = shaded(0.25, -0.25), away = shaded(-0.25, 0.25), aside = shaded(0.25, 0.25);
    EXPECT_EQ(towards.values.size(), 200U);
    for (std::size_t node = 0; node < 200; ++node) {
        EXPECT_EQ(towards.values[node], -130);
        EXPECT_EQ(away.values[node], 130);
        EXPECT_NEAR(aside.values[node], 130 * (1 - 1 / std::numbers::sqrt2), 1);
    }
    const Shade flat = shaded(0, 0);
    EXPECT_TRUE(std::all_of(flat.values.begin(), flat.values.end(), [](int v) { return v == 0; }));
}

TEST(Hillshade, FadesOffTheCoast) {
    device::Cpu cpu(1);
    const ScalarField shore = grid_of(21, 5, [](Index x, Index) { return x / 10.0; });
    std::vector<float> heights;
    for (Index node = 0; node < 105; ++node) heights.push_back(static_cast<float>(node % 21));
    const Shade shade = hillshade(cpu, shore, 1, heights);
    EXPECT_EQ(shade.values[0], 0);
    EXPECT_EQ(shade.values[5], shade.values[15] / 4);
    EXPECT_EQ(shade.values[10], shade.values[20]);
}

TEST(Detail, HasTheVarianceOfItsLevels) {
    device::Cpu one(1), three(3);
    const ScalarField grid = grid_of(257, 200, [](Index, Index) { return 1.0; });
    std::vector<float> heights(at(grid.size()), 1), again = heights, none = heights;
    add_detail(one, grid, 0.1, 5, heights);
    add_detail(three, grid, 0.1, 5, again);
    EXPECT_EQ(heights, again);
    add_detail(one, grid, 0, 5, none);
    EXPECT_EQ(none, std::vector<float>(at(grid.size()), 1));
    // The last level, of nodes with odd numbers: displaced from the mean of their neighbors along x by sd 0.1 * 2^-6
    double square = 0;
    int count = 0;
    for (Index y = 0; y < 200; y += 2) {
        for (Index x = 1; x < 256; x += 2) {
            const auto h = [&](Index at_x) { return static_cast<double>(heights[at(at_x + Offset{257} * y)]); };
            square += std::pow(h(x) - (h(x - 1) + h(x + 1)) / 2, 2);
            ++count;
        }
    }
    EXPECT_NEAR(std::sqrt(square / count), 0.1 * std::exp2(-0.75 * 8), 2e-5);
}

}  // namespace
}  // namespace dunlin::picture

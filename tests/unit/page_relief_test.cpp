// SPDX-License-Identifier: Apache-2.0
// The blocks of a page with a landscape or hulls
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include <dunlin/density.hpp>
#include <dunlin/page.hpp>
#include <dunlin/surface.hpp>

#include "cases/maps.hpp"
#include "math/at.hpp"
#include "picture/relief.hpp"
#include "refusal.hpp"

namespace dunlin::picture {

namespace {

using nlohmann::json;

/// The numbers of all frames of a kind, with the origin and the step of the last one.
struct Block {
    std::vector<std::uint32_t> numbers;
    std::array<double, 3> origin{};
    double step = 0;
    int frames = 0;
};

Block block_of(const PageContent& content, int kind) {
    Block block;
    for (const std::string& frame : content.frames) {
        if (frame[5] != static_cast<char>(kind)) continue;
        std::uint32_t first = 0, count = 0;
        std::memcpy(&first, frame.data() + 16, 4);
        std::memcpy(&count, frame.data() + 20, 4);
        std::memcpy(block.origin.data(), frame.data() + 32, 24);
        std::memcpy(&block.step, frame.data() + 56, 8);
        const auto width = static_cast<std::size_t>(frame[7]);
        EXPECT_EQ(first, block.numbers.size());
        EXPECT_EQ(frame.size(), 64 + count * width);
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t number = 0;
            for (std::size_t plane = 0; plane < width; ++plane)
                number |= std::uint32_t{static_cast<unsigned char>(frame.at(64 + plane * count + i))} << (8 * plane);
            block.numbers.push_back(number);
        }
        ++block.frames;
    }
    return block;
}

PageContent content_of(const Map& map, const PageExtras& extras, const Labels& labels = {}, int threads = 1) {
    return page_content(map, Graph{}, labels, {}, nullptr, {}, {.threads = threads}, extras);
}

const LandscapeOptions shown{.style = MapStyle::landscape, .nodes = 700};

}  // namespace

TEST(PageRelief, HasElevationAndShadeOfTheDensity) {
    const Map map{2, made::scattered(500, 2, 10)};
    const PageContent content = content_of(map, {.landscape = &shown});
    EXPECT_TRUE(content.relief);
    const json facts = json::parse(content.facts)["landscape"];
    const Block block = block_of(content, 7);

    const density::Result result = density::estimate(map, {.nodes = 700});
    const ScalarField& field = result.field;
    EXPECT_EQ(facts["nodes"], json({field.nodes[0], field.nodes[1]}));
    ASSERT_EQ(block.numbers.size(), field.values.size());
    EXPECT_EQ(block.frames, static_cast<int>((field.values.size() + 262143) / 262144));
    EXPECT_GT(block.frames, 1);
    EXPECT_EQ(block.origin[0], field.origin[0]);
    EXPECT_EQ(block.origin[1], field.origin[1]);
    EXPECT_EQ(block.step, field.spacing);

    const double water = result.bands[5].level;  // of 95%
    device::Cpu cpu(1);
    const std::vector<float> heights = elevations(cpu, field, water);
    const double highest = static_cast<double>(*std::max_element(heights.begin(), heights.end()));
    const Shade shade = hillshade(cpu, field, water, heights);
    for (std::size_t node = 0; node < heights.size(); ++node) {
        ASSERT_NEAR((block.numbers[node] & 65535U) / 65535.0, static_cast<double>(heights[node]) / highest,
                    1 / 65535.0);
        const std::size_t x = node % at(field.nodes[0]), y = node / at(field.nodes[0]);
        const int dark = shade.values[x + at(field.nodes[0]) * (at(field.nodes[1]) - 1 - y)];
        ASSERT_NEAR(2 * (static_cast<int>(block.numbers[node] >> 16) - 128), dark, 1);
    }
    // Levels ascend, from water beyond the coast to the peaks; the coast is that of 95%
    ASSERT_EQ(facts["levels"].size(), 7U);
    EXPECT_EQ(facts["colors"].size(), 8U);
    EXPECT_EQ(facts["names"].size(), 8U);
    for (std::size_t band = 0; band < 7; ++band)
        EXPECT_NEAR(facts["levels"][band].get<double>(), std::log1p(result.bands[6 - band].level / water) / highest,
                    1e-12);
    EXPECT_EQ(facts["levels"][1], facts["water"]);
    EXPECT_EQ(facts["names"][7], "densest 10%");
    EXPECT_EQ(facts["shown"], true);
    EXPECT_EQ(content.frames, content_of(map, {.landscape = &shown}, {}, 3).frames);
}

TEST(PageRelief, FollowsItsOptions) {
    const Map map{2, made::scattered(300, 2, 10)};
    const auto facts_of = [&](const LandscapeOptions& landscape) {
        return json::parse(content_of(map, {.landscape = &landscape}).facts)["landscape"];
    };
    const json plain = facts_of({});
    EXPECT_EQ(plain["shown"], false);
    EXPECT_EQ(plain["contours"], true);
    EXPECT_EQ(plain["note"].get<std::string>().find("decoration"), std::string::npos);
    LandscapeOptions landscape{.style = MapStyle::landscape,
                               .nodes = 100,
                               .bands = "50",
                               .water = 80,
                               .contours = false,
                               .hillshade = false,
                               .detail = 0.2};
    const json facts = facts_of(landscape);
    EXPECT_EQ(facts["levels"].size(), 2U);
    EXPECT_EQ(facts["contours"], false);
    EXPECT_NE(facts["note"].get<std::string>().find("decoration"), std::string::npos);
    for (const std::uint32_t number : block_of(content_of(map, {.landscape = &landscape}), 7).numbers)
        ASSERT_EQ(number >> 16, 128U);
    // Detail is in the shade only
    landscape.hillshade = true;
    const Block detailed = block_of(content_of(map, {.landscape = &landscape}), 7);
    landscape.detail = 0;
    const Block smooth = block_of(content_of(map, {.landscape = &landscape}), 7);
    EXPECT_NE(detailed.numbers, smooth.numbers);
    for (std::size_t node = 0; node < smooth.numbers.size(); ++node)
        ASSERT_EQ(detailed.numbers[node] & 65535U, smooth.numbers[node] & 65535U);
}

TEST(PageRelief, OfFewAndOfEqualPoints) {
    const PageContent none = content_of({2, {}}, {.landscape = &shown});
    EXPECT_FALSE(none.relief);
    EXPECT_TRUE(json::parse(none.facts)["landscape"].is_null());
    EXPECT_TRUE(none.frames.empty());
    for (const Map& map : {Map{2, {3, 4}}, Map{2, std::vector<float>(200, 7)}}) {
        const PageContent content = content_of(map, {.landscape = &shown});
        const Block block = block_of(content, 7);
        // One hill, with its top in the middle
        const auto top =
            static_cast<std::size_t>(std::max_element(block.numbers.begin(), block.numbers.end(),
                                                      [](auto a, auto b) { return (a & 65535U) < (b & 65535U); }) -
                                     block.numbers.begin());
        const json facts = json::parse(content.facts)["landscape"];
        const auto nx = facts["nodes"][0].get<std::size_t>();
        EXPECT_EQ(block.numbers[top] & 65535U, 65535U);
        EXPECT_NEAR(block.origin[0] + block.step * static_cast<double>(top % nx), map.coordinates[0], block.step);
        EXPECT_NEAR(block.origin[1] + block.step * static_cast<double>(top / nx), map.coordinates[1], block.step);
        for (const json& level : facts["levels"]) EXPECT_LE(level.get<double>(), 1.0);
    }
    for (const int dim : {1, 3}) {
        const PageContent content = content_of({dim, made::scattered(20, dim, 10)}, {.landscape = &shown});
        EXPECT_FALSE(content.relief) << dim;
        EXPECT_TRUE(block_of(content, 7).numbers.empty());
    }
}

TEST(PageMesh, HasTheVerticesAndTrianglesOfHulls) {
    const Map map{3, made::scattered(400, 3, 10)};
    Labels labels{{}, {"a", "unused", "b"}};
    for (Index i = 0; i < map.size(); ++i) labels.of.push_back(i % 3 == 0 ? 0 : 2);
    const surface::HullResult hulls = surface::hulls(map, labels, {.cells = 32});
    ASSERT_EQ(hulls.hulls.size(), 2U);
    const PageContent content = content_of(map, {.hulls = &hulls.mesh}, labels);
    EXPECT_TRUE(content.relief);
    const json facts = json::parse(content.facts)["hulls"];
    ASSERT_EQ(facts.size(), 2U);
    EXPECT_EQ(facts[1]["name"], "b");
    EXPECT_EQ(facts[1]["label"], 2);
    EXPECT_NEAR(facts[1]["opacity"].get<double>(), 0.5, 0.01);
    for (std::size_t part = 0; part < 2; ++part) {
        EXPECT_EQ(facts[part]["vertices"], hulls.hulls[part].measures.vertices);
        EXPECT_EQ(facts[part]["triangles"], hulls.hulls[part].measures.triangles);
    }
    const Block vertices = block_of(content, 8), triangles = block_of(content, 9);
    const Mesh& mesh = hulls.mesh;
    ASSERT_EQ(vertices.numbers.size(), 2 * mesh.positions.size());
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        const std::size_t vertex = i / 3, axis = i % 3;
        ASSERT_NEAR(vertices.origin[axis] + vertices.step * vertices.numbers[6 * vertex + axis], mesh.positions[i],
                    vertices.step);
        ASSERT_NEAR(2 * (vertices.numbers[6 * vertex + 3 + axis] / 65535.0) - 1, mesh.normals[i], 2 / 65535.0);
    }
    EXPECT_TRUE(std::equal(triangles.numbers.begin(), triangles.numbers.end(), mesh.triangles.begin(),
                           mesh.triangles.end(), [](auto a, auto b) { return a == static_cast<std::uint32_t>(b); }));
}

TEST(PageMesh, IsCheckedAndMayBeEmpty) {
    const Map map{3, made::scattered(4, 3, 1)};
    Mesh mesh;
    EXPECT_FALSE(content_of(map, {.hulls = &mesh}).relief);
    mesh = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 1, 0, 0, 1, 0, 0, 1}, {0, 1, 2}, {{"part", {}, 3, 1}}};
    EXPECT_EQ(block_of(content_of(map, {.hulls = &mesh}), 9).numbers, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(json::parse(content_of(map, {.hulls = &mesh}).facts)["hulls"][0]["label"], -1);
    mesh.triangles = {0, 1, 3};
    EXPECT_NE(refusal(Fault::bad_input, [&] { content_of(map, {.hulls = &mesh}); }).find("mesh"), std::string::npos);
    mesh.triangles = {0, 1};
    EXPECT_NE(refusal(Fault::bad_input, [&] { content_of(map, {.hulls = &mesh}); }).find("mesh"), std::string::npos);
}

}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#include <cairo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <dunlin/error.hpp>
#include <dunlin/picture.hpp>

#include "cases/graphs.hpp"
#include "communities/sequential.hpp"
#include "folder.hpp"
#include "math/rng.hpp"
#include "picture/formats.hpp"
#include "picture/names.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {
namespace {

namespace fs = std::filesystem;

using made::graph_of;

/// Cliques of five in a ring, each joined to the next by one edge.
Graph ring_of_cliques(Index cliques) {
    std::vector<made::Edge> edges;
    for (Index c = 0; c < cliques; ++c) {
        for (Index a = 0; a < 5; ++a) {
            for (Index b = 0; b < a; ++b) edges.push_back({5 * c + a, 5 * c + b});
        }
        edges.push_back({5 * c, (5 * c + 9) % (5 * cliques)});
    }
    return graph_of(5 * cliques, edges);
}

Map random_map(Index n, std::uint64_t seed) {
    Map map;
    for (std::uint64_t i = 0; i < 2 * static_cast<std::uint64_t>(n); ++i)
        map.coordinates.push_back(static_cast<float>(math::random_uniform(seed, i)));
    return map;
}

class GraphPicture : public InFolder {};

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
}

/// Positions of a square with its two diagonals in an image, and the image of the edges alone.
struct Square {
    const Map map{2, {0, 0, 4, 0, 4, 4, 0, 4}};
    const Graph graph = graph_of(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}});
    Viewport viewport;
    Image image{200, 200, white};

    explicit Square(float width, float alpha, const Labels& labels = {}) {
        device::Cpu cpu(2);
        const FlatMap flat = flatten(cpu, map);
        viewport = viewport_of(flat, {0, 0, 200, 200}, 10);
        draw_edges(cpu, flat, graph, groups_of(labels, 4), viewport, {width, alpha, true}, image);
    }
    [[nodiscard]] Color at(float x, float y) const {
        const auto column = static_cast<std::size_t>(viewport.x(x)), row = static_cast<std::size_t>(viewport.y(y));
        return image.pixels[row * 200 + column];
    }
};

void expect_near(Color a, Color b) {
    EXPECT_NEAR(a.r, b.r, 10);  // dense places are a little darker
    EXPECT_NEAR(a.g, b.g, 10);  // dense places are a little darker
    EXPECT_NEAR(a.b, b.b, 10);  // dense places are a little darker
}

TEST(Edges, CoverTheirLinesAndNothingElse) {
    const Square square(5, 0.5F);
    const Color once = blend(white, edge_gray, 0.5F), twice = blend(white, edge_gray, 0.75F);
    for (const auto& [x, y] : {std::pair{1.0F, 0.0F}, {4.0F, 1.5F}, {1.0F, 4.0F}, {1.0F, 1.0F}, {1.0F, 3.0F}})
        expect_near(square.at(x, y), once);
    expect_near(square.at(2, 2), twice);
    for (const auto& [x, y] : {std::pair{2.0F, 1.0F}, {1.0F, 2.0F}, {3.0F, 2.0F}, {2.0F, 3.2F}})
        EXPECT_EQ(square.at(x, y), white);
}

TEST(Edges, HaveTheColorOfTheirGroupOrGrey) {
    const Square square(5, 0.5F, {{0, 0, 1, 1}, {"a", "b"}});
    expect_near(square.at(2, 0), blend(white, blend(palette[0], edge_gray, 0.25F), 0.5F));
    expect_near(square.at(2, 4), blend(white, blend(palette[1], edge_gray, 0.25F), 0.5F));
    expect_near(square.at(4, 2), blend(white, edge_gray, 0.5F));
}

TEST(Edges, WeighTheSameInAnyDirection) {
    // The sum of a line's coverage over all pixels is its length times its width
    for (const double turn : {0.0, 0.3, 0.785, 1.2, 1.571}) {
        const auto x = static_cast<float>(30 * std::cos(turn)), y = static_cast<float>(30 * std::sin(turn));
        const Map map{2, {-x, -y, x, y}};
        device::Cpu cpu(1);
        const FlatMap flat = flatten(cpu, map);
        Viewport viewport;
        viewport.left = viewport.top = 50.5;
        Image image(101, 101, white);
        draw_edges(cpu, flat, graph_of(2, {{0, 1}}), groups_of({}, 2), viewport, {2, 1.0F, true}, image);
        double ink = 0;
        for (const Color color : image.pixels) ink += 255 - color.r;
        EXPECT_NEAR(ink / (255 - edge_gray.r), 2 * 60, 0.05 * 120) << turn;
    }
}

TEST_F(GraphPicture, IsTheSameForAnyNumberOfThreads) {
    const Graph graph = ring_of_cliques(200);
    const Map map = random_map(1000, 3);
    for (const std::string name : {"a.png", "a.svg", "a.html"}) {
        draw(path("one" + name), graph, map, {}, {}, {.color = ColorBy::community}, {.threads = 1});
        draw(path("four" + name), graph, map, {}, {}, {.color = ColorBy::community}, {.threads = 4});
        EXPECT_EQ(bytes(path("one" + name)), bytes(path("four" + name)));
    }
}

TEST_F(GraphPicture, StopsInItsMidst) {
    std::stop_source source;
    const Graph graph = ring_of_cliques(50);
    const Map map = random_map(250, 2);
    const Options options{.color = ColorBy::community};
    EXPECT_TRUE(draw(path("a.png"), graph, map, {}, {}, options, {.stop = source.get_token()}));
    source.request_stop();
    EXPECT_FALSE(draw(path("b.png"), graph, map, {}, {}, options, {.stop = source.get_token()}));
    EXPECT_TRUE(std::filesystem::exists(path("a.png")));
    EXPECT_FALSE(std::filesystem::exists(path("b.png")));
}

TEST(Edges, WideStrokesAtTheRimStayWithinTheImage) {
    const Map map{2, {-50, -50, 50, 50, -50, 50, 50, -50, -50, 0, 50, 1}};
    device::Cpu cpu(1);
    const FlatMap flat = flatten(cpu, map);
    Viewport viewport;  // the image shows its center
    viewport.left = viewport.top = 5;
    Image image(10, 10, white);
    draw_edges(cpu, flat, graph_of(6, {{0, 1}, {2, 3}, {4, 5}, {0, 2}, {1, 3}}), groups_of({}, 6), viewport,
               {30, 1.0F, true}, image);
    for (const Color color : image.pixels) EXPECT_LE(color.r, edge_gray.r);  // dense places are darker
}

TEST_F(GraphPicture, InSvgHasALinePerEdgeUntilThereAreTooMany) {
    draw(path("few.svg"), ring_of_cliques(10), random_map(50, 1));
    const std::string few = bytes(path("few.svg"));
    EXPECT_EQ(count(few, "<path"), 110U);
    EXPECT_EQ(count(few, "<circle"), 50U);
    EXPECT_LT(few.find("<path"), few.find("<circle"));
    draw(path("many.svg"), ring_of_cliques(5000), random_map(25000, 1));
    const std::string many = bytes(path("many.svg"));
    EXPECT_EQ(count(many, "<path"), 0U);
    EXPECT_EQ(count(many, "<image"), 1U);
    EXPECT_EQ(count(many, "<circle"), 25000U);
}

TEST_F(GraphPicture, InHtmlHoldsEveryEdge) {
    draw(path("a.html"), graph_of(3, {{0, 2}, {1, 2}}), random_map(3, 1));
    const std::string page = bytes(path("a.html"));
    EXPECT_NE(page.find("\"lines\":2"), std::string::npos);
    EXPECT_NE(page.find("\"drawnLines\":2"), std::string::npos);
    // Positions, edges and row numbers
    const std::string frame = "<script type=\"text/x-frame\">";
    std::size_t frames = 0;
    for (std::size_t at = page.find(frame); at != std::string::npos; at = page.find(frame, at + 1)) ++frames;
    EXPECT_EQ(frames, 3U);
}

TEST_F(GraphPicture, ByDegreeHasAColorForEveryClass) {
    const Graph star = graph_of(7, {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}});
    const Groups groups = groups_by_degree(star);
    EXPECT_EQ(groups.of, (std::vector<std::uint8_t>{4, 2, 2, 1, 1, 1, 0}));
    ASSERT_EQ(groups.list.size(), 5U);
    EXPECT_EQ(groups.list[0].name, "0 edges");
    EXPECT_EQ(groups.list[1].name, "1 edge");
    EXPECT_EQ(groups.list[3].name, "3-4 edges");
    EXPECT_EQ(groups.list[3].count, 0);
    EXPECT_EQ(groups.list[4].name, "5-8 edges");
    EXPECT_EQ(groups.list[0].color, degree_ramp[0]);
    EXPECT_EQ(groups.list[4].color, degree_ramp[2]);
    draw(path("a.html"), star, random_map(7, 1), {}, {}, {.color = ColorBy::degree});
    draw(path("a.png"), star, random_map(7, 1), {}, {}, {.color = ColorBy::degree, .vertex_names = true});
}

TEST_F(GraphPicture, NamesHubsFirstAndWhatHasRoom) {
    const Map map{2, {0, 0, 0.001F, 0, 1, 1}};
    const Graph graph = graph_of(3, {{1, 0}, {1, 2}});
    device::Cpu cpu(1);
    Page page = page_of({}, groups_of({}, 3));
    const FlatMap flat = flatten(cpu, map);
    TextPlacement placement(page);
    const std::vector<std::string> ids{"under", "hub", "far"};
    const Groups groups = groups_of({}, 3);
    add_point_names(placement, {graph, flat, groups, ids, viewport_of(flat, page.plot, 10), {10, 1, true}}, page,
                    {.names = "2"}, 2);
    ASSERT_EQ(page.lines.size(), 2U);
    EXPECT_EQ(page.lines[0].text, "hub");
    EXPECT_EQ(page.lines[1].text, "under");
}

TEST_F(GraphPicture, NamesWhatIsWrong) {
    EXPECT_THROW(draw(path("a.png"), graph_of(3, {{0, 1}}), random_map(2, 1)), Error);
    EXPECT_THROW(draw(path("a.png"), random_map(2, 1), {}, {}, {.color = ColorBy::degree}), Error);
    EXPECT_THROW(draw(path("a.png"), graph_of(2, {{0, 1}}), random_map(2, 1), {}, {}, {.edge_alpha = 2}), Error);
    EXPECT_THROW(draw(path("a.png"), graph_of(2, {{0, 1}}), random_map(2, 1), {}, {}, {.edge_width = -1}), Error);
    draw(path("a.png"), graph_of(2, {}), random_map(2, 1));
    draw(path("a.png"), graph_of(2, {{0, 1}}), {2, {1, 1, 1, 1}});
}

TEST(Communities, AreTheCliquesOfARing) {
    const std::vector<Index> groups = communities::find_sequentially(ring_of_cliques(30));
    for (std::size_t v = 0; v < groups.size(); ++v) EXPECT_EQ(groups[v], groups[v / 5 * 5]);
    const Index count = *std::max_element(groups.begin(), groups.end()) + 1;
    EXPECT_GE(count, 10);  // modularity may join neighbors
    EXPECT_LE(count, 30);
}

TEST(Communities, AreNumberedFromTheLargest) {
    EXPECT_EQ(communities::find_sequentially(graph_of(6, {{1, 2}, {3, 4}, {4, 5}, {3, 5}})),
              (std::vector<Index>{2, 1, 1, 0, 0, 0}));
    EXPECT_EQ(communities::find_sequentially(graph_of(3, {})), (std::vector<Index>{0, 1, 2}));
    EXPECT_TRUE(communities::find_sequentially({}).empty());
    EXPECT_EQ(communities::labels_of({1, 0}).names, (std::vector<std::string>{"1", "2"}));
}

}  // namespace
}  // namespace dunlin::picture

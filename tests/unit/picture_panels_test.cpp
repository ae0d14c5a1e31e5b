// SPDX-License-Identifier: Apache-2.0
// Several colorings of one map.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/panels.hpp>

#include "folder.hpp"
#include "refusal.hpp"

namespace dunlin::picture {
namespace {

class Panels : public InFolder {
protected:
    std::string drawn(const std::string& name, const std::vector<Panel>& panels, const Options& options = {},
                      const Graph& graph = {}, int threads = 1) {
        said.clear();
        dunlin::Run run;
        run.threads = threads;
        run.on_notice = [&](Notice, const std::string& sentence) { said += sentence; };
        EXPECT_TRUE(draw(path(name), panels, graph, map, {"p", "q", "r", "s"}, options, run));
        return bytes(path(name));
    }
    Map map{2, {0, 0, 4, 0, 4, 4, 0, 4}};
    Panel kinds{.title = "kind", .labels = {{0, 1, 0, 1}, {"one long name of a class", "b"}}};
    Panel gene{.title = "CD79A", .values = Coloring{{0, 1, 2, NAN}, "CD79A"}};
    Panel plain{.title = "all"};
    std::string said;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
}

/// The centers of the circles of points in each group of an SVG.
std::vector<std::set<std::string>> places(const std::string& svg) {
    std::vector<std::set<std::string>> all;
    std::size_t at = 0;
    while ((at = svg.find("<g fill-opacity", at)) != std::string::npos) {
        const std::string part = svg.substr(at, svg.find("</g>", at) - at);
        const std::regex center("cx=\"([^\"]*)\" cy=\"([^\"]*)\"");
        all.emplace_back();
        for (auto found = std::sregex_iterator(part.begin(), part.end(), center); found != std::sregex_iterator();
             ++found)
            all.back().insert((*found)[1].str() + "," + (*found)[2].str());
        ++at;
    }
    return all;
}

TEST_F(Panels, HaveTheSamePlacesAndALegendEach) {
    const std::string svg = drawn("a.svg", {kinds, gene, plain, kinds}, {.title = "Whole"});
    EXPECT_TRUE(has(svg, "width=\"3600\" height=\"2400\""));
    for (const char* text : {">Whole<", ">kind<", ">CD79A<", ">all<", ">none<"}) EXPECT_TRUE(has(svg, text)) << text;
    EXPECT_EQ(count(svg, ">CD79A<"), 1U) << "above its panel, not again above its bar";
    EXPECT_EQ(count(svg, "<g transform=\"translate("), 4U);
    const auto all = places(svg);
    ASSERT_EQ(all.size(), 4U);
    for (const auto& each : all) EXPECT_EQ(each, all[0]);
    EXPECT_EQ(all[0].size(), 4U);
    EXPECT_TRUE(has(drawn("b.svg", {kinds, gene, plain}, {.panels_per_row = 2}), "width=\"2400\" height=\"2400\""));
}

TEST_F(Panels, AreTheSameForAnyNumberOfThreads) {
    for (const char* name : {"a.png", "a.svg", "a.pdf"})
        EXPECT_EQ(drawn(name, {kinds, gene}, {.dark = true}), drawn(name, {kinds, gene}, {.dark = true}, {}, 8));
    map = Map{2, {}};
    EXPECT_TRUE(draw(path("0.png"), {plain, plain}, {}, map));
    map = Map{2, {1, 1}};
    EXPECT_TRUE(draw(path("1.svg"), {plain, Panel{.values = Coloring{{NAN}, "v"}}}, {}, map));
}

TEST_F(Panels, FillAFigureOfASize) {
    const auto box = [](const std::string& pdf) {
        std::array<double, 2> size{};
        const std::size_t at = pdf.find("/MediaBox [ 0 0 ");
        EXPECT_EQ(std::sscanf(pdf.c_str() + at, "/MediaBox [ 0 0 %lf %lf", &size[0], &size[1]), 2);
        return std::array<double, 2>{size[0] / 72 * 25.4, size[1] / 72 * 25.4};
    };
    const auto wide = box(drawn("a.pdf", {kinds, gene, plain}, {.figure_size = "183mm"}));
    EXPECT_NEAR(wide[0], 183, 0.1);
    EXPECT_NEAR(wide[1], 61, 0.1);
    const auto given = box(drawn("b.pdf", {kinds, gene, plain}, {.figure_size = "183x70mm"}));
    EXPECT_NEAR(given[1], 70, 0.1);
}

TEST_F(Panels, OptionsGoToThePanelsThatReadThem) {
    const std::string svg = drawn("a.svg", {kinds, gene, plain},
                                  {.palette = Palette::okabe_ito, .colors = {{"b", "#010203"}}, .range = "0,1"});
    EXPECT_TRUE(has(svg, "#e69f00") && has(svg, "#010203") && has(svg, "#440154"));
    const std::string cividis = drawn("b.svg", {kinds, gene}, {.palette = Palette::cividis});
    EXPECT_TRUE(has(cividis, "#0072b2") && has(cividis, "#00224e"));
    Panel own = kinds;
    own.colors = {{"b", "#0a0b0c"}};
    const std::string both = drawn("c.svg", {own, kinds});
    EXPECT_TRUE(has(both, "#0a0b0c") && has(both, "#d55e00"));
    EXPECT_TRUE(has(refusal([&] { drawn("d.svg", {kinds, kinds}, {.range = "0,1"}); }), "numbers"));
}

TEST_F(Panels, OfGraphsMayShowCommunitiesAndDegrees) {
    const Graph graph{{0, 1, 2, 3, 4}, {1, 0, 3, 2}, {1, 1, 1, 1}};
    const std::string svg =
        drawn("a.svg", {{.title = "community", .by = ColorBy::community}, {.title = "degree", .by = ColorBy::degree}},
              {}, graph);
    EXPECT_TRUE(has(svg, ">1 edge<"));
    EXPECT_TRUE(has(refusal([&] { drawn("b.svg", {{.title = "degree", .by = ColorBy::degree}}); }), "no graph"));
}

TEST_F(Panels, PagesHaveTheFirstAndSaySo) {
    EXPECT_TRUE(has(drawn("a.html", {kinds, gene}), "one long name"));
    EXPECT_TRUE(has(said, "first of 2, kind")) << said;
    EXPECT_TRUE(has(drawn("b.html", {gene, kinds}), "CD79A"));
}

TEST_F(Panels, WhatCannotBeDrawnIsRefused) {
    EXPECT_TRUE(has(refusal(Fault::bad_input, [&] { drawn("a.png", {}); }), "no panels"));
    Panel film = gene;
    film.values->film = {{{1, 2, 3, 4}}, {"0"}};
    EXPECT_TRUE(has(refusal([&] { drawn("a.png", {film}); }), "film"));
    Panel few = kinds;
    few.labels.of.pop_back();
    EXPECT_TRUE(has(refusal([&] { drawn("a.png", {few}); }), "3 labels"));
    EXPECT_TRUE(has(refusal([&] { drawn("a.png", {kinds, gene}, {.width = 9000}); }), "18000 pixels"));
    map.dim = 0;
    EXPECT_TRUE(has(refusal([&] { drawn("a.png", {kinds, gene}); }), "dimensions"));
}

}  // namespace
}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#include <dunlin/plots.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include <dunlin/arrays.hpp>
#include <dunlin/error.hpp>
#include <dunlin/io.hpp>

#include "folder.hpp"
#include "picture/axes.hpp"
#include "picture/contours.hpp"
#include "picture/groups.hpp"
#include "picture/raster.hpp"
#include "picture/scale.hpp"
#include "refusal.hpp"

namespace dunlin::picture {
namespace {

class Plots : public InFolder {};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Scale, TicksAreRound) {
    std::vector<std::string> texts;
    for (const Tick& tick : ticks_of(0.3, 9.7, 5)) texts.push_back(tick.text);
    EXPECT_EQ(texts, (std::vector<std::string>{"2", "4", "6", "8"}));
    texts.clear();
    for (const Tick& tick : ticks_of(-0.1, 0.1, 5)) texts.push_back(tick.text);
    EXPECT_EQ(texts, (std::vector<std::string>{"-0.1", "-0.05", "0", "0.05", "0.1"}));
    EXPECT_EQ(ticks_of(3, 3, 5).size(), 1U);
    EXPECT_LE(ticks_of(1e300, 1.0000000000000002e300, 5).size(), 101U);
}

TEST(Scale, GroupsByValue) {
    const Groups groups =
        groups_by_value(std::vector{0.0, 10.0, 5.0, nan, std::numeric_limits<double>::infinity()}, "time", 5);
    ASSERT_TRUE(groups.scale);
    EXPECT_EQ(groups.scale->low, 0);
    EXPECT_EQ(groups.scale->high, 10);
    EXPECT_EQ(groups.list[groups.group(0)].color, value_ramp.front());
    EXPECT_EQ(groups.list[groups.group(1)].color, value_ramp.back());
    EXPECT_EQ(groups.list[groups.group(3)].color, other_color);
    EXPECT_EQ(groups.group(3), groups.group(4));
    EXPECT_LT(groups.group(0), groups.group(2));
    EXPECT_LT(groups.group(2), groups.group(1));
    EXPECT_EQ(edge_color(groups, 3, 4), edge_gray);
    EXPECT_NE(refusal(Fault::bad_input, [] { (void)groups_by_value(std::vector{1.0, 2.0}, "", 3); }), "");
    EXPECT_EQ(groups_by_value(std::vector{7.0, 7.0}, "", 2).group(0), 120U);  // all equal: the middle
}

TEST(Scale, StepsAreNamedByTheirValues) {
    const auto name = [](const Groups& groups, std::size_t point) { return groups.list[groups.group(point)].name; };
    std::vector<double> whole(200);
    std::iota(whole.begin(), whole.end(), 0.0);
    const Groups exact = groups_by_value(whole, "", 200);
    EXPECT_EQ(name(exact, 1), "1");
    EXPECT_EQ(name(exact, 199), "199");
    // Of one far value all others are in one step
    whole[0] = 1e6;
    whole[7] = nan;
    const Groups ranges = groups_by_value(whole, "", 200);
    EXPECT_EQ(name(ranges, 0), "1000000");
    EXPECT_EQ(name(ranges, 5), "1 to 199");
    EXPECT_EQ(name(ranges, 7), "none");
    EXPECT_EQ(name(groups_by_value(std::vector{0.1, 0.25, 0.1}, "", 3), 2), "0.1");
}

TEST(Scale, LegendFitsThePage) {
    const Groups groups = groups_by_value(std::vector{0.0, 1.0, nan}, "activation time", 3);
    const Page page = page_of({}, groups);
    ASSERT_FALSE(page.bar.colors.empty());
    EXPECT_GE(page.bar.box.left, page.plot.left + page.plot.width);
    for (const TextLine& line : page.lines) EXPECT_LT(line.x, page.width);
    EXPECT_EQ(page.swatches.size(), 1U);  // the gray of "none"
}

TEST_F(Plots, ColoringOfAGraphInAllFormats) {
    const Graph graph{{0, 1, 3, 4}, {1, 0, 2, 1}, {1, 1, 1, 1}};
    const Map map{2, {0, 0, 1, 1, 2, 0}};
    const Coloring coloring{{0, 2.5, nan}, "time <1>"};
    for (const char* name : {"a.png", "a.svg", "a.html"}) {
        EXPECT_TRUE(draw(path(name), coloring, graph, map));
        const std::string once = bytes(path(name));
        EXPECT_TRUE(draw(path(name), coloring, graph, map, {}, {}, {.threads = 2}));
        EXPECT_EQ(bytes(path(name)), once);
    }
    EXPECT_NE(bytes(path("a.svg")).find("#440154"), std::string::npos);
    EXPECT_NE(bytes(path("a.svg")).find("time &lt;1&gt;"), std::string::npos);
    EXPECT_NE(bytes(path("a.html")).find("\"ticks\""), std::string::npos);
    EXPECT_TRUE(draw(path("b.png"), coloring, Graph{}, map));
    EXPECT_NE(refusal(Fault::bad_input, [&] { draw(path("c.png"), Coloring{{1}, ""}, graph, map); }), "");
}

TEST_F(Plots, HeatmapsAndCurves) {
    const std::vector<double> values{0, 1, 2, 3, 4, nan};
    const Heatmap heatmap{
        .values = {values.data(), 2, 3}, .name = "v", .x = {"x", 0, 2}, .y = {"y", 0, 1}, .contours = true};
    Curves curves;  // filled field by field: gcc 12 takes the temporaries of one initializer for uninitialized
    curves.values = {values.data(), 2, 3};
    curves.names = {"v", "w"};
    curves.x = {"x", 0, 2};
    curves.y_name = "t = 1";
    for (const char* name : {"a.png", "a.svg"}) {
        EXPECT_TRUE(draw(path(name), heatmap));
        EXPECT_GT(bytes(path(name)).size(), 1000U);
        EXPECT_TRUE(draw(path(name), curves, {.width = 300, .height = 200}));
        EXPECT_GT(bytes(path(name)).size(), 500U);
    }
    EXPECT_NE(refusal(Fault::bad_input, [&] { draw(path("a.html"), heatmap); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { draw(path("a.png"), Heatmap{}); }), "");
}

TEST(Axes, PlacesValuesInTheBox) {
    Page page = page_of({.width = 600, .height = 400}, groups_of({}, 0));
    const PlotFrame frame = lay_axes(page, {"x", 0, 10}, {"t", 0, 5}, 0);
    EXPECT_EQ(frame.at(0, 0).x, frame.box.left);
    EXPECT_EQ(frame.at(10, 5).x, frame.box.left + frame.box.width);
    EXPECT_EQ(frame.at(10, 5).y, frame.box.top + frame.box.height);
    EXPECT_LT(frame.box.left + frame.box.width, 600);
    EXPECT_LT(frame.box.top + frame.box.height, 400);
}

TEST_F(Plots, ArraysAndColumnsInDouble) {
    const io::DoubleArray array{{2, 3}, {0.1, 1e-300, -2, 3, 4, 1e300}};
    io::write_array(path("a.npy"), array);
    const io::DoubleArray back = io::read_array(path("a.npy"));
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(back.values, array.values);
    const std::vector<double> v{0.1, 0.2}, time{1.5, std::numeric_limits<double>::infinity()};
    io::write_columns(path("a.csv"), {{"v", "activation"}, {v, time}}, {"one", "two, three"});
    EXPECT_EQ(bytes(path("a.csv")), "id,v,activation\none,0.1,1.5\n\"two, three\",0.2,\n");
    io::write_columns(path("b.npy"), {{"v", "activation"}, {v, v}});
    EXPECT_EQ(io::read_array(path("b.npy")).shape, (std::vector<std::uint64_t>{2, 2}));
    EXPECT_NE(refusal(Fault::bad_file, [&] { (void)io::read_array(path("a.csv")); }), "");
}

}  // namespace
}  // namespace dunlin::picture

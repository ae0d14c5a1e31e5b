// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <dunlin/error.hpp>
#include <dunlin/picture.hpp>

#include "math/rng.hpp"
#include "picture/names.hpp"
#include "picture/text.hpp"

namespace dunlin::picture {

namespace {

PixelRect box_of(const TextLine& line) {
    return {line.x, line.y - 0.77F * line.size, text_width(line.text, line.size), 1.01F * line.size};
}

bool overlap(const PixelRect& a, const PixelRect& b) {
    return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height &&
           b.top < a.top + a.height;
}

bool covers(const PixelRect& box, PixelPoint center, float radius) {
    const float x = std::clamp(center.x, box.left, box.left + box.width) - center.x;
    const float y = std::clamp(center.y, box.top, box.top + box.height) - center.y;
    return x * x + y * y < radius * radius;
}

Map random_map(Index n, std::uint64_t seed, double spread) {
    Map map{2, {}};
    for (Index i = 0; i < 2 * n; ++i) {
        const double clump =
            math::random_normal(seed + 9, static_cast<std::uint64_t>(i / 2 % 7), static_cast<std::uint64_t>(i % 2));
        const double own = math::random_normal(seed, static_cast<std::uint64_t>(i));
        map.coordinates.push_back(static_cast<float>(clump + spread * own));
    }
    return map;
}

std::vector<std::string> words(Index n, std::uint64_t seed) {
    std::vector<std::string> all;
    for (Index i = 0; i < n; ++i)
        all.push_back(std::string(1 + math::random_below(14, seed, static_cast<std::uint64_t>(i)),
                                  static_cast<char>('a' + i % 26)));
    return all;
}

/// A page with names of points, and where its points are.
struct Drawn {
    Page page;
    std::vector<PixelPoint> centers;
    std::vector<TextLine> names;
    std::size_t others = 0;
};

Drawn drawn(const Map& map, const Graph& graph, const std::vector<std::string>& ids, const Options& options) {
    device::Cpu cpu(2);
    const FlatMap flat = flatten(cpu, map);
    Drawn made{page_of(options, groups_of({}, map.size())), {}, {}};
    const Style style = style_of(options, made.page, map.size());
    const Viewport viewport = viewport_of(flat, made.page.plot, style.diameter);
    made.others = made.page.lines.size();
    TextPlacement placement(made.page);
    const Groups groups = groups_of({}, map.size());
    const NamedMap named{graph, flat, groups, ids, viewport, style};
    avoid_marks(placement, named, made.page);
    add_point_names(placement, named, made.page, options, most_names(options, map.size(), true));
    made.names.assign(made.page.lines.begin() + static_cast<std::ptrdiff_t>(made.others), made.page.lines.end());
    for (Index i = 0; i < map.size(); ++i)
        made.centers.push_back(
            {viewport.x(flat.x[static_cast<std::size_t>(i)]), viewport.y(flat.y[static_cast<std::size_t>(i)])});
    return made;
}

void expect_apart(const Drawn& made, float diameter) {
    for (std::size_t a = 0; a < made.names.size(); ++a) {
        const PixelRect box = box_of(made.names[a]);
        EXPECT_TRUE(box.left >= 0 && box.top >= 0 && box.left + box.width <= made.page.width &&
                    box.top + box.height <= made.page.height)
            << made.names[a].text;
        for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(overlap(box, box_of(made.names[b]))) << a << ' ' << b;
        for (std::size_t b = 0; b < made.others; ++b) EXPECT_FALSE(overlap(box, box_of(made.page.lines[b])));
        for (const PixelPoint& center : made.centers)
            EXPECT_FALSE(covers(box, center, diameter / 2)) << made.names[a].text;
    }
}

}  // namespace

TEST(PointNames, CoverNoNameNoDiscAndNoTitleAndStayOnThePage) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        const auto n = static_cast<Index>(2 + 60 * (seed - 1));
        const Options options{.title = "a title", .width = seed % 2 == 0 ? 1200 : 500, .height = 700, .names = "all"};
        const Drawn made = drawn(random_map(n, seed, 0.02 * static_cast<double>(seed)), {}, words(n, seed), options);
        SCOPED_TRACE(seed);
        EXPECT_GT(made.names.size(), 0U);
        expect_apart(made, style_of(options, made.page, n).diameter);
    }
}

TEST(PointNames, OfFewItemsAreDrawnByDefault) {
    EXPECT_EQ(most_names({}, 60, true), 60);
    EXPECT_EQ(most_names({}, 61, true), 0);
    EXPECT_EQ(most_names({}, 20, false), 0);
    EXPECT_EQ(most_names({.names = "none"}, 20, true), 0);
    EXPECT_EQ(most_names({.names = "7"}, 20, true), 7);
    EXPECT_EQ(most_names({.names = "99"}, 20, true), 20);
    EXPECT_EQ(most_names({.names = "all"}, 20000, false), 20000);
    EXPECT_EQ(most_names({.name_these = {"a", "b"}}, 20000, true), 2);
    for (const char* wrong : {"", "some", "-1", "3x", "1e3"})
        EXPECT_THROW(most_names({.names = wrong}, 5, true), Error) << wrong;
}

TEST(PointNames, GoFirstToThoseThatAreAskedFor) {
    const Map map = random_map(500, 4, 0.05);
    const std::vector<std::string> ids = words(500, 4);
    std::vector<std::string> numbered;
    for (std::size_t i = 0; i < ids.size(); ++i) numbered.push_back(std::to_string(i) + ids[i]);
    const Options options{.name_these = {numbered[400], "absent", numbered[7]}};
    const Drawn made = drawn(map, {}, numbered, options);
    ASSERT_EQ(made.names.size(), 2U);
    EXPECT_EQ(made.names[0].text, numbered[400]);
    EXPECT_EQ(made.names[1].text, numbered[7]);
}

TEST(PointNames, AreThoseOfAnotherColumnInTheOrderOfAnother) {
    const Map map = random_map(300, 5, 4);
    std::vector<std::string> names, ids;
    std::vector<double> ranks(300, std::nan(""));
    for (std::size_t i = 0; i < 300; ++i) {
        ids.push_back("id" + std::to_string(i));
        names.push_back("name" + std::to_string(i));
        if (i % 100 == 7) ranks[i] = static_cast<double>(i);
    }
    names[207].clear();  // it has none
    const Options options{.names = "3", .item_names = names, .name_ranks = ranks};
    const Drawn made = drawn(map, {}, ids, options);
    ASSERT_EQ(made.names.size(), 3U);
    EXPECT_EQ(made.names[0].text, "name107");
    EXPECT_EQ(made.names[1].text, "name7");
    EXPECT_EQ(made.names[2].text, "name0");
    const Options wanted{.name_these = {"id5", "name4"}, .item_names = names};
    EXPECT_EQ(drawn(map, {}, ids, wanted).names.size(), 2U);
    EXPECT_EQ(drawn(map, {}, ids, wanted).names[0].text, "name5");
    EXPECT_EQ(drawn({2, {3, 4}}, {}, {}, {.item_names = {"x"}}).names.size(), 1U);
    EXPECT_THROW(draw("names.png", map, {}, ids, {.item_names = {"x"}}), Error);
    EXPECT_THROW(draw("names.png", map, {}, ids, {.name_ranks = {1}}), Error);
}

TEST(PointNames, OfDensePlacesStandAtTheEndsOfLeaders) {
    Map map{2, {}};
    for (Index i = 0; i < 40; ++i)  // a tight row of discs
        map.coordinates.insert(map.coordinates.end(), {static_cast<float>(i), static_cast<float>(i % 2)});
    map.coordinates.insert(map.coordinates.end(), {20, 100, 20, -100});
    const std::vector<std::string> ids(42, "a name");
    const Drawn made = drawn(map, {}, ids, {.names = "all"});
    EXPECT_GT(made.page.strokes.size(), 3U);
    expect_apart(made, style_of({}, made.page, 42).diameter);
    for (const Stroke& leader : made.page.strokes) {
        const float length =
            std::hypot(leader.points[1].x - leader.points[0].x, leader.points[1].y - leader.points[0].y);
        EXPECT_LE(length, 6 * made.names[0].size);
    }
    const Drawn without = drawn(map, {}, ids, {.names = "all", .leaders = Leaders::none});
    EXPECT_TRUE(without.page.strokes.empty());
    EXPECT_LT(without.names.size(), made.names.size());
}

TEST(PointNames, OfNoPointOneOrAnEmptyId) {
    EXPECT_TRUE(drawn({2, {}}, {}, {}, {.names = "all"}).names.empty());
    EXPECT_EQ(drawn({2, {3, 4}}, {}, {"x"}, {}).names.size(), 1U);
    EXPECT_TRUE(drawn({2, {3, 4}}, {}, {""}, {}).names.empty());
    EXPECT_EQ(drawn({2, {3, 4}}, {}, {}, {.names = "all"}).names[0].text, "0");
}

TEST(PointNames, OfAHundredThousandCharactersTakeNoTime) {
    const Drawn made = drawn({2, {0, 0, 9, 9}}, {}, {std::string(100'000, 'w'), "b"}, {});
    ASSERT_EQ(made.names.size(), 2U);
    EXPECT_LT(made.names[0].text.size(), 70U);
}

TEST(GroupNames, StandOnEachSeparatePiece) {
    Map map{2, {}};
    Labels labels{{}, {"one", "two"}};
    for (Index i = 0; i < 600; ++i) {
        const Index piece = i % 3;  // "one" has two pieces
        const double x = math::random_normal(1, static_cast<std::uint64_t>(2 * i)),
                     y = math::random_normal(1, static_cast<std::uint64_t>(2 * i + 1));
        map.coordinates.push_back(static_cast<float>(x) + (piece == 0 ? -30.0F : piece == 1 ? 30.0F : 0.0F));
        map.coordinates.push_back(static_cast<float>(y));
        labels.of.push_back(piece == 2 ? 1 : 0);
    }
    device::Cpu cpu(3);
    const FlatMap flat = flatten(cpu, map);
    const Groups groups = groups_of(labels, 600);
    const Page page = page_of({}, groups);
    const std::vector<PlacedName> names = group_names(cpu, flat, groups, page, viewport_of(flat, page.plot, 3));
    ASSERT_EQ(names.size(), 3U);
    EXPECT_EQ(names[0].text, "one");
    EXPECT_EQ(names[1].text, "one");
    EXPECT_EQ(names[2].text, "two");
    EXPECT_GT(std::abs(names[0].at.x - names[1].at.x), page.plot.width / 2);
}

TEST(GroupNames, OfTinyGroupsAreLeftToTheLegend) {
    Labels labels{{}, {"many", "few"}};
    for (Index i = 0; i < 2000; ++i) labels.of.push_back(i < 2 ? 1 : 0);
    device::Cpu cpu(1);
    const FlatMap flat = flatten(cpu, random_map(2000, 1, 1));
    const Groups groups = groups_of(labels, 2000);
    const Page page = page_of({}, groups);
    for (const PlacedName& name : group_names(cpu, flat, groups, page, viewport_of(flat, page.plot, 3)))
        EXPECT_EQ(name.text, "many");
}

TEST(GroupNames, AreBrokenWhereWordsEnd) {
    using Lines = std::vector<std::string>;
    EXPECT_EQ(broken("CD4+/CD25 T Reg", 1, 20), Lines{"CD4+/CD25 T Reg"});
    EXPECT_EQ(broken("CD4+/CD25 T Reg", 2, 20), (Lines{"CD4+/", "CD25 T Reg"}));
    EXPECT_EQ(broken("comp.sys.mac", 3, 20), Lines{"comp.sys.mac"});
    EXPECT_EQ(broken("one two six", 3, 20), (Lines{"one", "two", "six"}));
    EXPECT_EQ(broken("", 3, 20), Lines{""});
}

}  // namespace dunlin::picture

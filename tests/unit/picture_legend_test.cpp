// SPDX-License-Identifier: Apache-2.0
// Legends: whole names, places, contrast.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "colors/contrast.hpp"
#include "folder.hpp"
#include "picture/formats.hpp"
#include "picture/text.hpp"
#include "picture/vectors.hpp"

namespace dunlin::picture {
namespace {

Labels of_names(std::vector<std::string> names) {
    Labels labels{{}, std::move(names)};
    for (Index i = 0; i < static_cast<Index>(labels.names.size()); ++i) labels.of.push_back(i);
    return labels;
}

Page page_for(const Labels& labels, const Options& options) {
    return page_of(options, groups_of(labels, static_cast<Index>(labels.of.size())));
}

/// All texts in the order they were laid, without counts.
std::string texts_of(const Page& page) {
    std::string text;
    for (const TextLine& line : page.lines) {
        if (line.color == text_color) text += (text.empty() ? "" : " ") + line.text;
    }
    return text;
}

void expect_on_page(const Page& page) {
    for (const TextLine& line : page.lines) {
        EXPECT_GE(line.x, 0) << line.text;
        EXPECT_LE(line.x + text_width(line.text, line.size), page.width + 0.5F) << line.text;
        EXPECT_LE(line.y, page.height) << line.text;
    }
}

TEST(Legend, HasWholeNamesOnSeveralLines) {
    for (const auto& [size, count] : {std::pair{"1200px", 20}, {"183x120mm", 20}, {"89mm", 6}}) {
        std::vector<std::string> names;
        std::string all;
        for (int i = 0; i < count; ++i) {
            names.push_back(fmt::format("CD{} positive memory T cells of the marginal zone", i));
            all += (all.empty() ? "" : " ") + names.back();
        }
        for (const LegendPlace place : {LegendPlace::right, LegendPlace::below}) {
            const Page page = page_for(of_names(names), {.figure_size = size, .legend = place});
            EXPECT_EQ(texts_of(page), all) << size;
            EXPECT_EQ(page.swatches.size(), names.size());
            expect_on_page(page);
            const PixelRect& plot = page.plot;
            for (const Swatch& swatch : page.swatches) {
                const bool is_beside = swatch.x > plot.left + plot.width, is_below = swatch.y > plot.top + plot.height;
                EXPECT_EQ(is_beside, place == LegendPlace::right);
                EXPECT_EQ(is_below, place == LegendPlace::below);
            }
            EXPECT_GE(plot.width, 0.5F * page.width);
            EXPECT_GE(plot.height, 0.5F * page.height);
        }
    }
}

TEST(Legend, OfShortNamesIsOneLineEach) {
    const Page page = page_for(of_names({"a", "b", "c"}), {});
    EXPECT_EQ(texts_of(page), "a b c");
    EXPECT_LT(page.swatches[0].y, page.swatches[1].y);
    const Page below = page_for(of_names({"a", "b", "c"}), {.legend = LegendPlace::below});
    EXPECT_EQ(below.swatches[0].y, below.swatches[2].y);
    EXPECT_LT(below.swatches[0].x, below.swatches[1].x);
}

TEST(Legend, OfAVeryLongNameEndsWithAnEllipsis) {
    const std::string word(300, 'w');
    const Page page = page_for(of_names({word, "b"}), {});
    ASSERT_EQ(page.swatches.size(), 2U);
    EXPECT_TRUE(page.lines[2].text.ends_with("\xE2\x80\xA6"));
    EXPECT_GT(page.lines[0].text.size() + page.lines[1].text.size(), 30U);
    expect_on_page(page);
}

TEST(Legend, TakesATitleOrIsLeftOut) {
    const Page titled = page_for(of_names({"a", "b"}), {.title = "none", .legend_title = "cell type"});
    EXPECT_EQ(texts_of(titled), "cell type a b");
    const Page none = page_for(of_names({"a", "b"}), {.title = "none", .legend = LegendPlace::none});
    EXPECT_TRUE(none.lines.empty());
    EXPECT_TRUE(none.swatches.empty());
    EXPECT_FLOAT_EQ(none.plot.width, 1140);
    EXPECT_FLOAT_EQ(none.plot.height, 1140);
    const Labels unlabeled;
    EXPECT_TRUE(page_for(unlabeled, {.legend_title = "of nothing"}).lines.empty());
}

TEST(Legend, OfAScaleIsABarBelow) {
    const Groups groups = groups_by_value(std::vector{0.0, 1.0, std::nan("")}, "activation time", 3);
    const Page page = page_of({.legend = LegendPlace::below, .legend_title = "ms"}, groups);
    ASSERT_FALSE(page.bar.colors.empty());
    EXPECT_GT(page.bar.box.top, page.plot.top + page.plot.height);
    EXPECT_GT(page.bar.box.width, page.bar.box.height);
    EXPECT_EQ(page.bar.colors.front(), value_ramp.front());  // low to the left
    EXPECT_EQ(page.lines.front().text, "ms");
    EXPECT_EQ(page.swatches.size(), 1U);
    expect_on_page(page);
}

TEST(Text, IsWrappedAtBlanksSlashesAndHyphens) {
    const auto lines = [](const std::string& text, float width) { return wrapped(text, 20, width).lines; };
    EXPECT_EQ(lines("", 100), std::vector<std::string>{""});
    EXPECT_EQ(lines("  one two  ", 1000), std::vector<std::string>{"one two"});
    EXPECT_EQ(lines("one two", text_width("one tw", 20)), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(lines("one/two", text_width("one/tw", 20)), (std::vector<std::string>{"one/", "two"}));
    EXPECT_TRUE(wrapped("one two", 20, text_width("one tw", 20)).is_whole);
    const WrappedText broken =
        wrapped("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 20, text_width("\xC3\xA9\xC3\xA9\xC3\xA9", 20));
    EXPECT_FALSE(broken.is_whole);
    EXPECT_EQ(broken.lines, (std::vector<std::string>{"\xC3\xA9\xC3\xA9\xC3\xA9", "\xC3\xA9"}));
    EXPECT_EQ(lines("\xC3\xA9\xC3\xA9", 1).size(), 2U);
}

TEST(Contrast, OfTextAndRimsIsEnough) {
    EXPECT_NEAR(contrast(Color{}, white), 21, 1e-9);
    EXPECT_GE(contrast(text_color, white), text_contrast);
    EXPECT_GE(contrast(faint_color, white), text_contrast);
    for (const Color color : palette) EXPECT_GE(contrast(legible(color), white), text_contrast);
    EXPECT_EQ(legible(palette[0]), palette[0]);
    EXPECT_GE(contrast(legible(white), white), text_contrast);
}

class Rims : public InFolder {};

TEST_F(Rims, AreAroundFewPalePoints) {
    ASSERT_LT(contrast(palette[4], white), mark_contrast);
    Labels labels = of_names({"a", "b", "c", "d", "e"});
    const Map map{2, {0, 0, 1, 0, 2, 0, 3, 0, 4, 1}};
    const std::string rim = "stroke=\"" + code(legible(palette[4])) + "\"";
    draw(path("a.svg"), map, labels);
    EXPECT_NE(bytes(path("a.svg")).find(rim), std::string::npos);
    draw(path("b.svg"), Map{2, {0, 0, 1, 0}}, of_names({"a", "b"}));
    EXPECT_EQ(bytes(path("b.svg")).find("stroke="), std::string::npos);
}

}  // namespace
}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
// Pictures on dark paper.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <dunlin/landscape.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/plots.hpp>
#include <dunlin/scatter.hpp>

#include "colors/look.hpp"
#include "folder.hpp"
#include "picture/formats.hpp"
#include "picture/palettes.hpp"

namespace dunlin::picture {
namespace {

class Dark : public InFolder {
protected:
    std::string drawn(const std::string& name, const Map& map, const Labels& labels = {}, const Options& options = {},
                      int threads = 1) {
        EXPECT_TRUE(draw(path(name), map, labels, {}, options, {.threads = threads}));
        return bytes(path(name));
    }
};

const Map square{2, {0, 0, 4, 0, 4, 4, 0, 4}};
const Labels four{{0, 1, 2, 3}, {"alpha", "beta", "gamma", "delta"}};
const Options dark{.title = "A title", .dark = true};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Dark, TextIsLegible) {
    const Look look = look_of(true);
    for (const Color text : {look.text, look.faint}) EXPECT_GE(contrast(text, look.paper), text_contrast);
    for (const Color color : palette) EXPECT_GE(contrast(legible(color, look.paper), look.paper), text_contrast);
    EXPECT_GE(contrast(legible(look.paper, look.paper), look.paper), text_contrast);
    EXPECT_EQ(look_of(false).shown(palette[0]), palette[0]);
}

TEST_F(Dark, AllPalettesAreSeenAndScalesKeepTheirOrder) {
    const Look look = look_of(true);
    for (const std::string_view name : names(Palette{})) {
        const Palette each = *value_named<Palette>(name);
        const auto colors = colors_of(each);
        for (const Color color : colors)
            EXPECT_GE(contrast(look.shown(color), look.paper), mark_contrast) << name << code(color);
        if (is_of_labels(each) || each == Palette::automatic) continue;
        for (std::size_t c = 1; c < colors.size(); ++c) {
            const bool rises = luminance(colors[c]) > luminance(colors[c - 1]) + 0.02;
            const double here = luminance(look.shown(colors[c])), before = luminance(look.shown(colors[c - 1]));
            EXPECT_TRUE(!rises || here > before) << name << ' ' << c;
        }
    }
    EXPECT_LT(contrast(look.below, look.paper), 2);
}

TEST_F(Dark, VectorsHaveThePaperAndItsColors) {
    const std::string svg = drawn("a.svg", square, four, dark);
    EXPECT_TRUE(has(svg, "height=\"100%\" fill=\"#14171c\""));
    EXPECT_TRUE(has(svg, "fill=\"#e8eaed\""));
    EXPECT_FALSE(has(svg, "#ffffff") || has(svg, "#222222") || has(svg, "#767676"));
    EXPECT_TRUE(has(svg, code(look_of(true).shown(palette[1]))));
    EXPECT_NE(drawn("a.pdf", square, four, dark), drawn("b.pdf", square, four, {.title = "A title"}));
    const Coloring values{{1, 2, 3, NAN}, "v"};
    ASSERT_TRUE(draw(path("c.svg"), values, {}, square, {}, dark));
    EXPECT_TRUE(has(bytes(path("c.svg")), code(look_of(true).shown(value_ramp[0]))));
    ASSERT_TRUE(draw_placed(path("d.svg"), square, square, {}, {}, dark));
    EXPECT_TRUE(has(bytes(path("d.svg")), code(look_of(true).below)));
}

TEST_F(Dark, PagesBeginDarkInTheColorsOfWhitePaper) {
    const std::string page = drawn("a.html", square, four, dark);
    EXPECT_TRUE(has(page, "\"dark\":true") && has(page, code(palette[0])));
    EXPECT_FALSE(has(drawn("b.html", square, four), "\"dark\":true"));
    const std::vector<double> states{1, 2, 3};
    ASSERT_TRUE(draw(path("f.html"), GridFilm{.frames = {states}, .captions = {"0"}, .columns = 3}, dark));
    EXPECT_TRUE(has(bytes(path("f.html")), "\"dark\":true"));
}

TEST_F(Dark, HasTheSameBytesForAnyNumberOfThreads) {
    Map many{2, {}};
    Labels labels{{}, {"a", "b"}};
    for (Index i = 0; i < 60000; ++i) {
        many.coordinates.push_back(std::sin(0.7F * static_cast<float>(i)) * static_cast<float>(i % 97));
        many.coordinates.push_back(std::cos(1.3F * static_cast<float>(i)) * static_cast<float>(i % 89));
        labels.of.push_back(i % 2);
    }
    for (const char* name : {"a.png", "a.svg"})
        EXPECT_EQ(drawn(name, many, labels, dark), drawn(name, many, labels, dark, 8)) << name;
    EXPECT_EQ(drawn("n.png", many, {}, dark), drawn("n.png", many, {}, dark, 8));
    EXPECT_NE(drawn("0.svg", Map{2, {}}, {}, dark), "");
    EXPECT_NE(drawn("1.svg", Map{2, {1, 2}}, {}, dark), "");
}

TEST_F(Dark, LandscapesAndPlotsAreOnDarkPaper) {
    const Map map{2, {0, 0, 1, 0, 0, 1, 3, 3, 3, 4}};
    ASSERT_TRUE(draw_landscape(path("l.svg"), map, {}, {.style = MapStyle::landscape}, dark));
    EXPECT_TRUE(has(bytes(path("l.svg")), "fill=\"#14171c\"") && has(bytes(path("l.svg")), "#e8eaed"));
    const std::vector<double> numbers{0, 1, 2, 3};
    const MatrixView<const double> grid{numbers.data(), 2, 2};
    const Axis across{"x"}, down{"y"};
    const Heatmap heatmap{grid, "v", across, down};
    const Curves curves{grid, {"a", "b"}, across, "y"};
    ASSERT_TRUE(draw(path("h.svg"), heatmap, dark) && draw(path("c.svg"), curves, dark));
    for (const char* name : {"h.svg", "c.svg"}) EXPECT_FALSE(has(bytes(path(name)), "#222222")) << name;
}

}  // namespace
}  // namespace dunlin::picture

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <dunlin/columns.hpp>
#include <dunlin/palettes.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/plots.hpp>

#include "folder.hpp"
#include "refusal.hpp"

/// What colors points: columns of files, colors of labels, and new points of a map.
namespace dunlin {
namespace {

using Strings = std::vector<std::string>;

class ColorFiles : public InFolder {
protected:
    std::string drawn(const picture::Options& options, const Map& map, const Map& placed, const Labels& labels,
                      const picture::Coloring* coloring = nullptr, int threads = 1) {
        dunlin::Run run;
        run.threads = threads;
        EXPECT_TRUE(picture::draw_placed(path("x.svg"), map, placed, labels, {}, options, run, coloring));
        return bytes(path("x.svg"));
    }
};

TEST_F(ColorFiles, WordsAndGroupsAreClassesOtherNumbersAScale) {
    const auto file = put("t.csv", "id,kind,cluster,stress,class,n\na,x,1,0.5,0.5,1\nb,y,2,,1,2\nc,NA,1,2.5,2,3\n");
    const io::ColorColumn kind = io::read_color_column(file, "kind");
    ASSERT_FALSE(kind.numbers);
    EXPECT_EQ(kind.classes.labels.of, (std::vector<Index>{0, 1, no_label}));
    EXPECT_EQ(kind.classes.ids, (Strings{"a", "b", "c"}));
    EXPECT_EQ(io::read_color_column(file, "cluster").classes.labels.names, (Strings{"1", "2"}));
    const io::ColorColumn stress = io::read_color_column(file, "stress");
    ASSERT_TRUE(stress.numbers);
    EXPECT_EQ(stress.numbers->ids, (Strings{"a", "b", "c"}));
    EXPECT_TRUE(std::isnan(stress.numbers->values[1]));
    EXPECT_TRUE(io::read_color_column(file, "class").numbers) << "fractions are measured";
    EXPECT_TRUE(io::read_color_column(file, "n").numbers);
    EXPECT_TRUE(io::read_color_column(file, "4").numbers) << "by its number";
    EXPECT_NE(refusal([&] { io::read_color_column(file, "none"); }).find("no column 'none'"), std::string::npos);
}

TEST_F(ColorFiles, MinusOneBesideGroupsFromZeroIsNoGroup) {
    const auto file =
        put("c.csv", "id,cluster,hdbscan,label,batch,leiden\na,0,-1,0,-1,-1\nb,-1,1,-1,1,x\nc,1,0,1,1,0\n");
    const io::LabelColumn cluster = io::read_color_column(file, "cluster").classes;
    EXPECT_EQ(cluster.labels.names, (Strings{"0", "1"}));
    EXPECT_EQ(cluster.labels.of, (std::vector<Index>{0, no_label, 1}));
    ASSERT_FALSE(cluster.notes.empty());
    EXPECT_EQ(cluster.notes.back().what, "read with -1 for the 1 rows of no cluster");
    EXPECT_EQ(io::read_label_column(file, "hdbscan").labels.of, (std::vector<Index>{no_label, 1, 0}));
    EXPECT_EQ(io::read_color_column(file, "label").classes.labels.names, (Strings{"-1", "0", "1"}))
        << "a word as others";
    EXPECT_EQ(io::read_color_column(file, "batch").classes.labels.names, (Strings{"-1", "1"})) << "two signs";
    EXPECT_EQ(io::read_color_column(file, "leiden").classes.labels.names.size(), 3U);
}

TEST_F(ColorFiles, TheOnlyOneBesideTheIdsNeedsNoName) {
    EXPECT_EQ(io::read_color_column(put("k.csv", "id,cluster\na,1\nb,0\n")).classes.labels.names, (Strings{"0", "1"}));
    EXPECT_EQ(io::read_color_column(put("w.csv", "id,kind\r\na,x\r\nb,x\r\nc,y\r\n")).classes.labels.names,
              (Strings{"x", "y"}));
    EXPECT_EQ(io::read_color_column(put("s.csv", "id,stress\na,1\nb,0\n")).numbers->values,
              (std::vector<double>{1, 0}));
    EXPECT_EQ(io::read_color_column(put("l.txt", "x\ny\nx\n")).classes.labels.of, (std::vector<Index>{0, 1, 0}));
    const auto two = put("two.csv", "id,p,q\na,1,2\nb,3,4\n");
    EXPECT_NE(refusal([&] { io::read_color_column(two); }).find("name one"), std::string::npos);
}

TEST_F(ColorFiles, ManyWordsAreNoClasses) {
    std::string text = "id,word\n";
    for (int i = 0; i < 1001; ++i) text += fmt::format("i{0},w{0}\n", i);
    const auto file = put("many.csv", text);
    const std::string error = refusal(Fault::bad_file, [&] { io::read_color_column(file, "word"); });
    EXPECT_NE(error.find("1001 different words"), std::string::npos) << error;
}

TEST_F(ColorFiles, LabelsHaveColors) {
    const auto colors = [&](const std::string& text) { return picture::read_label_colors(put("c.csv", text)); };
    const auto read = colors("label,color\r\nT cells,#1f77b4\r\n\"B, old\",\"#FF0000\"\r\n\r\n");
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[0].label, "T cells");
    EXPECT_EQ(read[1].label, "B, old");
    EXPECT_EQ(read[1].color, "#FF0000");
    EXPECT_EQ(colors("a\t#010203").size(), 1U);
    EXPECT_EQ(colors("a,#010203\na,#010203\n").size(), 1U);
    for (const auto& [text, words] :
         std::vector<std::pair<const char*, const char*>>{{"", "has no colors"},
                                                          {"label,color\n", "has no colors"},
                                                          {"a,#010203\nb,red\n", "c.csv:2"},
                                                          {"a,#010203\na,#010204\n", "give it one"},
                                                          {"a,#0102\n", "such as #1a2b3c"},
                                                          {"a,#010203\n,#010203\n", ":2"}}) {
        EXPECT_NE(refusal(Fault::bad_file, [&] { colors(text); }).find(words), std::string::npos)
            << text << refusal([&] { colors(text); });
    }
}

TEST_F(ColorFiles, NewPointsAreAboveTheMap) {
    const Map map{2, {0, 0, 4, 0, 0, 4}}, placed{2, {1, 1, 2, 1}};
    const std::string plain = drawn({}, map, placed, {});
    EXPECT_NE(plain.find(">new</text>"), std::string::npos);
    EXPECT_NE(plain.find(">map</text>"), std::string::npos);
    EXPECT_LT(plain.rfind("fill=\"#d9dde2\"/>", plain.find("stroke-width")), plain.find("stroke-width"));
    EXPECT_EQ(plain, drawn({}, map, placed, {}, nullptr, 8));
    const Map many{2, std::vector<float>(40, 1.0F)};
    ASSERT_TRUE(picture::draw_placed(path("p.html"), many, placed, {{0, 0}, {"A"}}));
    const std::string page = bytes(path("p.html")), peaks = page.substr(page.find("\"peaks\":"), 60);
    EXPECT_EQ(peaks.find("\"label\":1"), std::string::npos) << "the map has no name on the page: " << peaks;
    const std::string named = drawn({}, map, placed, {{0, 1}, {"map", "B"}});
    EXPECT_NE(named.find(">the map</text>"), std::string::npos);
    const picture::Coloring values{{1, 2}, "v"};
    EXPECT_NE(drawn({}, map, placed, {}, &values).find(">v</text>"), std::string::npos);
    EXPECT_NE(drawn({}, map, {2, {}}, {}).find("#d9dde2"), std::string::npos) << "no new points";
    EXPECT_NE(drawn({}, {2, {}}, placed, {}).find(">new</text>"), std::string::npos) << "no map";
    const Map far{2, map.coordinates, {1e6, -2e6}}, other{2, {-1, 2, 0, 2}, {1e6 + 2, -2e6 - 1}};
    EXPECT_EQ(drawn({}, far, other, {}), plain) << "less another origin";
    EXPECT_NE(refusal([&] { drawn({}, map, {3, {1, 2, 3}}, {}); }).find("dimensions"), std::string::npos);
    EXPECT_NE(refusal([&] { drawn({}, map, placed, {{0}, {"a"}}); }).find("1 labels"), std::string::npos);
}

TEST_F(ColorFiles, OptionsOfColorsAreOfThese) {
    const Map map{2, {0, 0, 4, 0, 0, 4}};
    picture::Options options;
    options.palette = picture::Palette::tol_bright;
    const auto draw = [&](const Labels& labels) { picture::draw(path("x.svg"), map, labels, {}, options); };
    EXPECT_NE(refusal([&] { draw({}); }).find("palette"), std::string::npos);
    EXPECT_EQ(refusal([&] { draw({{0, 1, 0}, {"a", "b"}}); }), "");
    options.center = 0;
    EXPECT_NE(refusal([&] { draw({{0, 1, 0}, {"a", "b"}}); }).find("numbers"), std::string::npos);
    const picture::Coloring values{{1, 2, 3}, "v"};
    EXPECT_NE(
        refusal([&] { picture::draw(path("x.svg"), values, {}, map, {}, options); }).find("tol-bright is of labels"),
        std::string::npos);
}

}  // namespace
}  // namespace dunlin

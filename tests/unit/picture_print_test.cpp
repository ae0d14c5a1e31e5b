// SPDX-License-Identifier: Apache-2.0
// Pictures for print: PDF, sizes, resolution, fonts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include <dunlin/error.hpp>
#include <dunlin/landscape.hpp>
#include <dunlin/picture.hpp>
#include <dunlin/plots.hpp>

#include "folder.hpp"
#include "picture/paper.hpp"
#include "refusal.hpp"

namespace dunlin::picture {
namespace {

class Print : public InFolder {
protected:
    std::string drawn(const std::string& name, const Map& map, const Labels& labels = {}, const Options& options = {},
                      int threads = 1) {
        draw(path(name), map, labels, {}, options, {.threads = threads});
        return bytes(path(name));
    }
};

const Map square{2, {0, 0, 4, 0, 4, 4, 0, 4}};
const Labels four{{0, 1, 2, 3}, {"alpha", "beta", "gamma", "delta"}};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Map scattered(Index n) {
    Map map{2, {}};
    for (Index i = 0; i < n; ++i) {
        map.coordinates.push_back(std::sin(0.7F * static_cast<float>(i)) * static_cast<float>(i % 97));
        map.coordinates.push_back(std::cos(1.3F * static_cast<float>(i)) * static_cast<float>(i % 89));
    }
    return map;
}

/// Width and height in points.
std::array<double, 2> media_box(const std::string& pdf) {
    std::array<double, 2> size{};
    const std::size_t at = pdf.find("/MediaBox [ 0 0 ");
    if (at != std::string::npos) {
        EXPECT_EQ(std::sscanf(pdf.c_str() + at, "/MediaBox [ 0 0 %lf %lf", &size[0], &size[1]), 2);
    }
    return size;
}

TEST_F(Print, PdfHasItsSizeEmbeddedFontsAndTextThatCanBeRead) {
    const std::string pdf = drawn("a.pdf", square, four, {.title = "A title", .figure_size = "89x70mm"});
    EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
    EXPECT_NEAR(media_box(pdf)[0] / 72 * 25.4, 89, 0.1);
    EXPECT_NEAR(media_box(pdf)[1] / 72 * 25.4, 70, 0.1);
    EXPECT_TRUE(has(pdf, "/FontFile2") || has(pdf, "/FontFile3"));
    EXPECT_TRUE(has(pdf, "/ToUnicode"));
    EXPECT_FALSE(has(pdf, "/Type3"));
    EXPECT_TRUE(has(pdf, "20000101000000"));
    const std::string outlines = drawn("b.pdf", square, four, {.title = "A title", .svg_text = SvgText::paths});
    EXPECT_FALSE(has(outlines, "/Font /") || has(outlines, "/FontFile2"));
    EXPECT_NEAR(media_box(outlines)[0], 900, 0.01);  // 1200 pixels of 1/96 inch
}

TEST_F(Print, PdfIsTheSameForAnyNumberOfThreadsAndAnyDay) {
    for (const Index n : {0, 1, 5000, 50001}) {
        const Map map = scattered(n);
        Labels labels{{}, {"a", "b", "c"}};
        for (Index i = 0; i < n; ++i) labels.of.push_back(i % 3);
        const std::string once = drawn("1.pdf", map, labels);
        EXPECT_EQ(once, drawn("2.pdf", map, labels, {}, 8)) << n;
        EXPECT_EQ(has(once, "/Subtype /Image"), n > 50000) << n;
    }
    EXPECT_NE(refusal(Fault::bad_input, [&] { drawn("c.pdf", Map{2, {0, NAN}}); }), "");
    EXPECT_NO_THROW(drawn("c.pdf", Map{2, std::vector<float>(200, 3.0F)}));
}

TEST_F(Print, PdfOfGraphsLandscapesAndPlots) {
    const Graph graph{{0, 1, 3, 4}, {1, 0, 2, 1}, {1, 1, 1, 1}};
    const Map map{2, {0, 0, 1, 1, 2, 0}};
    draw(path("g.pdf"), graph, map);
    EXPECT_GT(bytes(path("g.pdf")).size(), 1000U);
    LandscapeOptions landscape;
    landscape.style = MapStyle::landscape;
    draw_landscape(path("l.pdf"), scattered(300), {}, landscape, {.figure_size = "89mm"});
    EXPECT_TRUE(has(bytes(path("l.pdf")), "/Subtype /Image"));  // the shade
    const std::vector<double> values{0, 1, 2, 3};
    draw(path("h.pdf"), Heatmap{.values = {values.data(), 2, 2}, .name = "v", .x = {"x", 0, 1}, .y = {"y", 0, 1}});
    EXPECT_TRUE(has(bytes(path("h.pdf")), "/Subtype /Image"));
}

TEST_F(Print, PngHasItsResolution) {
    const auto number = [](const std::string& png, std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = at; i < at + 4; ++i) value = value << 8 | static_cast<unsigned char>(png[i]);
        return value;
    };
    const std::string png = drawn("a.png", square, four, {.figure_size = "89x70mm"});
    EXPECT_EQ(number(png, 16), 1051U);
    EXPECT_EQ(number(png, 20), 827U);
    const std::size_t chunk = png.find("pHYs");
    ASSERT_EQ(chunk, 37U);
    EXPECT_EQ(number(png, chunk + 4), 11811U);
    EXPECT_EQ(png[chunk + 12], '\1');
    EXPECT_EQ(number(drawn("b.png", square, {}, {.figure_size = "2in", .dpi = 100}), 16), 200U);
    const std::string plain = drawn("c.png", square, four, {.width = 300, .height = 200});
    EXPECT_FALSE(has(plain, "pHYs"));
    EXPECT_EQ(drawn("d.png", square, four, {.figure_size = "300x200px"}), plain);
    EXPECT_TRUE(has(drawn("e.png", square, four, {.width = 300, .height = 200, .dpi = 150}), "pHYs"));
}

TEST_F(Print, SvgHasALengthAndTextOrOutlines) {
    const std::string svg = drawn("a.svg", square, four, {.title = "T", .figure_size = "3.5in"});
    EXPECT_TRUE(has(svg, "width=\"88.900mm\" height=\"88.900mm\" viewBox=\"0 0 1050 1050\""));
    EXPECT_TRUE(has(svg, "font-size=\"29.17\""));  // 7 points at 300 dpi
    EXPECT_TRUE(has(svg, "font-size=\"35.00\""));  // the title
    const std::string outlines = drawn("b.svg", square, four, {.title = "T", .svg_text = SvgText::paths});
    EXPECT_FALSE(has(outlines, "<text"));
    EXPECT_FALSE(has(outlines, "<path d=\"\""));
    const auto curves =
        std::count(outlines.begin() + static_cast<std::ptrdiff_t>(outlines.find("<g font")), outlines.end(), 'C');
    EXPECT_GT(curves, 100);  // of title, legend and names
    EXPECT_TRUE(
        has(drawn("c.svg", square, four, {.font = "DejaVu Sans", .font_size = 9}), "font-family=\"&#39;DejaVu"));
}

TEST(Paper, IsReadFromLengthsAndPixels) {
    EXPECT_NEAR(paper_of({.figure_size = "89mm"}).width, 89 / 25.4 * 300, 1e-9);
    EXPECT_NEAR(paper_of({.figure_size = "8.9x7cm"}).height, 7 / 2.54 * 300, 1e-9);
    EXPECT_NEAR(paper_of({.figure_size = "252x144pt", .dpi = 72}).height, 144, 1e-9);
    EXPECT_EQ(paper_of({.figure_size = "640x480px"}).height, 480);
    EXPECT_FALSE(paper_of({.figure_size = "640x480px"}).is_printed);
    EXPECT_EQ(paper_of({}).text, 0);
    EXPECT_FLOAT_EQ(paper_of({.font_size = 9}).text, 12);
    for (const char* text :
         {"89", "mm", "x70mm", "89x", "89xmm", "89mmx70mm", "0mm", "-3in", "nanmm", "89 mm", "89km", "e"})
        EXPECT_TRUE(has(refusal(Fault::bad_input, [&] { paper_of({.figure_size = text}); }), "89x70mm")) << text;
    for (const char* text : {"1mm", "infin", "99px", "1e300in", "2000mm"})
        EXPECT_TRUE(has(refusal(Fault::bad_input, [&] { paper_of({.figure_size = text}); }), "use 100 to 16000"))
            << text;
    EXPECT_NE(refusal(Fault::bad_input, [&] { paper_of({.width = 300, .figure_size = "89mm"}); }), "");
}

TEST_F(Print, RefusesAFontThatIsNotThere) {
    const auto refused = [&](const Options& options) {
        return refusal(Fault::bad_input, [&] { drawn("a.pdf", square, four, options); });
    };
    EXPECT_TRUE(has(refused({.font = "No Such Font"}), "font 'No Such Font' is not on this system"));
    EXPECT_EQ(refused({.font = "dejavu sans"}), "");
    EXPECT_EQ(refused({.font = "sans-serif"}), "");
}

}  // namespace
}  // namespace dunlin::picture

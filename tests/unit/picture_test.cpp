// SPDX-License-Identifier: Apache-2.0
#include <cairo.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <dunlin/error.hpp>
#include <dunlin/picture.hpp>

#include "folder.hpp"
#include "io/markup.hpp"
#include "picture/disc_sprites.hpp"
#include "picture/formats.hpp"
#include "picture/names.hpp"
#include "picture/text.hpp"

#if defined(__SANITIZE_ADDRESS__)
// fontconfig does not free its cache
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
    return "leak:libfontconfig\n";
}
#endif

namespace dunlin::picture {
namespace {

namespace fs = std::filesystem;

class Picture : public InFolder {};

/// A decoded PNG.
class Pixels {
public:
    explicit Pixels(const fs::path& file) : surface_(cairo_image_surface_create_from_png(file.c_str())) {
        EXPECT_EQ(cairo_surface_status(surface_), CAIRO_STATUS_SUCCESS);
    }
    ~Pixels() { cairo_surface_destroy(surface_); }
    Pixels(const Pixels&) = delete;
    Pixels& operator=(const Pixels&) = delete;

    [[nodiscard]] int width() const { return cairo_image_surface_get_width(surface_); }
    [[nodiscard]] int height() const { return cairo_image_surface_get_height(surface_); }
    [[nodiscard]] Color at(int x, int y) const {
        const auto* row = cairo_image_surface_get_data(surface_) + y * cairo_image_surface_get_stride(surface_);
        const std::uint32_t pixel = reinterpret_cast<const std::uint32_t*>(row)[x];
        return hex(pixel & 0xffffffU);
    }
    [[nodiscard]] Color at(float x, float y) const {
        return at(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)));
    }

private:
    cairo_surface_t* surface_;
};

Color on_white(Color color, float alpha) { return blend(white, color, alpha); }

void expect_near(Color a, Color b) {
    EXPECT_NEAR(a.r, b.r, 2);
    EXPECT_NEAR(a.g, b.g, 2);
    EXPECT_NEAR(a.b, b.b, 2);
}

const Map square{2, {0, 0, 4, 0, 4, 4, 0, 4}};
const Labels four{{0, 1, 2, 3}, {"a", "b", "c", "d"}};

TEST_F(Picture, IsAPngOfTheSizeAskedFor) {
    draw(path("a.png"), square, {}, {}, {.width = 320, .height = 200});
    EXPECT_EQ(bytes(path("a.png")).substr(0, 8), "\x89PNG\r\n\x1a\n");
    const Pixels pixels(path("a.png"));
    EXPECT_EQ(pixels.width(), 320);
    EXPECT_EQ(pixels.height(), 200);
}

TEST_F(Picture, HasEveryPointAtItsPlaceInItsColor) {
    const Options options{.width = 400, .height = 300, .point_size = 20, .alpha = 0.5F, .label_names = false};
    draw(path("a.png"), square, four, {}, options);
    const Pixels pixels(path("a.png"));
    device::Cpu cpu(1);
    const Page page = page_of(options, groups_of(four, 4));
    const Viewport viewport = viewport_of(flatten(cpu, square), page.plot, 20);
    for (std::size_t i = 0; i < 4; ++i) {
        const float x = viewport.x(square.coordinates[2 * i]), y = viewport.y(square.coordinates[2 * i + 1]);
        expect_near(pixels.at(x, y), on_white(palette[i], 0.5F));
        expect_near(pixels.at(x + 8, y), on_white(palette[i], 0.5F));
        EXPECT_EQ(pixels.at(x + 13, y), white);
        EXPECT_EQ(pixels.at(x, y - 13), white);
    }
    // Equal axes, y upwards
    EXPECT_FLOAT_EQ(viewport.x(4) - viewport.x(0), viewport.y(0) - viewport.y(4));
    EXPECT_GT(viewport.x(4), viewport.x(0));
}

TEST_F(Picture, GivesOverlappingLabelsTheirMeanColorInAnyOrder) {
    const Options options{.width = 200, .height = 200, .point_size = 30, .alpha = 0.5F, .label_names = false};
    const Map map{2, {0, 0, 0, 0, 5, 5}};
    draw(path("a.png"), map, {{0, 1, 2}, {"a", "b", "c"}}, {}, options);
    draw(path("b.png"), map, {{1, 0, 2}, {"a", "b", "c"}}, {}, options);
    EXPECT_EQ(bytes(path("a.png")), bytes(path("b.png")));
    device::Cpu cpu(1);
    const Page page = page_of(options, groups_of({{0, 1, 2}, {"a", "b", "c"}}, 3));
    const Viewport viewport = viewport_of(flatten(cpu, map), page.plot, 30);
    expect_near(Pixels(path("a.png")).at(viewport.x(0), viewport.y(0)),
                on_white(blend(palette[0], palette[1], 0.5F), 0.75F));
}

TEST_F(Picture, HasTheSameBytesForAnyNumberOfThreads) {
    Map map{2, {}};
    Labels labels{{}, {"a", "b", "c"}};
    for (Index i = 0; i < 5000; ++i) {
        map.coordinates.push_back(std::sin(0.7F * static_cast<float>(i)) * static_cast<float>(i % 97));
        map.coordinates.push_back(std::cos(1.3F * static_cast<float>(i)) * static_cast<float>(i % 89));
        labels.of.push_back(i % 3);
    }
    draw(path("1.png"), map, labels, {}, {}, {.threads = 1});
    draw(path("2.png"), map, labels, {}, {}, {.threads = 2});
    draw(path("3.png"), map, labels, {}, {}, {.threads = 3});
    EXPECT_EQ(bytes(path("1.png")), bytes(path("2.png")));
    EXPECT_EQ(bytes(path("1.png")), bytes(path("3.png")));
}

TEST_F(Picture, DrawsOnePointAndCoincidentPointsInTheMiddle) {
    for (const Index n : {1, 2, 33, 70001}) {
        draw(path("a.png"), Map{2, std::vector<float>(2 * static_cast<std::size_t>(n), -7.5F)}, {}, {},
             {.width = 100, .height = 100});
        EXPECT_NE(Pixels(path("a.png")).at(50, 50), white) << n;
        EXPECT_EQ(Pixels(path("a.png")).at(10, 10), white) << n;
    }
}

TEST_F(Picture, OfNoPointsIsABlankPage) {
    for (const int dim : {1, 2, 3}) {
        draw(path("a.png"), Graph{}, Map{dim, {}}, {}, {}, {.width = 100, .height = 100, .vertex_names = true});
        EXPECT_EQ(Pixels(path("a.png")).at(50, 50), white) << dim;
        draw(path("a.svg"), Map{dim, {}}, {}, {}, {.title = "none"});
        EXPECT_EQ(bytes(path("a.svg")).find("<circle"), std::string::npos) << dim;
        EXPECT_NO_THROW(draw(path("a.html"), Map{dim, {}}));
    }
}

TEST_F(Picture, DrawsHugeTinyAndFlatMaps) {
    constexpr float most = std::numeric_limits<float>::max();
    for (const Map& map :
         {Map{2, {-most, -most, most, most}}, Map{2, {0, 0, 1e-40F, 1e-40F}}, Map{2, {1, 2, 1, 9}}, Map{1, {1, 2, 5}},
          Map{3, {0, 0, 0, 1, 2, 3, 4, 4, 4}}, Map{5, {1, 2, 3, 4, 5, 5, 4, 3, 2, 2}}}) {
        EXPECT_NO_THROW(draw(path("a.png"), map, {}, {}, {.width = 100, .height = 100}));
    }
}

std::size_t occurrences(const std::string& text, const std::string& of) {
    std::size_t count = 0;
    for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + of.size())) ++count;
    return count;
}

TEST_F(Picture, SvgHasACircleForEveryPointAndTheTextOfTitleAndLegend) {
    draw(path("a.svg"), square, {{0, 1, 0, 1}, {"first & last", "m\xC3\xB8ller"}}, {}, {.title = "a < b"});
    const std::string svg = bytes(path("a.svg"));
    EXPECT_EQ(occurrences(svg, "<circle"), 4 + 2);
    EXPECT_EQ(occurrences(svg, "fill=\"#0072b2\""), 2 + 1);
    EXPECT_NE(svg.find(">first &amp; last</text>"), std::string::npos);
    EXPECT_NE(svg.find(">m\xC3\xB8ller</text>"), std::string::npos);
    EXPECT_NE(svg.find(">a &lt; b</text>"), std::string::npos);
    EXPECT_TRUE(svg.ends_with("</svg>\n"));
    device::Cpu cpu(1);
    const Page page = page_of({.title = "a < b"}, groups_of({{0, 1, 0, 1}, {"first & last", "m\xC3\xB8ller"}}, 4));
    const Viewport viewport = viewport_of(flatten(cpu, square), page.plot, 0.014F * page.plot.width);
    EXPECT_NE(svg.find(fmt::format("cx=\"{:.2f}\" cy=\"{:.2f}\"", viewport.x(0), viewport.y(0))), std::string::npos);
}

TEST_F(Picture, SvgOfManyPointsHoldsAnImage) {
    draw(path("a.svg"), Map{2, std::vector<float>(100002, 1)}, {}, {}, {.width = 100, .height = 100});
    const std::string svg = bytes(path("a.svg"));
    EXPECT_EQ(occurrences(svg, "<circle"), 0);
    EXPECT_EQ(occurrences(svg, "data:image/png;base64,iVBORw0KGgo"), 1);
}

TEST_F(Picture, HtmlHoldsTheDataAndNothingInThemEndsAnElement) {
    draw(path("a.html"), square, {{0, 1, 0, 1}, {"</script><b>", "b"}}, {"one", "two", "</SCRIPT>", "\xFF"},
         {.title = "<i>t"});
    const std::string html = bytes(path("a.html"));
    // Positions, labels, row numbers and ids
    EXPECT_EQ(occurrences(html, "<script type=\"text/x-frame\">RFVOTA"), 4);
    EXPECT_EQ(occurrences(html, "<script"), occurrences(html, "</script>"));
    EXPECT_EQ(html.find("</script><b>"), std::string::npos);
    EXPECT_EQ(html.find("</SCRIPT>"), std::string::npos);
    EXPECT_EQ(html.find("<i>t"), std::string::npos);
    EXPECT_NE(html.find("<title>&lt;i&gt;t</title>"), std::string::npos);
    EXPECT_EQ(html.find("http:"), std::string::npos);
    EXPECT_EQ(html.find("https:"), std::string::npos);
    EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

TEST_F(Picture, HtmlOfManyPointsHasTheScriptOfWebGpu) {
    const auto scripts = [&](std::size_t n) -> std::pair<std::size_t, std::size_t> {
        draw(path("a.html"), Map{2, std::vector<float>(2 * n, 1)}, {}, {});
        const std::string html = bytes(path("a.html"));
        return {occurrences(html, "class WebGpuPainter"), occurrences(html, "'sha256-")};
    };
    const std::pair<std::size_t, std::size_t> few{0, 2}, many{1, 3};  // with a hash of the style
    EXPECT_EQ(scripts(4), few);
    EXPECT_EQ(scripts(300001), many);
}

TEST_F(Picture, HtmlOfAMapInThreeDimensionsCanBeTurned) {
    draw(path("a.html"), Map{3, {0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 1}});
    EXPECT_NE(bytes(path("a.html")).find("\"dim\":3"), std::string::npos);
}

TEST_F(Picture, RefusesWhatItCannotDraw) {
    const auto fault = [&](const fs::path& file, const Map& map, const Labels& labels = {},
                           const Options& options = {}) {
        try {
            draw(file, map, labels, {}, options);
        } catch (const Error& error) {
            return error.fault();
        }
        return Fault::device_failure;
    };
    EXPECT_EQ(fault(path("a.jpg"), square), Fault::bad_input);
    EXPECT_EQ(fault(path("a.png"), Map{0, {}}), Fault::bad_input);
    EXPECT_EQ(fault(path("a.png"), Map{2, {0, std::nanf("")}}), Fault::bad_input);
    EXPECT_EQ(fault(path("a.png"), Map{2, {0, INFINITY}}), Fault::bad_input);
    EXPECT_EQ(fault(path("a.png"), square, {{0, 0}, {"a"}}), Fault::bad_input);
    EXPECT_EQ(fault(path("a.png"), square, {{0, 0, 1, 0}, {"a"}}), Fault::bad_input);
    EXPECT_EQ(fault(path("a.png"), square, {}, {.width = 5}), Fault::bad_input);
    EXPECT_EQ(fault(path("a.png"), square, {}, {.alpha = 2}), Fault::bad_input);
    EXPECT_EQ(fault(path("none/a.png"), square), Fault::bad_file);
    EXPECT_TRUE(fs::is_empty(path("")));
}

TEST(Groups, GiveTwentyLabelsAColorEachAndOfMoreTheNineteenLargest) {
    Labels labels;
    for (Index label = 0; label < 20; ++label) {
        labels.names.push_back(fmt::format("l{}", label));
        labels.of.insert(labels.of.end(), static_cast<std::size_t>(1 + label % 7), label);
    }
    Groups groups = groups_of(labels, static_cast<Index>(labels.of.size()));
    ASSERT_EQ(groups.list.size(), 20);
    for (std::size_t g = 0; g < 20; ++g) EXPECT_EQ(groups.list[g].color, palette[g]);

    labels.names.push_back("one more");
    labels.of.insert(labels.of.end(), 9, 20);
    groups = groups_of(labels, static_cast<Index>(labels.of.size()));
    ASSERT_EQ(groups.list.size(), 20);
    EXPECT_EQ(groups.list[19].name, "other (2 labels)");
    EXPECT_EQ(groups.list[19].count, 2);  // l7 and l14, the last of those with one point
    EXPECT_EQ(groups.list[19].color, other_color);
    EXPECT_EQ(groups.list[18].name, "one more");
    EXPECT_EQ(groups.group(static_cast<Offset>(labels.of.size()) - 1), 18);
}

TEST(Groups, LeaveOutLabelsWithoutPoints) {
    const Groups groups = groups_of({{2, 0}, {"a", "b", "c"}}, 2);
    ASSERT_EQ(groups.list.size(), 2);
    EXPECT_EQ(groups.list[1].name, "c");
    EXPECT_EQ(groups.group(0), 1);
}

using Triple = std::array<double, 3>;

Triple times(const std::array<Triple, 3>& matrix, const Triple& v) {
    Triple out{};
    for (std::size_t i = 0; i < 3; ++i) out[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
    return out;
}

/// CIELAB of a color after the transformation `eye` of linear RGB (simulated color vision).
Triple lab(Color color, const std::array<Triple, 3>& eye) {
    Triple linear = {color.r / 255.0, color.g / 255.0, color.b / 255.0};
    for (double& c : linear) c = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    linear = times(eye, linear);
    for (double& c : linear) c = std::clamp(c, 0.0, 1.0);
    Triple xyz = times(
        {{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}},
        linear);
    const Triple white_point = {0.95047, 1, 1.08883};
    for (std::size_t i = 0; i < 3; ++i) {
        const double t = xyz[i] / white_point[i];
        xyz[i] = t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116;
    }
    return {116 * xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])};
}

double least_difference(const std::array<Triple, 3>& eye) {
    double least = 1000;
    for (std::size_t a = 0; a < palette.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const Triple x = lab(palette[a], eye), y = lab(palette[b], eye);
            least = std::min(least, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
        }
    }
    return least;
}

TEST(Palette, HasTwentyColorsThatDifferForEveryEyeAndAreSeenOnWhite) {
    // Protanopia and deuteranopia after Machado, Oliveira and Fernandes 2009, severity 1.
    EXPECT_GT(least_difference({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), 18);
    EXPECT_GT(
        least_difference(
            {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}),
        8);
    EXPECT_GT(least_difference(
                  {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}),
              8);
    for (const Color color : palette) EXPECT_LT(lab(color, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}})[0], 82);
}

TEST(DiscSprites, CoverTheAreaOfTheirDiscWhereverItLies) {
    for (const float diameter : {1.1F, 2.0F, 3.7F, 20.0F}) {
        const DiscSprites sprites(diameter);
        for (const float shift : {0.01F, 0.3F, 0.5F, 0.99F}) {
            const auto sprite = sprites.at(7 + shift, -3 + shift);
            int sum = 0;
            for (int i = 0; i < sprite.size * sprite.size; ++i) sum += sprite.cover[i];
            const float area = 3.14159265F / 4 * diameter * diameter;
            EXPECT_NEAR(static_cast<float>(sum) / DiscSprites::whole, area, 0.05F * area + 0.02F) << diameter;
        }
    }
}

TEST(Text, IsCleanedCutAndEscaped) {
    EXPECT_EQ(io::clean_text("caf\xC3\xA9 \xE2\x9C\x93\n"), "caf\xC3\xA9 \xE2\x9C\x93 ");
    EXPECT_EQ(io::clean_text("\xFF\xC3(\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(io::escaped("<a & 'b'>\""), "&lt;a &amp; &#39;b&#39;&gt;&quot;");
    EXPECT_EQ(with_commas(0), "0");
    EXPECT_EQ(with_commas(999), "999");
    EXPECT_EQ(with_commas(1234567), "1,234,567");
    EXPECT_EQ(base64("Man"), "TWFu");
    EXPECT_EQ(base64("Ma"), "TWE=");
    EXPECT_EQ(base64("M"), "TQ==");
    const std::string cut = shortened("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 20, 60);
    EXPECT_LE(text_width(cut, 20), 60);
    EXPECT_TRUE(cut.ends_with("\xE2\x80\xA6"));
    EXPECT_EQ(io::clean_text(cut), cut);
    EXPECT_EQ(shortened("fits", 20, 600), "fits");
}

TEST(Names, LieAmidTheirPointsAndDoNotTouch) {
    Map map{2, {}};
    Labels labels{{}, {"left", "right", "one that lies on right"}};
    for (Index i = 0; i < 300; ++i) {
        const Index label = i % 3;
        map.coordinates.push_back((label == 0 ? -50.0F : 50.0F) + static_cast<float>(i % 7));
        map.coordinates.push_back(static_cast<float>(i % 11));
        labels.of.push_back(label);
    }
    labels.of[2] = 1;  // "right" has more points than the last label
    device::Cpu cpu(2);
    const Groups groups = groups_of(labels, 300);
    Page page = page_of({}, groups);
    const FlatMap flat = flatten(cpu, map);
    const Viewport viewport = viewport_of(flat, page.plot, 3);
    TextPlacement placement(page);
    const std::size_t before = page.lines.size();
    add_group_names(placement, page, group_names(cpu, flat, groups, page, viewport), 20);
    const std::vector<TextLine> names(page.lines.begin() + static_cast<std::ptrdiff_t>(before), page.lines.end());
    ASSERT_GE(names.size(), 3);  // the last name is broken
    EXPECT_EQ(names[0].text, "right");
    EXPECT_EQ(names[1].text, "left");
    const float middle = names[1].x + text_width("left", names[1].size) / 2;
    EXPECT_NEAR(middle, viewport.x(-47), 20);
    EXPECT_GT(names[1].y, viewport.y(13));
    EXPECT_LT(names[1].y, viewport.y(-5));
    EXPECT_NEAR(names.back().x, viewport.x(53), 200);  // beside the place of "right"
    EXPECT_TRUE(page.strokes.empty());
}

TEST(Page, KeepsTitleAndLegendOnThePage) {
    Labels labels;
    for (Index i = 0; i < 40; ++i) {
        labels.of.push_back(i);
        labels.names.push_back(fmt::format("a rather long name of a label, number {}", i));
    }
    const std::string title =
        "A title far too long for one line, with method, number of points and scores, and then more words "
        "until it cannot fit on two lines of a small picture either";
    for (const int side : {100, 300, 1200}) {
        const Page page = page_of({.title = title, .width = side, .height = side}, groups_of(labels, 40));
        for (const TextLine& line : page.lines) {
            EXPECT_LE(line.x + text_width(line.text, line.size), page.width + 0.5F) << side << line.text;
            EXPECT_LE(line.y, page.height) << side << line.text;
        }
        EXPECT_EQ(page.swatches.empty(), side == 100);
        EXPECT_GT(page.plot.width, 0.25F * page.width) << side;
        EXPECT_GT(page.plot.height, 0.25F * page.height) << side;
    }
}

}  // namespace
}  // namespace dunlin::picture

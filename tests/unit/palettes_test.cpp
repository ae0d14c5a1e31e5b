// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "picture/groups.hpp"
#include "picture/palettes.hpp"
#include "picture/scale.hpp"
#include "refusal.hpp"

namespace dunlin::picture {
namespace {

using Vector = std::array<double, 3>;
using Square = std::array<Vector, 3>;

Vector times(const Square& a, const Vector& v) {
    Vector product{};
    for (std::size_t i = 0; i < 3; ++i) product[i] = a[i][0] * v[0] + a[i][1] * v[1] + a[i][2] * v[2];
    return product;
}

/// What readers see: normal vision, and protanopia, deuteranopia and tritanopia (Machado, Oliveira and Fernandes 2009,
/// severity 1, on linear light).
constexpr std::array<Square, 4> visions = {
    Square{Vector{1, 0, 0}, Vector{0, 1, 0}, Vector{0, 0, 1}},
    Square{Vector{0.152286, 1.052583, -0.204868}, Vector{0.114503, 0.786281, 0.099216},
           Vector{-0.003882, -0.048116, 1.051998}},
    Square{Vector{0.367322, 0.860646, -0.227968}, Vector{0.280085, 0.672501, 0.047413},
           Vector{-0.011820, 0.042940, 0.968881}},
    Square{Vector{1.255528, -0.076749, -0.178779}, Vector{-0.078411, 0.930809, 0.147602},
           Vector{0.004733, 0.691367, 0.303900}}};

/// CIELAB under D65.
Vector lab_of(Color color, const Square& vision) {
    const auto linear = [](std::uint8_t channel) {
        const double c = channel / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    Vector light = times(vision, {linear(color.r), linear(color.g), linear(color.b)});
    for (double& channel : light) channel = std::clamp(channel, 0.0, 1.0);
    const Vector xyz = times({Vector{0.4124564, 0.3575761, 0.1804375}, Vector{0.2126729, 0.7151522, 0.0721750},
                              Vector{0.0193339, 0.1191920, 0.9503041}},
                             light);
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

/// CIEDE2000 (Sharma, Wu and Dalal 2005).
double difference(const Vector& p, const Vector& q) {
    constexpr double degree = std::numbers::pi / 180;
    const auto weight = [](double c) { return std::sqrt(std::pow(c, 7) / (std::pow(c, 7) + std::pow(25.0, 7))); };
    const double g = 0.5 * (1 - weight((std::hypot(p[1], p[2]) + std::hypot(q[1], q[2])) / 2));
    const double a1 = (1 + g) * p[1], a2 = (1 + g) * q[1], c1 = std::hypot(a1, p[2]), c2 = std::hypot(a2, q[2]);
    const auto hue = [](double a, double b) {
        const double angle = a == 0 && b == 0 ? 0 : std::atan2(b, a) / degree;
        return angle < 0 ? angle + 360 : angle;
    };
    const double h1 = hue(a1, p[2]), h2 = hue(a2, q[2]);
    double turn = h2 - h1;
    if (turn > 180) turn -= 360;
    if (turn < -180) turn += 360;
    const bool gray = c1 * c2 == 0;
    const double dl = q[0] - p[0], dc = c2 - c1, dh = gray ? 0 : 2 * std::sqrt(c1 * c2) * std::sin(turn * degree / 2);
    const double l = (p[0] + q[0]) / 2, c = (c1 + c2) / 2, sum = h1 + h2;
    const double h = gray ? sum : std::abs(h1 - h2) <= 180 ? sum / 2 : sum < 360 ? (sum + 360) / 2 : (sum - 360) / 2;
    const double t = 1 - 0.17 * std::cos((h - 30) * degree) + 0.24 * std::cos(2 * h * degree) +
                     0.32 * std::cos((3 * h + 6) * degree) - 0.2 * std::cos((4 * h - 63) * degree);
    const double square = (l - 50) * (l - 50);
    const double sl = 1 + 0.015 * square / std::sqrt(20 + square), sc = 1 + 0.045 * c, sh = 1 + 0.015 * c * t;
    const double rotation = -std::sin(60 * std::exp(-std::pow((h - 275) / 25, 2)) * degree) * 2 * weight(c);
    return std::sqrt(std::pow(dl / sl, 2) + std::pow(dc / sc, 2) + std::pow(dh / sh, 2) +
                     rotation * (dc / sc) * (dh / sh));
}

double least_difference(const std::vector<Color>& colors, const Square& vision) {
    double least = HUGE_VAL;
    for (std::size_t i = 0; i < colors.size(); ++i)
        for (std::size_t j = i + 1; j < colors.size(); ++j)
            least = std::min(least, difference(lab_of(colors[i], vision), lab_of(colors[j], vision)));
    return least;
}

/// The colors of labels; of a scale seven places, of a cyclic one eight, as its ends are one.
std::vector<Color> shown_colors(Palette palette_name) {
    const auto all = colors_of(palette_name);
    if (is_of_labels(palette_name)) return {all.begin(), all.end()};
    const bool cyclic = palette_name == Palette::twilight || palette_name == Palette::roma_o;
    std::vector<Color> places;
    for (int p = 0; p < (cyclic ? 8 : 7); ++p) places.push_back(on_ramp(all, static_cast<float>(p) / (cyclic ? 8 : 6)));
    return places;
}

double least_for_any(Palette palette_name) {
    double least = HUGE_VAL;
    for (const Square& vision : visions) least = std::min(least, least_difference(shown_colors(palette_name), vision));
    return least;
}

TEST(Palettes, DifferenceIsThatOfSharmaWuAndDalal) {
    EXPECT_NEAR(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}), 2.0425, 1e-4);
    EXPECT_NEAR(difference({50, 2.5, 0}, {73, 25, -18}), 27.1492, 1e-4);
    EXPECT_NEAR(difference({2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}), 0.9082, 1e-4);
}

TEST(Palettes, ThoseWithAStarAreToldApartByAllReaders) {
    for (const std::string_view name : names(Palette{})) {
        const Palette each = *value_named<Palette>(name);
        if (each == Palette::automatic) continue;  // one of the others
        const bool has_star = each != Palette::tableau10 && each != Palette::glasbey;
        EXPECT_EQ(least_for_any(each) >= 5, has_star) << name << ' ' << least_for_any(each);
    }
}

TEST(Palettes, LabelsTakeThePaletteThenTheirOwnColors) {
    const Labels labels{{0, 1, 2, 0}, {"a", "b", "c"}};
    Options options;
    options.palette = Palette::okabe_ito;
    options.colors = {{"b", "#010203"}, {"not here", "#000000"}};
    const Groups groups = groups_of(labels, 4, options);
    EXPECT_EQ(groups.list[0].color, hex(0xe69f00));
    EXPECT_EQ(groups.list[1].color, hex(0x010203));
    options.colors = {{"", "#111111"}, {"", "#222222"}};  // a list: the largest has the first, the others are gray
    const Groups few = groups_of(labels, 4, options);
    ASSERT_EQ(few.list.size(), 2U);
    EXPECT_EQ(few.list[0].color, hex(0x111111));
    EXPECT_EQ(few.list[1].color, other_color);
    options.colors = {};
    options.palette = Palette::viridis;
    EXPECT_EQ(groups_of(labels, 4, options).list[2].color, hex(0xfde725));
}

TEST(Palettes, MoreLabelsThanColorsKeepTheirOwn) {
    Labels labels;
    Options options;
    for (Index l = 0; l < 40; ++l) {
        labels.of.push_back(l);
        labels.names.push_back(fmt::format("l{}", l));
        if (l >= 10) options.colors.push_back({labels.names.back(), "#0000ff"});
    }
    const Groups groups = groups_of(labels, 40, options);
    EXPECT_EQ(groups.list.size(), 31U);
    EXPECT_EQ(groups.list[0].color, hex(0x0000ff));
    EXPECT_EQ(groups.list.back().name, "other (10 labels)");
}

TEST(Palettes, ColorsAreHexadecimal) {
    EXPECT_EQ(color_named("#1A2b3C"), hex(0x1a2b3c));
    EXPECT_EQ(color_named("#1a2b3cff"), hex(0x1a2b3c));
    for (const char* none : {"", "red", "#12345", "#12345g", "1a2b3c", "#1a2b3c80"})
        EXPECT_FALSE(color_named(none)) << none;
    Options options;
    options.colors = {{"", "red"}};
    EXPECT_NE(refusal([&] { own_colors(options); }).find("'red' is no color"), std::string::npos);
}

TEST(Scales, RangesAreNumbersOrPercentiles) {
    std::vector<double> values;
    for (int v = 0; v <= 100; ++v) values.push_back(v);
    values.push_back(std::nan(""));
    Options options;
    options.range = "p10,p90";
    const ColorScale cut = scale_of(values, "v", options);
    EXPECT_DOUBLE_EQ(cut.low, 10);
    EXPECT_DOUBLE_EQ(cut.high, 90);
    EXPECT_DOUBLE_EQ(cut.place(5), 0);
    EXPECT_DOUBLE_EQ(cut.place(50), 0.5);
    options.range = "-1,2e2";
    EXPECT_DOUBLE_EQ(scale_of(values, "v", options).high, 200);
    for (const char* bad : {"1", "a,b", "3,1", "p1,p101", "1,2,3", "1,inf"}) {
        options.range = bad;
        EXPECT_NE(refusal([&] { scale_of(values, "v", options); }).find("range"), std::string::npos) << bad;
    }
}

TEST(Scales, LogarithmsRanksAndCenters) {
    const std::vector<double> values{1, 10, 100, 10000, 0, -1};
    Options options;
    options.scale = ValueScale::log;
    const ColorScale log = scale_of(values, "v", options);
    EXPECT_DOUBLE_EQ(log.place(100), 0.5);
    EXPECT_EQ(step_of(log, 0), value_steps);
    EXPECT_EQ(log.ticks(5).size(), 5U);
    const std::vector<double> none{-1, 0};
    EXPECT_NE(refusal([&] { scale_of(none, "v", options); }).find("no value is above 0"), std::string::npos);
    options.scale = ValueScale::rank;
    const ColorScale rank = scale_of(values, "v", options);
    EXPECT_DOUBLE_EQ(rank.place(-1), 0);
    EXPECT_DOUBLE_EQ(rank.place(10000), 1);
    EXPECT_DOUBLE_EQ(rank.place(1), 0.4);
    options.scale = ValueScale::linear;
    options.center = 0;
    const ColorScale around = scale_of(std::vector<double>{-1, 3}, "v", options);
    EXPECT_DOUBLE_EQ(around.low, -3);
    EXPECT_DOUBLE_EQ(around.place(0), 0.5);
    options.range = "-1,3";
    EXPECT_DOUBLE_EQ(scale_of(values, "v", options).place(1.5), 0.75);
    EXPECT_DOUBLE_EQ(scale_of({}, "v", {}).place(1), 0.5);  // no values
}

}  // namespace
}  // namespace dunlin::picture

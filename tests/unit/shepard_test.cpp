// SPDX-License-Identifier: Apache-2.0
#include <dunlin/shepard.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "folder.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"

namespace dunlin::mds {
namespace {

constexpr Index colors = 14;
/// Dissimilarities of 14 colors (Ekman 1954), below the diagonal.
constexpr float ekman[] = {0.14F, 0.58F, 0.5F,  0.58F, 0.56F, 0.19F, 0.82F, 0.78F, 0.53F, 0.46F, 0.94F, 0.91F, 0.83F,
                           0.75F, 0.39F, 0.93F, 0.93F, 0.9F,  0.9F,  0.69F, 0.38F, 0.96F, 0.93F, 0.92F, 0.91F, 0.74F,
                           0.55F, 0.27F, 0.98F, 0.98F, 0.98F, 0.98F, 0.93F, 0.86F, 0.78F, 0.67F, 0.93F, 0.96F, 0.99F,
                           0.99F, 0.98F, 0.92F, 0.86F, 0.81F, 0.42F, 0.91F, 0.93F, 0.98F, 1,     0.98F, 0.98F, 0.95F,
                           0.96F, 0.63F, 0.26F, 0.88F, 0.89F, 0.99F, 0.99F, 0.99F, 0.98F, 0.98F, 0.97F, 0.73F, 0.5F,
                           0.24F, 0.87F, 0.87F, 0.95F, 0.98F, 0.98F, 0.98F, 0.98F, 0.98F, 0.8F,  0.59F, 0.38F, 0.15F,
                           0.84F, 0.86F, 0.97F, 0.96F, 1,     0.99F, 1,     0.98F, 0.77F, 0.72F, 0.45F, 0.32F, 0.24F};

Dissimilarities ekman_items() {
    std::vector<float> all(at(colors * colors), 0);
    const float* next = ekman;
    for (Index i = 0; i < colors; ++i) {
        for (Index j = 0; j < i; ++j) all[at(i * colors + j)] = all[at(j * colors + i)] = *next++;
    }
    return Dissimilarities::of_matrix(Matrix(colors, colors, std::move(all)));
}

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

Offset count(const std::string& text, const std::string& word) {
    Offset found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
}

/// sum (d - disparity)^2 / sum d^2
double error_of(const ShepardPairs& pairs, const ShepardFit& fit) {
    double error = 0, squares = 0;
    for (std::size_t k = 0; k < fit.disparities.size(); ++k) {
        const auto d = static_cast<double>(pairs.diagram.view()(static_cast<Index>(k), 1));
        error += (d - fit.disparities[k]) * (d - fit.disparities[k]);
        squares += d * d;
    }
    return error / squares;
}

void expect_never_falls(const std::vector<double>& line) {
    for (std::size_t k = 2; k < line.size(); k += 2) {
        EXPECT_GE(line[k], line[k - 2]);
        EXPECT_GE(line[k + 1], line[k - 1] - 1e-12);
    }
}

TEST(ShepardFit, OfEkmanHas91PairsAndTheStressOfTheMap) {
    const Dissimilarities items = ekman_items();
    for (const Transform transform :
         {Transform::ratio, Transform::interval, Transform::interval_bounded, Transform::ordinal}) {
        const Result placed = place(items, {.method = Method::smacof, .transform = transform});
        const ShepardPairs pairs = shepard_pairs(items, placed.map);
        const ShepardFit fit = shepard_fit(pairs, transform);
        ASSERT_EQ(fit.disparities.size(), 91U);
        EXPECT_NEAR(fit.stress1, transformed_stress1(items, placed.map, transform), 1e-6) << name_of(transform);
        EXPECT_NEAR(error_of(pairs, fit), fit.stress1 * fit.stress1, 1e-9);
        EXPECT_DOUBLE_EQ(fit.fit(), 1 - fit.stress1 * fit.stress1);
        expect_never_falls(fit.line);
        if (transform == Transform::ordinal) {
            EXPECT_GT(fit.line.size(), 12U);
        } else {
            EXPECT_EQ(fit.line.size(), 4U);
        }
        if (transform == Transform::ratio) {
            EXPECT_EQ(fit.line[0], 0);
            EXPECT_EQ(fit.line[1], 0);
        }
    }
}

/// The height of the line at x is between the least and the largest of its corners there.
bool is_on_line(const std::vector<double>& line, double x, double y) {
    for (std::size_t k = 0; k + 3 < line.size(); k += 2) {
        const bool within = line[k] <= x && x <= line[k + 2] && line[k + 1] <= y + 1e-9 && y <= line[k + 3] + 1e-9;
        if (within && (line[k] == line[k + 2] || std::abs(line[k + 1] - y) < 1e-9)) return true;
    }
    return false;
}

TEST(ShepardFit, StepsPassThroughTheDisparitiesAndTiesAreVertical) {
    const ShepardPairs pairs{{0, 0, 0, 1, 1, 2}, {1, 2, 3, 2, 3, 3}, {2, {1, 5, 1, 2, 2, 4, 2, 3, 3, 9, 4, 8}}};
    const ShepardFit fit = shepard_fit(pairs, Transform::ordinal);
    // By dissimilarity, then distance: 2 5 | 3 4 | 9 | 8, pooled: 2 4 4 4 8.5 8.5
    EXPECT_EQ(fit.disparities, (std::vector<double>{4, 2, 4, 4, 8.5, 8.5}));
    EXPECT_EQ(fit.line, (std::vector<double>{1, 2, 1, 4, 2, 4, 2, 8.5, 4, 8.5}));
    EXPECT_NEAR(fit.stress1 * fit.stress1, (1 + 0 + 0 + 1 + 0.25 + 0.25) / (25 + 4 + 16 + 9 + 81 + 64.0), 1e-12);
    for (Index k = 0; k < 6; ++k)
        EXPECT_TRUE(is_on_line(fit.line, static_cast<double>(pairs.diagram.view()(k, 0)), fit.disparities[at(k)]));
}

TEST(ShepardFit, WeightsFewPairsAndCoincidentPoints) {
    EXPECT_TRUE(shepard_fit({{}, {}, {2, {}}}, Transform::ordinal).line.empty());
    const ShepardFit one = shepard_fit({{0}, {1}, {2, {3, 6}}}, Transform::ratio);
    EXPECT_EQ(one.disparities, std::vector<double>{6});
    EXPECT_EQ(one.stress1, 0);
    const ShepardPairs same{{0, 0, 1}, {1, 2, 2}, {2, {1, 0, 2, 0, 3, 0}}};
    EXPECT_EQ(shepard_fit(same, Transform::ordinal).stress1, 1);
    EXPECT_EQ(shepard_fit({{0}, {1}, {2, {0, 0}}}, Transform::ratio).stress1, 0);
    const ShepardPairs three{{0, 0, 1}, {1, 2, 2}, {2, {1, 2, 2, 4, 3, 100}}};
    const Matrix weights(3, 3, std::vector<float>{0, 1, 1, 1, 0, 0, 1, 0, 0});
    const ShepardFit weighted = shepard_fit(three, Transform::ratio, &weights);
    EXPECT_NEAR(weighted.stress1, 0, 1e-12);
    EXPECT_TRUE(std::isnan(weighted.disparities[2]));
}

using ShepardFiles = InFolder;

TEST_F(ShepardFiles, APictureHasACircleForEachPairAndNothingElse) {
    const Dissimilarities items = ekman_items();
    const Result placed = place(items, {.method = Method::smacof, .transform = Transform::ordinal});
    const ShepardPairs pairs = shepard_pairs(items, placed.map);
    const ShepardFit fit = shepard_fit(pairs, Transform::ordinal);
    EXPECT_NE(shepard_title(pairs, fit, colors).find("91 pairs"), std::string::npos);
    std::vector<std::string> ids;
    for (Index i = 0; i < colors; ++i) ids.push_back(fmt::format("<{}>", 434 + i));
    picture::draw(folder_ / "a.svg", shepard_scatter(pairs, fit, ids), {.title = "a"});
    const std::string svg = read(folder_ / "a.svg");
    EXPECT_EQ(count(svg, "<circle"), 91);
    EXPECT_EQ(count(svg, "stroke=\"#000000\""), 1);  // the line
    EXPECT_NE(svg.find("&lt;435&gt;"), std::string::npos);
    EXPECT_NE(svg.find(">dissimilarity</text>"), std::string::npos);
    EXPECT_NE(svg.find(">0</text>"), std::string::npos);
    picture::draw(folder_ / "a.html", shepard_scatter(pairs, fit, ids), {.title = "a"});
    EXPECT_EQ(count(read(folder_ / "a.html"), "<circle"), 91);
    EXPECT_EQ(count(read(folder_ / "a.html"), "<script"), 0);
    picture::draw(folder_ / "a.png", shepard_scatter(pairs, fit), {.width = 300, .height = 200});
    EXPECT_EQ(read(folder_ / "a.png").substr(1, 3), "PNG");
    picture::draw(folder_ / "a.pdf", shepard_scatter(pairs, fit), {.title = "a"});
    EXPECT_TRUE(read(folder_ / "a.pdf").starts_with("%PDF"));
    write_shepard(folder_ / "a.csv", pairs, fit, ids);
    const std::string csv = read(folder_ / "a.csv");
    EXPECT_TRUE(csv.starts_with("first,second,dissimilarity,distance,disparity\n")) << csv;
    EXPECT_EQ(count(csv, "\n"), 92);
}

TEST_F(ShepardFiles, ManyPairsAreDotsOrADensity) {
    for (const Index n : {0, 2000, 2001, 20000, 20001}) {
        ShepardPairs pairs{std::vector<Index>(at(n), 0), std::vector<Index>(at(n), 1), {2, {}}};
        for (std::uint64_t k = 0; k < 2 * static_cast<std::uint64_t>(n); ++k)
            pairs.diagram.coordinates.push_back(static_cast<float>(math::random_uniform(1, k)));
        const ShepardFit fit = shepard_fit(pairs, Transform::ordinal);
        picture::draw(folder_ / "b.svg", shepard_scatter(pairs, fit), {});
        const std::string svg = read(folder_ / "b.svg");
        EXPECT_EQ(count(svg, "<circle"), n <= 20000 ? n : 0);
        EXPECT_EQ(count(svg, "pointer-events"), n <= 2000 ? 1 : 0);
        EXPECT_EQ(count(svg, "density"), n > 20000 ? 1 : 0);
    }
}

}  // namespace
}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
// Given starts: which are scaled, and which places are refused
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <dunlin/descent.hpp>
#include <dunlin/error.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/transform.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "cases/maps.hpp"
#include "descent/start_scale.hpp"
#include "forces/places.hpp"
#include "refusal.hpp"

namespace dunlin::descent {
namespace {

TEST(StartScale, IsThatOfTheMethodsOwnStart) {
    // Center (20, 10); root mean square distance 10, deviation and largest coordinate 10 along x, 0 along y
    const Map line{2, {10, 10, 30, 10}};
    EXPECT_EQ(start_scale(line, {1e-4, false, 10}), 1);
    EXPECT_DOUBLE_EQ(start_scale(line, {1e-4, false, 9.9}), 1e-5);
    EXPECT_DOUBLE_EQ(start_scale(line, {10, true, 9.9}), 1);
    EXPECT_EQ(scaled_start(line, 0.1).coordinates, (std::vector<float>{-1, 0, 1, 0}));
    EXPECT_EQ(start_scale({1, {5}}, {1e-4, false, 1}), 1);
    EXPECT_EQ(start_scale({2, {}}, {1e-4, false, 1}), 1);
    // Narrow ones
    const Map narrow{1, {-1e-9F, 1e-9F}};
    EXPECT_EQ(start_scale(narrow, {0.01, false, 9}), 1);
    EXPECT_NEAR(start_scale(narrow, {1, false, 9}), 1e9, 1e3);
    EXPECT_NE(refusal(Fault::bad_input, [] { start_scale({2, {7, 8, 7, 8}}, {1, false, 9}); }), "");
    EXPECT_EQ(start_note(1e-3).rfind("scaled by 0.001, ", 0), 0);
}

/// Calls check(embed, Given, options) of each method with a start of places beyond its maps, and one within.
template <class Result, class Options>
void expect_scaled(const Options& options,
                   Result (*embed)(MatrixView<const float>, const Options&, const Run&, const Given&)) {
    const Index n = 80;
    const std::vector<float> x = made::cloud(n, 4, 1, 3);
    const MatrixView<const float> points{x.data(), n, 4};
    const Map wide{2, made::cloud(n, 2, 2000, 5)};
    const Result scaled = embed(points, options, {}, {.start = &wide});
    EXPECT_LT(scaled.start_scale, 0.1);
    EXPECT_LT(made::width_of(scaled.map.view()), 300);
    const Map same = scaled_start(wide, scaled.start_scale);
    EXPECT_EQ(embed(points, options, {}, {.start = &same}).map.coordinates, scaled.map.coordinates);
    const std::vector<std::uint8_t> one = [&] {
        std::vector<std::uint8_t> fixed(static_cast<std::size_t>(n), 0);
        fixed[3] = 1;
        return fixed;
    }();
    for (const Given& given :
         {Given{.start = &wide, .keeps_start = true}, Given{.start = &wide, .fixed = one}, Given{.start = &scaled.map}})
        EXPECT_EQ(embed(points, options, {}, given).start_scale, 1);
}

TEST(StartScale, WideStartsOfEveryMethodAreScaled) {
    expect_scaled<tsne::Result, tsne::Options>({.perplexity = 10, .iterations = 300}, tsne::embed);
    expect_scaled<umap::Result, umap::Options>({.iterations = 100}, umap::embed);
    expect_scaled<pacmap::Result, pacmap::Options>({.iterations = "20,20,60"}, pacmap::embed);
}

TEST(Places, AreFiniteAndWithinTheLimit) {
    constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const auto fault = [](const Map& map, forces::Holes holes = forces::Holes::refused) {
        return refusal(Fault::bad_input, [&] { forces::require_places(map, "start", holes); });
    };
    EXPECT_EQ(fault({2, {1e9F, -1e9F}}), "");
    EXPECT_EQ(fault({2, {nan, nan, 1, 2}}, forces::Holes::allowed), "");
    EXPECT_EQ(fault({2, {1, 2, 3, 4, 1e20F, 0}}),
              "row 2 of the start has the coordinate 1e+20, and the limit is 1e+09 on both sides of zero; scale the "
              "start, or subtract its center");
    EXPECT_EQ(fault({2, {1, 2, nan, 4}}), "row 1 of the start is NaN or infinite in part; give finite coordinates");
    for (const Map& map : {Map{2, {nan, nan}}, {2, {1, inf}}, {2, {1, 2, 3}}, {0, {}}, {4, {1, 2, 3, 4}}, {-1, {1}}})
        EXPECT_NE(fault(map), "");
    EXPECT_NE(fault({2, {1, nan}}, forces::Holes::allowed), "");
    EXPECT_NE(fault({2, {inf, inf}}, forces::Holes::allowed), "");
}

TEST(Places, OfMapsFromOutsideAreChecked) {
    const Index n = 40;
    const std::vector<float> x = made::cloud(n, 4, 1, 3);
    const MatrixView<const float> points{x.data(), n, 4};
    Map far{2, made::cloud(n, 2, 5, 5)};
    far.coordinates[31] = -1e20F;
    const Map dimless{0, far.coordinates};
    for (const Map& map : {far, dimless}) {
        EXPECT_NE(refusal(Fault::bad_input, [&] { tsne::embed(points, {.perplexity = 5}, {}, {.start = &map}); }), "");
        EXPECT_NE(refusal(Fault::bad_input, [&] { umap::embed(points, {}, {}, {.start = &map}); }), "");
        EXPECT_NE(refusal(Fault::bad_input, [&] { pacmap::embed(points, {}, {}, {.start = &map}); }), "");
        EXPECT_NE(
            refusal(Fault::bad_input, [&] { tsne::continued(points, map, Continuation::grow, {.perplexity = 5}); }),
            "");
        EXPECT_NE(refusal(Fault::bad_input, [&] { placement::place(points, map, points, {.perplexity = 5.0F}); }), "");
        EXPECT_NE(refusal(Fault::bad_input, [&] { placement::share_of_new(map); }), "");
    }
}

TEST(Divergence, EndsTheRunWithAnError) {
    const Index n = 60;
    const std::vector<float> x = made::cloud(n, 4, 1, 3);
    const MatrixView<const float> points{x.data(), n, 4};
    for (const Repulsion engine : {Repulsion::exact, Repulsion::tree, Repulsion::grid}) {
        for (const int iterations : {1, 2, 49, 50, 51, 300}) {
            const std::string sentence = refusal(Fault::bad_input, [&] {
                tsne::embed(points, {.perplexity = 5,
                                     .iterations = iterations,
                                     .learning_rate = 1e38F,
                                     .longest_step = 0,
                                     .repulsion = engine});
            });
            EXPECT_NE(sentence.find("the map diverged before iteration"), std::string::npos)
                << name_of(engine) << ' ' << iterations;
        }
    }
}

}  // namespace
}  // namespace dunlin::descent

// SPDX-License-Identifier: Apache-2.0
// Rows of data for places in a map of UMAP.
#include <dunlin/inverse.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "cases/maps.hpp"
#include "cases/points.hpp"
#include "math/at.hpp"
#include "placement/mixture_loss.hpp"
#include "refusal.hpp"

namespace dunlin::umap {
namespace {

const Run on_cpu{.device = Device::cpu};

std::vector<float> cloud(Index n, Index cols, std::uint64_t seed = 1) { return made::cloud(n, cols, 1, seed); }
MatrixView<const float> view_of(const std::vector<float>& x, Index cols) {
    return {x.data(), static_cast<Index>(x.size()) / cols, cols};
}
std::vector<float> rows_of(const InverseResult& result) {
    const auto view = result.rows.view();
    return {view.data, view.data + view.size()};
}

/// A curved sheet in so many columns, and its own two coordinates as a map.
struct Sheet {
    std::vector<float> x;
    Map map{2, {}};
};
Sheet sheet(Index n, Index cols) {
    Sheet made;
    for (Index i = 0; i < n; ++i) {
        const double u = 8 * made::uniform(i, 0), v = 8 * made::uniform(i, 1);
        made.map.coordinates.push_back(static_cast<float>(u));
        made.map.coordinates.push_back(static_cast<float>(v));
        for (Index c = 0; c < cols; ++c)
            made.x.push_back(static_cast<float>(std::sin(0.3 * (u * std::cos(c) + v * std::sin(c)) + c)));
    }
    return made;
}

double rmse(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        sum += std::pow(static_cast<double>(a[k]) - static_cast<double>(b[k]), 2);
    return std::sqrt(sum / static_cast<double>(a.size()));
}

// --- the loss

TEST(MixtureLoss, DistancesAndGradientAreThoseOfTheRows) {
    const Index rows = 12, cols = 5;
    const std::vector<float> x = cloud(rows, cols);
    std::vector<double> squared(at(Offset{rows} * rows)), memberships;
    std::vector<LocalScale> scales;
    const auto value = [&](Index r, Index c) { return static_cast<double>(x[at(Offset{r} * cols + c)]); };
    for (Index i = 0; i < rows; ++i) {
        memberships.push_back(0.1 + 0.06 * i);
        scales.push_back({0.1F * static_cast<float>(i % 3), 0.5F + 0.1F * static_cast<float>(i)});
        for (Index j = 0; j < rows; ++j)
            for (Index c = 0; c < cols; ++c)
                squared[at(Offset{i} * rows + j)] += std::pow(value(i, c) - value(j, c), 2);
    }
    const placement::MixtureLoss loss{squared, memberships, scales};
    placement::Combination y(at(rows));
    double total = 0;
    for (Index j = 0; j < rows; ++j) total += y.weights[at(j)] = 1 + 0.3 * j;
    for (double& weight : y.weights) weight /= total;
    loss.set_image(y);
    const auto place = [&](const placement::Combination& of) {
        std::vector<double> sum(at(cols));
        for (Index j = 0; j < rows; ++j)
            for (Index c = 0; c < cols; ++c) sum[at(c)] += of.weights[at(j)] * value(j, c);
        return sum;
    };
    const auto by_rows = [&](const std::vector<double>& of) {
        double sum = 0;
        for (Index j = 0; j < rows; ++j) {
            double d2 = 0;
            for (Index c = 0; c < cols; ++c) d2 += std::pow(of[at(c)] - value(j, c), 2);
            sum += placement::membership_term(std::sqrt(d2), memberships[at(j)], static_cast<double>(scales[at(j)].rho),
                                              static_cast<double>(scales[at(j)].sigma))
                       .value;
        }
        return sum;
    };
    std::vector<double> here = place(y);
    EXPECT_NEAR(loss.value_at(y), by_rows(here), 1e-9);
    const placement::Combination gradient = loss.gradient_at(y);
    const std::vector<double> found = place(gradient);
    double length2 = 0;
    for (Index c = 0; c < cols; ++c) {
        const double before = here[at(c)], step = 1e-6;
        here[at(c)] = before + step;
        const double above = by_rows(here);
        here[at(c)] = before - step;
        EXPECT_NEAR(found[at(c)], (above - by_rows(here)) / (2 * step), 1e-5);
        here[at(c)] = before;
        length2 += found[at(c)] * found[at(c)];
    }
    EXPECT_NEAR(placement::product_of(gradient, gradient), length2, 1e-9);
    // Steps lower it
    placement::Combination better = y;
    placement::improve(loss, 20, better);
    EXPECT_LT(loss.value_at(better), loss.value_at(y));
    double sum = 0;
    for (const double weight : better.weights) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(MixtureLoss, TheTermIsAtItsLeastWhereMembershipsAgree) {
    for (const double v : {0.2, 0.5, 0.9}) {
        const double rho = 0.5, sigma = 2, d = rho - sigma * std::log(v);
        EXPECT_NEAR(placement::membership_term(d, v, rho, sigma).slope, 0, 1e-2);
        const double step = 1e-6;
        for (const double at : {0.6, 2.0, 7.0}) {
            const auto term = placement::membership_term(at, v, rho, sigma);
            EXPECT_NEAR(term.slope, (placement::membership_term(at + step, v, rho, sigma).value - term.value) / step,
                        1e-4);
        }
    }
    EXPECT_EQ(placement::membership_term(0.2, 0.7, 0.5, 1).slope, 0);  // within rho
}

// --- whole calls

TEST(Invert, PlacesOfPointsLeadNearTheirRows) {
    const Index n = 900, cols = 8;
    const Sheet made = sheet(n, cols);
    const InverseResult found = invert(view_of(made.x, cols), made.map, made.map, {}, on_cpu);
    ASSERT_EQ(found.rows.rows(), n);
    EXPECT_LT(rmse(rows_of(found), made.x), 0.1);  // the columns have a deviation of 0.7
    EXPECT_EQ(*std::max_element(found.distance.begin(), found.distance.end()), 0);
    EXPECT_GT(found.neighbor_distance, 0);
    // Places between the points
    Map between{2, {}};
    std::vector<float> wanted;
    for (Index i = 0; i < 100; ++i) {
        const double u = 1 + 6 * made::uniform(i, 5), v = 1 + 6 * made::uniform(i, 6);
        between.coordinates.insert(between.coordinates.end(), {static_cast<float>(u), static_cast<float>(v)});
        for (Index c = 0; c < cols; ++c)
            wanted.push_back(static_cast<float>(std::sin(0.3 * (u * std::cos(c) + v * std::sin(c)) + c)));
    }
    EXPECT_LT(rmse(rows_of(invert(view_of(made.x, cols), made.map, between, {}, on_cpu)), wanted), 0.12);
}

TEST(Invert, ARowDependsOnNoOtherPlaceAndOnNoThreads) {
    const Index n = 300, cols = 5;
    for (const int dim : {1, 2, 3, 5}) {
        const std::vector<float> x = cloud(n, cols);
        const Map map{dim, cloud(n, dim, 2)}, places{dim, cloud(70, dim, 3)};
        const auto all = rows_of(invert(view_of(x, cols), map, places, {}, on_cpu));
        EXPECT_EQ(all, rows_of(invert(view_of(x, cols), map, places, {}, {.device = Device::cpu, .threads = 3})));
        for (const Index q : {0, 37, 69}) {
            const Map one{dim, {places.coordinates.begin() + q * dim, places.coordinates.begin() + (q + 1) * dim}};
            const auto row = rows_of(invert(view_of(x, cols), map, one, {}, on_cpu));
            EXPECT_TRUE(std::equal(row.begin(), row.end(), all.begin() + q * cols)) << dim;
        }
    }
}

TEST(Invert, TheUnitOfTheDataIsThatOfTheRows) {
    const Index n = 200, cols = 4;
    std::vector<float> x = cloud(n, cols);
    const Map map{2, cloud(n, 2, 2)}, places{2, cloud(20, 2, 3)};
    const auto rows = rows_of(invert(view_of(x, cols), map, places, {}, on_cpu));
    for (float& value : x) value *= 0x1p20F;
    const auto scaled = rows_of(invert(view_of(x, cols), map, places, {}, on_cpu));
    for (std::size_t k = 0; k < rows.size(); ++k) EXPECT_EQ(scaled[k], 0x1p20F * rows[k]);
}

TEST(Invert, NeighborsOrAStateInPlaceOfASearch) {
    const Index n = 300, cols = 5;
    const std::vector<float> x = cloud(n, cols);
    const auto points = view_of(x, cols);
    const Map map{2, cloud(n, 2, 2)}, places{2, cloud(20, 2, 3)};
    const auto wanted = rows_of(invert(points, map, places, {.k = 10}, on_cpu));
    const Graph lists = neighbors::search(points, {.k = 9}, on_cpu).graph;
    EXPECT_EQ(rows_of(invert(points, map, places, {.k = 10}, on_cpu, {.neighbors = &lists})), wanted);
    const placement::Placer placer(points, map, {.method = placement::Method::umap, .k = 10}, on_cpu);
    const placement::State& state = placer.state();
    EXPECT_EQ(rows_of(invert(points, map, places, {}, on_cpu, {.state = &state})), wanted);
    EXPECT_NE(refusal(Fault::bad_input, [&] { invert(points, map, places, {.k = 12}, on_cpu, {.state = &state}); }),
              "");
    const std::vector<float> others = cloud(n, cols, 9);
    EXPECT_NE(
        refusal(Fault::bad_input, [&] { invert(view_of(others, cols), map, places, {}, on_cpu, {.state = &state}); })
            .find("other points"),
        std::string::npos);
}

TEST(Invert, NoneOneAndCopies) {
    const std::vector<float> x = cloud(40, 3);
    const Map map{2, cloud(40, 2, 2)};
    EXPECT_EQ(invert(view_of(x, 3), map, Map{2, {}}, {}, on_cpu).rows.rows(), 0);
    const InverseResult one = invert({x.data(), 1, 3}, Map{2, {1, 2}}, Map{2, {5, 5, 1, 2}}, {}, on_cpu);
    EXPECT_EQ(rows_of(one), (std::vector<float>{x[0], x[1], x[2], x[0], x[1], x[2]}));
    EXPECT_EQ(one.distance, (std::vector<float>{5, 0}));
    const std::vector<float> same(120, 2.5F);
    for (const float value : rows_of(invert(view_of(same, 3), map, map, {}, on_cpu))) EXPECT_EQ(value, 2.5F);
    const Map at_one{2, std::vector<float>(80, 1.0F)};
    for (const float value : rows_of(invert(view_of(x, 3), at_one, at_one, {}, on_cpu)))
        EXPECT_TRUE(std::isfinite(value));
    // Far from all, in between, and without steps
    const Map far{2, {1e6F, -1e6F, 1e9F, 0}};
    for (const int steps : {0, 20})
        for (const float value : rows_of(invert(view_of(x, 3), map, far, {.steps = steps}, on_cpu)))
            EXPECT_LT(std::abs(value), 20);
    std::vector<float> nearest_alone = rows_of(invert(view_of(x, 3), map, map, {.nearest = 1}, on_cpu));
    EXPECT_EQ(nearest_alone, x);
}

TEST(Invert, IsRefusedByASentence) {
    const std::vector<float> x = cloud(40, 3);
    const Map map{2, cloud(40, 2, 2)};
    const auto lacks = [&](const char* words, const Map& places, const InverseOptions& options = {},
                           MatrixView<const float> points = {}, const Map* other = nullptr) {
        const std::string sentence = refusal(Fault::bad_input, [&] {
            invert(points.rows > 0 ? points : view_of(x, 3), other != nullptr ? *other : map, places, options, on_cpu);
        });
        EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
    };
    Map bad = map;
    bad.coordinates[7] = std::numeric_limits<float>::quiet_NaN();
    lacks("row 3", bad);
    lacks("row 3", map, {}, {}, &bad);
    lacks("3 dimensions", Map{3, {1, 2, 3}});
    lacks("nearest is 0", map, {.nearest = 0});
    lacks("only one of a and b", map, {.a = 1.0F});
    const std::vector<float> fewer = cloud(39, 3);
    lacks("39", map, {}, view_of(fewer, 3));
    std::vector<float> missing = x;
    missing[4] = std::numeric_limits<float>::quiet_NaN();
    lacks("row 1", map, {}, view_of(missing, 3));
    EXPECT_NE(refusal(Fault::out_of_memory,
                      [&] { invert(view_of(x, 3), map, map, {}, {.device = Device::cpu, .memory = 100}); }),
              "");
}

TEST(Invert, StopsWithoutRows) {
    const std::vector<float> x = cloud(400, 30);
    const Map map{2, cloud(400, 2, 2)}, places{2, cloud(5000, 2, 3)};
    std::stop_source source;
    dunlin::Run run = on_cpu;
    run.stop = source.get_token();
    Offset last = 0;
    run.on_progress = [&](const Progress& progress) {
        if (progress.stage == "inverse" && progress.done > 0) source.request_stop();
        last = progress.total;
    };
    const InverseResult result = invert(view_of(x, 30), map, places, {}, run);
    EXPECT_EQ(result.stopped, Stopped::cancelled);
    EXPECT_EQ(result.rows.rows(), 0);
    EXPECT_EQ(last, 5000);
}

}  // namespace
}  // namespace dunlin::umap

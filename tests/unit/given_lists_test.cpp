// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <dunlin/matrix_neighbors.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "cases/maps.hpp"
#include "descent/given.hpp"
#include "math/at.hpp"
#include "neighbors/nearest_lists.hpp"
#include "refusal.hpp"

/// Given lists of neighbors, and neighbors in a matrix of dissimilarities.
namespace dunlin::descent {
namespace {

constexpr Index n = 80, d = 4;

std::vector<float> points() { return made::cloud(n, d, 1, 7); }

Graph lists_of(const std::vector<float>& x, Index k) { return neighbors::search({x.data(), n, d}, {.k = k}).graph; }

/// The same lists, farthest first.
Graph reversed(Graph lists) {
    for (Index i = 0; i < lists.size(); ++i) {
        const Offset begin = lists.offsets[at(i)], end = lists.offsets[at(i) + 1];
        std::reverse(lists.targets.begin() + begin, lists.targets.begin() + end);
        std::reverse(lists.weights.begin() + begin, lists.weights.begin() + end);
    }
    // A list that only falls in every row would be taken for similarities
    std::swap(lists.targets[0], lists.targets[1]);
    std::swap(lists.weights[0], lists.weights[1]);
    return lists;
}

/// Without the last neighbor of a point.
Graph shortened(Graph lists, Index point) {
    const Offset last = lists.offsets[at(point) + 1] - 1;
    lists.targets.erase(lists.targets.begin() + last);
    lists.weights.erase(lists.weights.begin() + last);
    for (std::size_t i = at(point) + 1; i < lists.offsets.size(); ++i) --lists.offsets[i];
    return lists;
}

Matrix matrix_of(const std::vector<float>& x) {
    std::vector<float> values(at(Offset{n} * n));
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j)
            values[at(Offset{i} * n + j)] = static_cast<float>(std::sqrt(made::distance2({x.data(), n, d}, i, j)));
    }
    return {n, n, std::move(values)};
}

TEST(GivenLists, TheNearestThatKAsksForAreRead) {
    device::Cpu cpu(2);
    const std::vector<float> x = points();
    const Graph many = reversed(lists_of(x, 20)), few = lists_of(x, 6);
    const Graph nearest = nearest_given(cpu, many, {.asked = 6});
    EXPECT_EQ(nearest.targets, few.targets);
    EXPECT_EQ(nearest.weights, few.weights);
    EXPECT_EQ(nearest_given(cpu, many, {}).size(), 0);
    EXPECT_EQ(nearest_given(cpu, few, {.asked = 6}).size(), 0);
    EXPECT_EQ(nearest_given(cpu, many, {.asked = 6, .cuts = false}).size(), 0);
    EXPECT_EQ(nearest_given(cpu, Graph{{0}, {}, {}}, {.asked = 6}).size(), 0);
}

TEST(GivenLists, FewerThanKAsksForIsAnError) {
    const Graph lists = shortened(lists_of(points(), 10), 7);
    require_listed(lists, {.asked = 9});
    const auto says = [&](const ListRule& rule) {
        return refusal(Fault::bad_input, [&] { require_listed(lists, rule); });
    };
    EXPECT_NE(says({.asked = 10}).find("k is 10, but of row 7"), std::string::npos) << says({.asked = 10});
    EXPECT_NE(says({.asked = 10, .counts_itself = true}).find("k is 11"), std::string::npos);
    EXPECT_NE(says({.asked = 10, .cuts = false}), "");
    require_listed(lists_of(points(), n - 1), {.asked = 500});  // all there are
}

TEST(GivenLists, MethodsReadKOfThem) {
    const std::vector<float> x = points();
    const MatrixView<const float> view{x.data(), n, d};
    const Graph many = lists_of(x, 30), nine = lists_of(x, 9);
    const auto umap = umap::embed(view, {.k = 10, .iterations = 20}, {}, {.neighbors = &many});
    EXPECT_EQ(umap.options.k, 10);
    EXPECT_EQ(umap.map.coordinates, umap::embed(view, {.iterations = 20}, {}, {.neighbors = &nine}).map.coordinates);
    EXPECT_EQ(umap::embed(view, {.iterations = 0}, {}, {.neighbors = &many}).options.k, 31);
    const auto tsne = tsne::embed(view, {.k = 9, .iterations = 20}, {}, {.neighbors = &many});
    EXPECT_EQ(tsne.options.k, 9);
    EXPECT_EQ(tsne.options.perplexity, 3);
    EXPECT_EQ(tsne.map.coordinates, tsne::embed(view, {.iterations = 20}, {}, {.neighbors = &nine}).map.coordinates);
    const auto pacmap = pacmap::embed(view, {.k = 5, .iterations = "5,5,5"}, {}, {.neighbors = &many});
    EXPECT_EQ(pacmap.options.k, 5);
    EXPECT_NE(refusal(Fault::bad_input, [&] { umap::embed(view, {.k = 11}, {}, {.neighbors = &nine}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { tsne::embed(view, {.k = 10}, {}, {.neighbors = &nine}); }), "");
    EXPECT_NE(refusal(Fault::bad_input, [&] { pacmap::embed(view, {.k = 10}, {}, {.neighbors = &nine}); }), "");
}

TEST(MatrixNeighbors, AreThoseOfThePoints) {
    const std::vector<float> x = points();
    const Matrix matrix = matrix_of(x);
    for (const Index k : {1, 7, n - 1, n + 5}) {
        const neighbors::Result found = neighbors::search_matrix(matrix.view(), k);
        const Graph wanted = lists_of(x, k);
        EXPECT_EQ(found.graph.targets, wanted.targets);
        EXPECT_EQ(found.graph.offsets, wanted.offsets);
        EXPECT_EQ(found.options.k, std::min(k, n - 1));
        EXPECT_EQ(found.options.method, neighbors::Method::exact);
    }
}

TEST(MatrixNeighbors, TiesGoByItem) {
    std::vector<float> equal(25, 1.0F);
    for (std::size_t i = 0; i < 5; ++i) equal[i * 6] = 0;
    const Graph found = neighbors::search_matrix(Matrix(5, 5, equal).view(), 2).graph;
    EXPECT_EQ(found.targets, (std::vector<Index>{1, 2, 0, 2, 0, 1, 0, 1, 0, 1}));
    EXPECT_EQ(neighbors::search_matrix(Matrix(1, 1, {0.0F}).view(), 3).graph.size(), 1);
}

TEST(MatrixNeighbors, WhatIsNoDissimilarityIsRefused) {
    const auto says = [](std::vector<float> values) {
        const Matrix matrix(3, 3, std::move(values));
        return refusal(Fault::bad_input, [&] { neighbors::search_matrix(matrix.view(), 1); });
    };
    const float missing = std::nanf("");
    EXPECT_NE(says({0, 1, 2, 1, 0, -3, 2, -3, 0}).find("row 1 (counting from 0) has the dissimilarity -3 to item 2"),
              std::string::npos);
    EXPECT_NE(says({0, 1, 2, 1, 0, 3, 2, 3, 4}).find("itself"), std::string::npos);
    EXPECT_NE(says({0, missing, missing, missing, 0, 3, missing, 3, 0}).find("row 0"), std::string::npos);
    const Matrix wide(2, 3, std::vector<float>(6));
    EXPECT_NE(refusal(Fault::bad_input, [&] { neighbors::search_matrix(wide.view(), 1); }), "");
}

TEST(MatrixNeighbors, MissingOnesAreNoNeighbors) {
    const float missing = std::nanf("");
    std::string said;
    dunlin::Run run;
    run.on_notice = [&](Notice, const std::string& sentence) { said += sentence; };
    const Matrix matrix(3, 3, {0, missing, 1, missing, 0, 3, 1, 3, missing});
    const Graph found = neighbors::search_matrix(matrix.view(), 2, run).graph;
    EXPECT_EQ(found.offsets, (std::vector<Offset>{0, 1, 2, 4}));
    EXPECT_EQ(found.targets, (std::vector<Index>{2, 2, 0, 1}));
    EXPECT_EQ(found.weights, (std::vector<float>{1, 3, 1, 3}));
    EXPECT_TRUE(said.starts_with("2 of 3 items")) << said;
}

TEST(MatrixNeighbors, MapsOfAMatrixAreThoseOfThePoints) {
    const std::vector<float> x = points();
    const MatrixView<const float> view{x.data(), n, d};
    const Matrix matrix = matrix_of(x);
    const auto tsne = tsne::embed(view, {.iterations = 30}, {}, {.dissimilarities = &matrix});
    EXPECT_EQ(tsne.map.coordinates, tsne::embed(view, {.iterations = 30}).map.coordinates);
    EXPECT_EQ(tsne.options.search, neighbors::Method::exact);
    const auto umap = umap::embed(view, {.iterations = 30}, {}, {.dissimilarities = &matrix});
    EXPECT_EQ(umap.map.coordinates, umap::embed(view, {.iterations = 30}).map.coordinates);
    EXPECT_EQ(umap.options.k, 15);
    EXPECT_NE(refusal(Fault::bad_input, [&] { pacmap::embed(view, {}, {}, {.dissimilarities = &matrix}); }), "");
    const Graph lists = lists_of(x, 9);
    EXPECT_NE(refusal(Fault::bad_input,
                      [&] { umap::embed(view, {}, {}, {.neighbors = &lists, .dissimilarities = &matrix}); }),
              "");
}

}  // namespace
}  // namespace dunlin::descent

// SPDX-License-Identifier: Apache-2.0
// Maps on a line: t-SNE, layouts, packing and overlaps in one dimension.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <dunlin/layout.hpp>
#include <dunlin/overlap.hpp>
#include <dunlin/scores.hpp>
#include <dunlin/tsne.hpp>

#include "arrange/pack.hpp"
#include "forces/attraction/attraction.hpp"
#include "forces/exact/exact.hpp"
#include "forces/line.hpp"
#include "forces/tree/tree.hpp"
#include "layout/coarsest.hpp"
#include "math/at.hpp"
#include "math/rng.hpp"
#include "refusal.hpp"

namespace dunlin {
namespace {

/// An undirected graph: every edge in both directions.
Graph graph_of(Index n, std::vector<std::pair<Index, Index>> edges) {
    const auto pairs = edges.size();
    for (std::size_t e = 0; e < pairs; ++e) edges.emplace_back(edges[e].second, edges[e].first);
    std::sort(edges.begin(), edges.end());
    Graph graph;
    graph.offsets.assign(at(n) + 1, 0);
    for (const auto& [source, target] : edges) {
        ++graph.offsets[at(source) + 1];
        graph.targets.push_back(target);
        graph.weights.push_back(1);
    }
    std::partial_sum(graph.offsets.begin(), graph.offsets.end(), graph.offsets.begin());
    return graph;
}

/// Vertex i of a path has a number that does not tell its place.
Index shuffled(Index i, Index n) { return static_cast<Index>(Offset{i} * 617 % n); }

Graph path(Index n) {
    std::vector<std::pair<Index, Index>> edges;
    for (Index i = 1; i < n; ++i) edges.emplace_back(shuffled(i - 1, n), shuffled(i, n));
    return graph_of(n, edges);
}

Graph grid(Index width) {
    std::vector<std::pair<Index, Index>> edges;
    for (Index v = 0; v < width * width; ++v) {
        if (v % width > 0) edges.emplace_back(v - 1, v);
        if (v >= width) edges.emplace_back(v - width, v);
    }
    return graph_of(width * width, edges);
}

Graph binary_tree(Index n) {
    std::vector<std::pair<Index, Index>> edges;
    for (Index v = 1; v < n; ++v) edges.emplace_back((v - 1) / 2, v);
    return graph_of(n, edges);
}

/// Rank of each coordinate.
std::vector<double> ranks(const std::vector<float>& x) {
    std::vector<Index> order(x.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return x[at(a)] < x[at(b)]; });
    std::vector<double> rank(x.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[at(order[i])] = static_cast<double>(i);
    return rank;
}

/// Spearman's correlation of a path's map with its order, without sign.
double spearman_of_path(const Map& map) {
    const Index n = map.size();
    const std::vector<double> rank = ranks(map.coordinates);
    const double mean = (n - 1) / 2.0;
    double product = 0, square = 0;
    for (Index i = 0; i < n; ++i) {
        product += (i - mean) * (rank[at(shuffled(i, n))] - mean);
        square += (i - mean) * (i - mean);
    }
    return std::abs(product / square);
}

constexpr layout::Method all_methods[] = {
    layout::Method::multilevel,  layout::Method::eades,     layout::Method::fruchterman_reingold,
    layout::Method::forceatlas2, layout::Method::annealing, layout::Method::stress};

TEST(OnALine, ForcesHaveNoSecondComponent) {
    device::Cpu cpu(2);
    const Index n = 700;
    std::vector<float> line;
    for (std::uint64_t i = 0; i < n; ++i) line.push_back(static_cast<float>(9 * math::random_normal(3, i)));
    line[5] = line[6];
    const std::vector<float> plane = forces::in_plane(cpu, line);
    EXPECT_EQ(forces::on_line(plane), line);
    const MatrixView<const float> y{plane.data(), n, 2};
    std::vector<float> exact(plane.size(), 1), tree(plane.size(), 1), attraction(plane.size(), 1);
    device::Cell<double> mass, tree_mass;
    forces::repel_exact<forces::StudentT>(cpu, y, {exact.data(), n, 2}, mass);
    forces::Tree<forces::StudentT>(0.3F).repel(cpu, y, {tree.data(), n, 2}, tree_mass);
    forces::attract(cpu, forces::StudentT(), path(n), y, {attraction.data(), n, 2});
    for (std::size_t i = 1; i < plane.size(); i += 2) {
        EXPECT_EQ(exact[i], 0);
        EXPECT_EQ(tree[i], 0);
        EXPECT_EQ(attraction[i], 0);
    }
    EXPECT_NEAR(tree_mass.value, mass.value, 0.01 * mass.value);
    double square = 0, error = 0;
    for (std::size_t i = 0; i < plane.size(); i += 2) {
        square += std::pow(static_cast<double>(exact[i]), 2);
        error += std::pow(static_cast<double>(exact[i] - tree[i]), 2);
    }
    EXPECT_LT(std::sqrt(error / square), 0.02);
}

// --- t-SNE

/// Two groups of points, far apart.
std::vector<float> two_groups(Index n, Index cols) {
    std::vector<float> x;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(Offset{n} * cols); ++i) {
        const bool second = static_cast<Index>(i) / cols >= n / 2;
        x.push_back(static_cast<float>(math::random_normal(4, i) + (second ? 8 : 0)));
    }
    return x;
}

TEST(TsneOnALine, SeparatesTwoGroups) {
    const Index n = 300;
    const std::vector<float> x = two_groups(n, 6);
    for (const auto repulsion : {tsne::Repulsion::automatic, tsne::Repulsion::exact, tsne::Repulsion::tree}) {
        const tsne::Result result = tsne::embed({x.data(), n, 6}, {.dim = 1, .repulsion = repulsion});
        ASSERT_EQ(result.map.dim, 1);
        ASSERT_EQ(result.map.size(), n);
        EXPECT_EQ(result.options.dim, 1);
        const auto& y = result.map.coordinates;
        const auto [low1, high1] = std::minmax_element(y.begin(), y.begin() + n / 2);
        const auto [low2, high2] = std::minmax_element(y.begin() + n / 2, y.end());
        EXPECT_TRUE(*high1 < *low2 || *high2 < *low1) << name_of(repulsion);
        EXPECT_GT(scores::trustworthiness({x.data(), n, 6}, result.map).value, 0.75);
    }
}

TEST(TsneOnALine, KlIsThatOfTheLine) {
    const Index n = 60;
    const std::vector<float> x = two_groups(n, 3);
    const Graph neighbors = neighbors::search({x.data(), n, 3}, {.k = 30}).graph;
    const Graph p = tsne::affinities(neighbors, 10);
    const Map start{1, std::vector<float>(x.begin(), x.begin() + n)};
    const tsne::Result result = tsne::embed(p, start, {.iterations = 70});
    double z = 0, cost = 0;
    const auto q = [&](Index i, Index j) {
        return 1 / (1 + std::pow(static_cast<double>(result.map.view()(i, 0) - result.map.view()(j, 0)), 2));
    };
    for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) z += i == j ? 0 : q(i, j);
        for (Offset e = p.offsets[at(i)]; e < p.offsets[at(i) + 1]; ++e) {
            const auto weight = static_cast<double>(p.weights[at(e)]);
            if (weight > 0) cost += weight * std::log(weight / q(i, p.targets[at(e)]));
        }
    }
    EXPECT_NEAR(result.kl, cost + std::log(z), 1e-4);
    EXPECT_NEAR(scores::kl(p, result.map).value, result.kl, 1e-6);
}

TEST(TsneOnALine, TinyInputsSnapshotsAndEqualBytes) {
    for (const Index n : {1, 2, 3, 33, 1200}) {
        const std::vector<float> x = two_groups(n, 3);
        const tsne::Options options{.dim = 1, .iterations = 60, .exaggerated_iterations = 30};
        const tsne::Result one = tsne::embed({x.data(), n, 3}, options, {.threads = 1});
        ASSERT_EQ(one.map.coordinates.size(), at(n));
        for (const float value : one.map.coordinates) EXPECT_TRUE(std::isfinite(value)) << n;
        dunlin::Run watched{.threads = 3};
        watched.snapshot_every = 20;
        watched.on_progress = [&](const Progress& progress) {
            if (!progress.coordinates.empty()) {
                EXPECT_EQ(progress.coordinates.size(), at(n));
            }
        };
        EXPECT_EQ(tsne::embed({x.data(), n, 3}, options, watched).map.coordinates, one.map.coordinates) << n;
    }
    // Equal points
    const std::vector<float> same(40, 1.5F);
    for (const float value : tsne::embed({same.data(), 20, 2}, {.dim = 1, .iterations = 60}).map.coordinates)
        EXPECT_TRUE(std::isfinite(value));
}

TEST(TsneOnALine, TheGridIsRefusedAndSoIsAStartOfOtherDimensions) {
    const std::vector<float> x = two_groups(50, 3);
    const auto with = [&](tsne::Repulsion repulsion) {
        return refusal(Fault::bad_input, [&] { tsne::embed({x.data(), 50, 3}, {.dim = 1, .repulsion = repulsion}); });
    };
    EXPECT_NE(with(tsne::Repulsion::grid).find("dim is 1"), std::string::npos);
    EXPECT_NE(with(tsne::Repulsion::adaptive).find("dim is 1"), std::string::npos);
    const Map start{4, std::vector<float>(200, 1)};
    EXPECT_NE(refusal(Fault::bad_input, [&] { tsne::embed({x.data(), 50, 3}, {}, {}, {.start = &start}); }).find("dim"),
              std::string::npos);
}

// --- layouts

TEST(LayoutOnALine, APathComesOutInOrder) {
    for (const layout::Method method : all_methods) {
        const Index n = method == layout::Method::annealing || method == layout::Method::eades ? 100 : 1000;
        const layout::Result result = layout::place(path(n), {.method = method, .dim = 1});
        ASSERT_EQ(result.map.dim, 1) << name_of(method);
        ASSERT_EQ(result.map.size(), n);
        EXPECT_GE(spearman_of_path(result.map), 0.99) << name_of(method);
    }
    EXPECT_GE(spearman_of_path(layout::place(path(12000), {.dim = 1}).map), 0.99);
}

/// Stress of the first axis of classical scaling, the spectral order.
double spectral_stress(const Graph& graph) {
    device::Cpu cpu(2);
    const std::vector<float> distances = layout::all_distances(cpu, {&graph, {}});
    return scores::scaled_stress(graph, layout::classical_scaling(cpu, distances, graph.size(), 1, 1)).value;
}

TEST(LayoutOnALine, GridAndTreeHaveNoMoreStressThanTheSpectralOrder) {
    for (const Graph& graph : {grid(20), binary_tree(500)}) {
        const double spectral = spectral_stress(graph);
        for (const layout::Method method : {layout::Method::multilevel, layout::Method::stress}) {
            const layout::Result result = layout::place(graph, {.method = method, .dim = 1});
            EXPECT_LE(scores::scaled_stress(graph, result.map).value, spectral + 0.005) << name_of(method);
        }
    }
}

TEST(LayoutOnALine, FewVerticesComponentsAndEqualBytes) {
    for (const layout::Method method : all_methods) {
        for (const Index n : {0, 1, 2, 3}) {
            const layout::Result result = layout::place(path(n), {.method = method, .dim = 1});
            ASSERT_EQ(result.map.coordinates.size(), at(n)) << name_of(method);
            for (const float x : result.map.coordinates) EXPECT_TRUE(std::isfinite(x)) << name_of(method) << n;
        }
        // A path of three, an edge, and a single vertex
        const Graph pieces = graph_of(6, {{0, 1}, {1, 2}, {3, 4}});
        const layout::Result one = layout::place(pieces, {.method = method, .dim = 1}, {.threads = 1});
        const auto extent = [&](Index begin, Index end) {
            const auto from = one.map.coordinates.begin();
            const auto [low, high] = std::minmax_element(from + begin, from + end);
            return std::pair{*low, *high};
        };
        EXPECT_GE(extent(3, 5).first, extent(0, 3).second + 2.99F) << name_of(method);
        EXPECT_GE(extent(5, 6).first, extent(3, 5).second + 2.99F) << name_of(method);
        EXPECT_EQ(layout::place(pieces, {.method = method, .dim = 1}, {.threads = 4}).map.coordinates,
                  one.map.coordinates)
            << name_of(method);
    }
}

TEST(LayoutOnALine, PinnedVerticesStayAndAStartIsUsed) {
    const Map start{1, {0, 1, 2, 3, 40}};
    const std::vector<std::uint8_t> pinned{1, 0, 0, 0, 1};
    for (const layout::Method method : all_methods) {
        const layout::Result result =
            layout::place(graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), {.method = method, .dim = 1}, {},
                          {.start = &start, .pinned = pinned});
        ASSERT_EQ(result.map.dim, 1);
        EXPECT_EQ(result.map.coordinates[0], 0) << name_of(method);
        EXPECT_EQ(result.map.coordinates[4], 40) << name_of(method);
    }
}

TEST(LayoutOnALine, WhatALineDoesNotHaveIsRefused) {
    const auto refused = [](const layout::Options& options) {
        return refusal(Fault::bad_input, [&] { layout::place(path(4), options); });
    };
    EXPECT_NE(refused({.dim = 1, .repulsion = layout::Repulsion::grid}).find("dim is 1"), std::string::npos);
    EXPECT_NE(refused({.method = layout::Method::annealing, .dim = 1, .crossing = 2.0F}).find("dim is 1"),
              std::string::npos);
    const scores::LayoutScores scores = scores::evaluate(path(9), layout::place(path(9), {.dim = 1}).map, {});
    EXPECT_TRUE(scores.scaled_stress && scores.neighborhood_preservation && scores.edge_length_cv);
    EXPECT_FALSE(scores.crossings || scores.min_angle);
}

// --- packing and overlaps

TEST(PackOnALine, ComponentsFollowEachOtherTheLongestFirst) {
    graph::Components components;
    components.of = {0, 0, 1, 1, 2};
    components.members = {0, 1, 2, 3, 4};
    components.offsets = {0, 2, 4, 5};
    Map map{1, {-1, 1, -4, 4, 0}};
    device::Cpu cpu(2);
    arrange::pack(cpu, map, components, std::vector<float>{0, 0, 1, 1, 2}, 0.5F);
    // The second component spans 10 with its discs, the third 4, the first 2
    EXPECT_EQ(map.coordinates, (std::vector<float>{10, 12, -4, 4, 7.5F}));
}

TEST(OverlapOnALine, TheLeastMovesInOrder) {
    Map map{1, {0, 0.5F, 10}};
    EXPECT_EQ(layout::remove_overlaps(map, std::vector<float>{1, 1, 1}), 1);
    EXPECT_EQ(map.coordinates, (std::vector<float>{-0.75F, 1.25F, 10}));
    EXPECT_EQ(layout::remove_overlaps(map, std::vector<float>{1, 1, 1}), 0);
    EXPECT_EQ(map.coordinates, (std::vector<float>{-0.75F, 1.25F, 10}));
}

TEST(OverlapOnALine, NoneIsLeft) {
    for (const Index n : {0, 1, 2, 50, 2000}) {
        Map map{1, {}};
        std::vector<float> radii;
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) {
            map.coordinates.push_back(i % 5 == 0 ? 1.0F : static_cast<float>(300 * math::random_normal(1, i)));
            radii.push_back(i % 7 == 0 ? 0 : static_cast<float>(math::random_uniform(2, i)));
        }
        const std::vector<float> before = map.coordinates;
        layout::remove_overlaps(map, radii, 0.1F);
        for (std::size_t a = 0; a < before.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const double apart =
                    std::abs(static_cast<double>(map.coordinates[a]) - static_cast<double>(map.coordinates[b]));
                ASSERT_GE(apart,
                          static_cast<double>(radii[a]) + static_cast<double>(radii[b]) + static_cast<double>(0.1F));
                if (before[a] < before[b]) {
                    ASSERT_LT(map.coordinates[a], map.coordinates[b]);
                }
            }
        }
    }
}

}  // namespace
}  // namespace dunlin

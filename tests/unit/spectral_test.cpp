// SPDX-License-Identifier: Apache-2.0
#include "initialization/spectral.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <dunlin/io.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/umap.hpp>

#include "graph/coarsen.hpp"
#include "initialization/initial_map.hpp"
#include "initialization/spectral_block.hpp"
#include "math/at.hpp"

namespace dunlin::initialization {
namespace {

/// Adds both directions of an edge of weight w.
void join(std::vector<std::vector<std::pair<Index, float>>>& rows, Index a, Index b, float w = 1) {
    rows[at(a)].emplace_back(b, w);
    rows[at(b)].emplace_back(a, w);
}

Graph graph_of(const std::vector<std::vector<std::pair<Index, float>>>& rows) {
    Graph graph;
    for (const auto& row : rows) {
        for (const auto& [target, weight] : row) graph.targets.push_back(target), graph.weights.push_back(weight);
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    return graph;
}

Graph circle(Index n) {
    std::vector<std::vector<std::pair<Index, float>>> rows(at(n));
    for (Index i = 0; i < n; ++i) join(rows, i, (i + 1) % n);
    return graph_of(rows);
}

/// w x h vertices, numbered row by row.
Graph lattice(Index w, Index h) {
    std::vector<std::vector<std::pair<Index, float>>> rows(at(Offset{w} * h));
    for (Index y = 0; y < h; ++y) {
        for (Index x = 0; x < w; ++x) {
            if (x + 1 < w) join(rows, y * w + x, y * w + x + 1);
            if (y + 1 < h) join(rows, y * w + x, y * w + w + x);
        }
    }
    return graph_of(rows);
}

/// |correlation| of a column with values.
double correlation(const std::vector<float>& map, int dim, int axis, const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto own = static_cast<double>(map[i * at(dim) + at(axis)]);
        x += own / n, y += values[i] / n;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto own = static_cast<double>(map[i * at(dim) + at(axis)]) - x;
        xx += own * own, yy += (values[i] - y) * (values[i] - y), xy += own * (values[i] - y);
    }
    return std::abs(xy) / std::sqrt(xx * yy);
}

Map start_of(Index n, int dim) { return random_start(n, dim, 1, 5); }

TEST(Spectral, ACircleBecomesACircle) {
    for (const Index n : {50, 399, 401, 3000}) {
        device::Cpu cpu(2);
        const Map map = spectral_start(cpu, circle(n), start_of(n, 2), 1, 1);
        std::vector<double> radius;
        for (Index i = 0; i < n; ++i)
            radius.push_back(std::hypot(static_cast<double>(map.coordinates[at(2 * i)]),
                                        static_cast<double>(map.coordinates[at(2 * i + 1)])));
        const auto [least, most] = std::minmax_element(radius.begin(), radius.end());
        EXPECT_GT(*least / *most, 0.85) << n;  // noise of a hundredth, and a hundredth of a radian between neighbors
    }
}

TEST(Spectral, ALatticeGetsItsCosines) {
    const Index w = 90, h = 50;
    device::Cpu cpu(2);
    const auto same = [](const Graph& graph) -> const Graph& { return graph; };
    const Graph graph = lattice(w, h);
    for (const int dim : {1, 2, 3}) {
        const std::vector<float> map = eigenmap(cpu, graph::Level{&graph, {}}, dim, 3, same);
        std::vector<double> across, along, twice;
        for (Index i = 0; i < w * h; ++i) {
            across.push_back(std::cos(std::numbers::pi * (i % w + 0.5) / w));
            along.push_back(std::cos(std::numbers::pi * (i / w + 0.5) / h));
            twice.push_back(std::cos(2 * std::numbers::pi * (i % w + 0.5) / w));
        }
        EXPECT_GT(correlation(map, dim, 0, across), 0.98) << dim;
        if (dim > 1) {
            EXPECT_GT(correlation(map, dim, 1, along), 0.95) << dim;
        }
        if (dim > 2) {
            EXPECT_GT(correlation(map, dim, 2, twice), 0.9) << dim;
        }
    }
}

TEST(Spectral, RefinedVectorsAreThoseOfTheMatrix) {
    // Above and below the size of the dense solution: a hierarchy against LAPACK
    const Index n = 900;
    std::vector<float> x(at(Offset{n} * 4));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(math::random_normal(8, i) + (i % 4 == 0 ? 4.0 * static_cast<double>(i / 4 % 3) : 0));
    const Graph graph = umap::memberships(neighbors::search({x.data(), n, 4}, {.k = 14}).graph);
    device::Cpu cpu(2);
    const auto same = [](const Graph& on_host) -> const Graph& { return on_host; };
    const std::vector<float> map = eigenmap(cpu, graph::Level{&graph, {}}, 2, 1, same);
    const std::vector<float> exact = dense_vectors(graph, 2, 1);
    std::vector<double> degree(at(n));
    for (Index i = 0; i < n; ++i) {
        for (Offset e = graph.offsets[at(i)]; e < graph.offsets[at(i) + 1]; ++e)
            degree[at(i)] += static_cast<double>(graph.weights[at(e)]);
    }
    for (int axis = 0; axis < 2; ++axis) {
        std::vector<double> wanted;
        for (Index i = 0; i < n; ++i)
            wanted.push_back(static_cast<double>(exact[at(2 * i + axis)]) / std::sqrt(degree[at(i)]));
        EXPECT_GT(correlation(map, 2, axis, wanted), 0.99) << axis;
    }
}

TEST(Spectral, TheSameBytesForAnyNumberOfThreads) {
    const Graph graph = lattice(70, 60);
    const auto map = [&](int threads) {
        device::Cpu cpu(threads);
        return spectral_start(cpu, graph, start_of(4200, 2), 1, 1).coordinates;
    };
    const auto one = map(1);
    EXPECT_EQ(one, map(2));
    EXPECT_EQ(one, map(3));
}

TEST(Spectral, ComponentsBeginWhereTheyAre) {
    // Two circles, a pair and a single point; the start puts them far apart
    std::vector<std::vector<std::pair<Index, float>>> rows(63);
    for (Index i = 0; i < 30; ++i) join(rows, i, (i + 1) % 30), join(rows, 30 + i, 30 + (i + 1) % 30);
    join(rows, 60, 61);
    Map start = random_start(63, 2, 0.5, 2);
    for (Index i = 0; i < 63; ++i) start.coordinates[at(2 * i)] += i < 30 ? -20.0F : i < 60 ? 20.0F : 0.0F;
    device::Cpu cpu(1);
    const Map map = spectral_start(cpu, graph_of(rows), start, 1, 1);
    for (const Index first : {0, 30}) {
        double center = 0, wanted = 0, squares = 0, wanted_squares = 0;
        for (Index i = first; i < first + 30; ++i) {
            center += static_cast<double>(map.coordinates[at(2 * i)]) / 30;
            wanted += static_cast<double>(start.coordinates[at(2 * i)]) / 30;
        }
        for (Index i = first; i < first + 30; ++i) {
            squares += std::pow(static_cast<double>(map.coordinates[at(2 * i)]) - center, 2);
            wanted_squares += std::pow(static_cast<double>(start.coordinates[at(2 * i)]) - wanted, 2);
        }
        EXPECT_NEAR(center, wanted, 0.05);
        EXPECT_LT(squares, 5 * wanted_squares);
    }
    for (Index i = 60; i < 63; ++i) EXPECT_EQ(map.coordinates[at(2 * i)], start.coordinates[at(2 * i)]);
}

TEST(Spectral, DegenerateGraphs) {
    device::Cpu cpu(1);
    const auto finite = [](const Map& map) {
        return std::all_of(map.coordinates.begin(), map.coordinates.end(), [](float y) { return std::isfinite(y); });
    };
    for (const int dim : {1, 2, 3}) {
        for (const Index n : {0, 1, 2, 3, 4, 5}) {
            Graph empty;
            empty.offsets.assign(at(n) + 1, 0);
            EXPECT_TRUE(finite(spectral_start(cpu, empty, start_of(n, dim), 1, 1))) << n;
            if (n > 2) {
                EXPECT_TRUE(finite(spectral_start(cpu, circle(n), start_of(n, dim), 1, 1))) << n;
            }
        }
        // A star, a complete graph, edges of weight 0
        std::vector<std::vector<std::pair<Index, float>>> star(1000), complete(30);
        for (Index i = 1; i < 1000; ++i) join(star, 0, i);
        for (Index i = 0; i < 30; ++i) {
            for (Index j = 0; j < i; ++j) join(complete, i, j);
        }
        EXPECT_TRUE(finite(spectral_start(cpu, graph_of(star), start_of(1000, dim), 1, 1)));
        EXPECT_TRUE(finite(spectral_start(cpu, graph_of(complete), start_of(30, dim), 1, 1)));
        for (const Index n : {30, 2000}) {
            Graph weak = circle(n);
            for (std::size_t e = 0; e < weak.weights.size(); e += 3) weak.weights[e] = 0;
            EXPECT_TRUE(finite(spectral_start(cpu, weak, start_of(n, dim), 1, 1)));
            std::fill(weak.weights.begin(), weak.weights.end(), 0.0F);
            EXPECT_TRUE(finite(spectral_start(cpu, weak, start_of(n, dim), 1, 1)));
        }
    }
}

TEST(Spectral, IsAStartOfTsneAndUmap) {
    const io::Points digits = io::read_points(std::filesystem::path(DUNLIN_EXAMPLES) / "digits.csv.gz");
    const auto points = digits.values.view();
    const dunlin::Run run{.device = Device::cpu};
    const auto t = tsne::embed(points, {.start = tsne::Start::spectral, .iterations = 0}, run);
    const auto u = umap::embed(points, {.start = umap::Start::spectral, .iterations = 0}, run);
    double squares = 0, largest = 0;
    for (std::size_t i = 0; i < t.map.coordinates.size(); i += 2)
        squares += std::pow(static_cast<double>(t.map.coordinates[i]), 2) / points.rows;
    for (const float y : u.map.coordinates) largest = std::max(largest, std::abs(static_cast<double>(y)));
    EXPECT_NEAR(std::sqrt(squares), 1e-4, 1e-5);
    EXPECT_NEAR(largest, 10, 1e-4);
    const double spectral = tsne::embed(points, {.start = tsne::Start::spectral}, run).kl;
    EXPECT_NEAR(spectral, tsne::embed(points, {}, run).kl, 0.05);
}

}  // namespace
}  // namespace dunlin::initialization

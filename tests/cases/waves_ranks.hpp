// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/waves.hpp>

#include "math/at.hpp"
#include "math/rng.hpp"

/// Simulations whose bytes do not depend on the number of ranks: all domains, models and explicit schemes, noise,
/// stimuli, currents and snapshots.
namespace dunlin::waves {

struct RankCase {
    std::string name;
    Domain shape = {};
    Options options = {};
    std::vector<Stimulus> stimuli = {};
    std::vector<double> snapshots = {};
    bool has_current = false;
    Graph edges = {};  ///< of a domain that is a graph

    std::vector<double> v = {}, w = {}, current = {};

    [[nodiscard]] Domain domain() const { return edges.size() == 0 ? shape : Domain::on(edges); }
    [[nodiscard]] Given given() const {
        return {.v = v, .w = w, .stimuli = stimuli, .current = current, .snapshots = snapshots};
    }
};

/// A ring of n vertices, each with edges to the next `reach` ones, and vertex 0 with edges to all: a hub.
inline Graph wheel(Index n, Index reach) {
    std::vector<std::vector<Index>> rows(at(n));
    const auto join = [&](Index a, Index b) {
        if (a == b) return;
        for (auto [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
            auto& row = rows[at(from)];
            const auto place = std::lower_bound(row.begin(), row.end(), to);
            if (place == row.end() || *place != to) row.insert(place, to);
        }
    };
    for (Index i = 0; i < n; ++i) {
        for (Index k = 1; k <= reach; ++k) join(i, (i + k) % n);
        join(0, i);
    }
    Graph graph;
    graph.offsets = {0};
    for (Index i = 0; i < n; ++i) {
        for (const Index target : rows[at(i)]) {
            graph.targets.push_back(target);
            graph.weights.push_back(0.25F + 0.5F * static_cast<float>((i + target) % 3));
        }
        graph.offsets.push_back(std::ssize(graph.targets));
    }
    return graph;
}

/// `scale` multiplies the long axes of some.
inline std::vector<RankCase> rank_cases(Index scale) {
    std::vector<RankCase> cases;
    const auto add = [&](RankCase made) {
        made.options.steps = made.options.steps < 1000 ? made.options.steps : 101;
        const auto n = at(made.domain().size());
        for (std::size_t i = 0; i < n; ++i) made.v.push_back(1.2 * math::random_uniform(5, i, 0) - 0.2);
        const Model model = made.options.model;
        if (model == Model::fitzhugh_nagumo || model == Model::gray_scott) {
            for (std::size_t i = 0; i < n; ++i) made.w.push_back(0.1 * math::random_uniform(5, i, 1));
        }
        for (std::size_t i = 0; i < n && made.has_current; ++i)
            made.current.push_back(0.02 * math::random_uniform(5, i, 2));
        cases.push_back(std::move(made));
    };
    for (const Index n : {1, 2, 3, 31, 1000, 20'000}) {
        for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::rkc}) {
            for (const bool is_ring : {false, true}) {
                const Domain shape = is_ring ? Domain::ring(n * scale, 0.5) : Domain::line(n * scale, 0.5);
                add({.name = std::to_string(n * scale) + (is_ring ? " of a ring, scheme " : " of a line, scheme ") +
                             std::to_string(static_cast<int>(scheme)),
                     .shape = shape,
                     .options = {.scheme = scheme}});
            }
        }
    }
    add({.name = "a line until rest", .shape = Domain::line(300), .options = {.threshold = 0.4, .rest = 1e-3}});
    cases.back().options.steps = 1'000'000;
    const Domain grid = Domain::grid({70, 256 * scale, 1}, 1, true);
    for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::rkc})
        add({.name = "a grid", .shape = grid, .options = {.scheme = scheme, .steps = 37}});
    add({.name = "a grid with walls", .shape = Domain::grid({70, 131, 1}), .options = {.scheme = Scheme::euler}});
    add({.name = "a grid of few rows", .shape = Domain::grid({100, 2, 1}), .options = {.scheme = Scheme::heun}});
    add({.name = "noise on a ring of a grid",
         .shape = Domain::grid({33, 20, 1}, 1, true),
         .options = {.noise = 0.1, .scheme = Scheme::euler}});
    add({.name = "noise on a line", .shape = Domain::line(5000), .options = {.noise = 0.1, .scheme = Scheme::euler}});
    add({.name = "a grid in space", .shape = Domain::grid({13, 14, 40}), .options = {.steps = 20}});
    add({.name = "gray-scott",
         .shape = Domain::grid({40, 90, 1}, 1, true),
         .options = {.model = Model::gray_scott, .scheme = Scheme::heun, .steps = 40}});
    add({.name = "both species diffuse",
         .shape = Domain::ring(701),
         .options = {.recovery_diffusion = 0.5, .current = 0.01, .scheme = Scheme::euler},
         .has_current = true});
    const std::vector<Stimulus> stimuli{{.vertex = 0, .to = 3},
                                        {.vertex = 499, .from = 1, .to = 2, .every = 4},
                                        {.vertex = 500, .from = 2, .to = 9},
                                        {.vertex = 500, .value = 0.5, .from = 3, .to = 5}};
    for (const bool is_ring : {false, true}) {
        add({.name = is_ring ? "stimuli on a ring" : "stimuli on a line",
             .shape = is_ring ? Domain::ring(1000) : Domain::line(1000),
             .stimuli = stimuli,
             .snapshots = {0, 2.5, 7}});
    }
    for (const Scheme scheme : {Scheme::euler, Scheme::heun, Scheme::rkc}) {
        for (const Laplacian laplacian : {Laplacian::combinatorial, Laplacian::random_walk}) {
            add({.name = "a graph, scheme " + std::to_string(static_cast<int>(scheme)),
                 .options = {.laplacian = laplacian, .scheme = scheme, .steps = 70},
                 .stimuli = stimuli,
                 .edges = wheel(600 * scale, 3)});
        }
    }
    add({.name = "a graph of two", .options = {.scheme = Scheme::rkc}, .edges = wheel(2, 1)});
    add({.name = "gray-scott on a graph",
         .options = {.model = Model::gray_scott, .steps = 40},
         .edges = wheel(300, 2)});
    return cases;
}

inline ::testing::AssertionResult same_bytes(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " values, not " << b.size();
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0)
            return ::testing::AssertionFailure() << "value " << i << ": " << a[i] << ", not " << b[i];
    }
    return ::testing::AssertionSuccess();
}

inline void expect_same(const Result& expected, const Result& found, const std::string& what) {
    EXPECT_TRUE(same_bytes(found.field.v, expected.field.v)) << what;
    EXPECT_TRUE(same_bytes(found.field.w, expected.field.w)) << what;
    EXPECT_TRUE(same_bytes(found.activation, expected.activation)) << what;
    ASSERT_EQ(found.snapshots.size(), expected.snapshots.size()) << what;
    for (std::size_t s = 0; s < found.snapshots.size(); ++s) {
        EXPECT_EQ(found.snapshots[s].time, expected.snapshots[s].time);
        EXPECT_TRUE(same_bytes(found.snapshots[s].field.v, expected.snapshots[s].field.v)) << what;
        EXPECT_TRUE(same_bytes(found.snapshots[s].field.w, expected.snapshots[s].field.w)) << what;
    }
    EXPECT_EQ(found.iterations, expected.iterations) << what;
    EXPECT_EQ(found.time, expected.time) << what;
    EXPECT_EQ(found.stopped, expected.stopped) << what;
    EXPECT_EQ(found.evaluations, expected.evaluations) << what;
    EXPECT_EQ(found.speed, expected.speed) << what;
    EXPECT_EQ(found.smallest, expected.smallest) << what;
    EXPECT_EQ(found.largest, expected.largest) << what;
}

}  // namespace dunlin::waves

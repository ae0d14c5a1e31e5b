// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include <dunlin/types.hpp>

#include "device/gpus.hpp"
#include "math/rng.hpp"

/// What the tests of the GPU against the CPU share.
#define DUNLIN_NEEDS_GPU() \
    if (dunlin::device::cuda_devices() == 0) GTEST_SKIP() << "no GPU here"

namespace dunlin::agree {

/// Whether cases of more than 1,500 items are left out: DUNLIN_SMALL is set, for tools that slow kernels a
/// thousandfold.
inline bool only_small() { return std::getenv("DUNLIN_SMALL") != nullptr; }

inline Index size(Index n) { return only_small() ? std::min<Index>(n, 1500) : n; }

inline std::vector<Index> sizes(std::initializer_list<Index> all) {
    std::vector<Index> some;
    for (const Index n : all) {
        if (n <= 1500 || !only_small()) some.push_back(n);
    }
    return some;
}

/// n x dim positions in a square of this width, by seed.
inline std::vector<float> scattered(Index n, int dim, float width, std::uint64_t seed = 1) {
    std::vector<float> y(static_cast<std::size_t>(n) * static_cast<std::size_t>(dim));
    for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = width * static_cast<float>(math::random_uniform(seed, i) - 0.5);
    }
    return y;
}

/// A graph in which every vertex has up to `degree` edges to others, weights summing to 1; no vertex in 17 has any.
inline Graph some_graph(Index n, Index degree, std::uint64_t seed = 2) {
    Graph graph;
    for (Index i = 0; i < n; ++i) {
        for (Index e = 0; i % 17 != 3 && e < std::min(degree, n - 1); ++e) {
            const auto other = math::random_below(static_cast<std::uint64_t>(n), seed, static_cast<std::uint64_t>(i),
                                                  static_cast<std::uint64_t>(e));
            graph.targets.push_back(static_cast<Index>(other));
            graph.weights.push_back(static_cast<float>(e % 5 + 1));
        }
        graph.offsets.push_back(static_cast<Offset>(graph.targets.size()));
    }
    double sum = 0;
    for (const float weight : graph.weights) sum += static_cast<double>(weight);
    for (float& weight : graph.weights) weight = static_cast<float>(static_cast<double>(weight) / sum);
    return graph;
}

/// Vertex 0 has an edge to each of the others, and each of them one back.
inline Graph star(Index n) {
    Graph graph;
    const float weight = 0.5F / static_cast<float>(n - 1);
    for (Index i = 1; i < n; ++i) graph.targets.push_back(i);
    graph.offsets.push_back(n - 1);
    for (Index i = 1; i < n; ++i) {
        graph.targets.push_back(0);
        graph.offsets.push_back(n - 1 + i);
    }
    graph.weights.assign(graph.targets.size(), weight);
    return graph;
}

/// Largest difference, in units of the root mean square of `expected`.
inline double relative_error(std::span<const float> found, std::span<const float> expected) {
    if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
    double squares = 0, most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!std::isfinite(found[i])) return std::numeric_limits<double>::infinity();
        squares += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
        most = std::max(most, std::abs(static_cast<double>(found[i]) - static_cast<double>(expected[i])));
    }
    return squares > 0 ? most / std::sqrt(squares / static_cast<double>(found.size())) : most;
}

}  // namespace dunlin::agree

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <dunlin/types.hpp>

/// Choices common to the neighbor embeddings (t-SNE, UMAP).
namespace dunlin::descent {

/// How repulsion between all pairs is summed. automatic: by a measured crossover in n; on a CPU, above 1,000 points,
/// adaptive: tree or grid by the span of the map, chosen again every 50 iterations.
enum class Repulsion { automatic, exact, tree, grid, adaptive };
constexpr std::array<std::string_view, 5> names(Repulsion) { return {"auto", "exact", "tree", "grid", "adaptive"}; }

enum class Start { pca, random };
constexpr std::array<std::string_view, 2> names(Start) { return {"pca", "random"}; }

/// Given results of stages; null: to be computed.
struct Given {
    const Graph* neighbors = nullptr;  ///< n rows, weights are distances, in any order, no point its own neighbor
    const Map* start = nullptr;        ///< initial map of n points, used without scaling
};

}  // namespace dunlin::descent

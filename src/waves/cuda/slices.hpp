// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include <dunlin/types.hpp>

#include "math/at.hpp"

namespace dunlin::waves {

/// Rows of at most this many entries stand in slices.
constexpr int hub = 256;

/// A graph's rows for a GPU. Slices of 32 rows hold their entries column by column, padded to the longest row; rows are
/// sorted by length within windows, so that vertices stay near. The rows of hubs follow, each in one piece.
struct Slices {
    std::vector<int> vertices, degrees;  ///< of each row; hubs last
    std::vector<long long> begins;       ///< first entry of each slice, then of each hub
    std::vector<int> targets;            ///< filled by `fill`
    std::vector<float> weights;          ///< filled by `fill`; empty: all 1
    int rows = 0, hubs = 0;              ///< rows in slices, hubs
    long long stored = 0;                ///< entries with padding

    /// Finds the places of the rows of vertices [first, last).
    Slices(const Graph& graph, int window, int first, int last) {
        std::vector<int> hub_vertices;
        const auto degree = [&](int i) { return static_cast<int>(graph.offsets[at(i) + 1] - graph.offsets[at(i)]); };
        for (int i = first; i < last; ++i) (degree(i) > hub ? hub_vertices : vertices).push_back(i);
        rows = static_cast<int>(vertices.size());
        hubs = static_cast<int>(hub_vertices.size());
        for (int begin = 0; begin < rows; begin += window) {
            std::stable_sort(vertices.begin() + begin, vertices.begin() + std::min(begin + window, rows),
                             [&](int a, int b) { return degree(a) > degree(b); });
        }
        vertices.insert(vertices.end(), hub_vertices.begin(), hub_vertices.end());
        for (const int i : vertices) degrees.push_back(degree(i));
        const auto place = [&](long long entries) { begins.push_back(stored), stored += entries; };
        for (int slice = 0; slice < rows; slice += 32) {
            const int end = std::min(slice + 32, rows);
            place(32LL * *std::max_element(degrees.begin() + slice, degrees.begin() + end));
        }
        for (int row = rows; row < rows + hubs; ++row) place(degrees[at(row)]);
    }

    /// Copies the entries; calls pause() now and then.
    template <class Pause>
    void fill(const Graph& graph, const Pause& pause) {
        targets.assign(at(stored), 0);
        if (std::any_of(graph.weights.begin(), graph.weights.end(), [](float weight) { return weight != 1; }))
            weights.assign(at(stored), 0);
        for (int row = 0; row < rows + hubs; ++row) {
            if (row % 4096 == 0) pause();
            const bool is_hub = row >= rows;
            const long long first =
                is_hub ? begins[at((rows + 31) / 32 + row - rows)] : begins[at(row / 32)] + row % 32;
            const long long stride = is_hub ? 1 : 32;
            const Offset begin = graph.offsets[at(vertices[at(row)])];
            for (int k = 0; k < degrees[at(row)]; ++k) {
                targets[at(first + k * stride)] = graph.targets[at(begin + k)];
                if (!weights.empty()) weights[at(first + k * stride)] = graph.weights[at(begin + k)];
            }
        }
    }
};

/// Slices with their entries.
inline Slices filled_slices(const Graph& graph, int window) {
    Slices slices(graph, window, 0, graph.size());
    slices.fill(graph, [] {});
    return slices;
}

}  // namespace dunlin::waves

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
    std::vector<int> targets;
    std::vector<float> weights;  ///< empty: all 1
    int rows = 0, hubs = 0;      ///< rows in slices, hubs

    Slices(const Graph& graph, int window) {
        std::vector<int> hub_vertices;
        const auto degree = [&](int i) { return static_cast<int>(graph.offsets[at(i) + 1] - graph.offsets[at(i)]); };
        for (int i = 0; i < graph.size(); ++i) (degree(i) > hub ? hub_vertices : vertices).push_back(i);
        rows = static_cast<int>(vertices.size());
        hubs = static_cast<int>(hub_vertices.size());
        for (int begin = 0; begin < rows; begin += window) {
            std::stable_sort(vertices.begin() + begin, vertices.begin() + std::min(begin + window, rows),
                             [&](int a, int b) { return degree(a) > degree(b); });
        }
        vertices.insert(vertices.end(), hub_vertices.begin(), hub_vertices.end());
        for (const int i : vertices) degrees.push_back(degree(i));
        const bool is_weighted =
            std::any_of(graph.weights.begin(), graph.weights.end(), [](float weight) { return weight != 1; });
        for (int slice = 0; slice < rows; slice += 32) {
            const int end = std::min(slice + 32, rows);
            const int longest = *std::max_element(degrees.begin() + slice, degrees.begin() + end);
            grow(32LL * longest, is_weighted);
            for (int row = slice; row < end; ++row) put_row(graph, row, begins.back() + row - slice, 32);
        }
        for (int row = rows; row < rows + hubs; ++row) {
            grow(degrees[at(row)], is_weighted);
            put_row(graph, row, begins.back(), 1);
        }
    }

private:
    void grow(long long entries, bool is_weighted) {
        begins.push_back(static_cast<long long>(targets.size()));
        targets.resize(targets.size() + at(entries), 0);
        if (is_weighted) weights.resize(targets.size(), 0);
    }
    void put_row(const Graph& graph, int row, long long first, int stride) {
        const Offset begin = graph.offsets[at(vertices[at(row)])];
        for (int k = 0; k < degrees[at(row)]; ++k) {
            targets[at(first + k * stride)] = graph.targets[at(begin + k)];
            if (!weights.empty()) weights[at(first + k * stride)] = graph.weights[at(begin + k)];
        }
    }
};

}  // namespace dunlin::waves

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/shards.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "cases/kmeans.hpp"

/// Problems of k-means over shards, and the comparison with one process.
namespace dunlin::kmeans {

/// Rows that a run reads.
struct ShardedProblem {
    std::vector<float> points;
    Index cols = 1;
    std::vector<float> weights = {};
    Options options = {};
    std::vector<float> centroids = {};  ///< given

    [[nodiscard]] MatrixView<const float> rows() const { return view(points, cols); }
    [[nodiscard]] Shape shape(Offset chunk_rows = 1024) const {
        return {rows().rows, cols, !weights.empty(), chunk_rows};
    }
    [[nodiscard]] Given given() const {
        return {.centroids = centroids.empty() ? MatrixView<const float>{} : view(centroids, cols)};
    }
    [[nodiscard]] Result in_one_process(const Run& run = {}) const {
        Given all = given();
        all.weights = weights;
        return cluster(rows(), options, run, all);
    }
    [[nodiscard]] Result over(ShardSet& shards, Offset chunk_rows = 1024, const Run& run = {},
                              const Driving& driving = {}) const {
        return cluster(shards, shape(chunk_rows), options, run, given(), driving);
    }
};

/// Weights of which some are 0.
inline std::vector<float> weights_of_rows(Index n) {
    std::vector<float> weights;
    for (Index r = 0; r < n; ++r) weights.push_back(static_cast<float>((r + 3) % 11) * 0.3F);
    return weights;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Whether all outputs have the same bytes.
inline ::testing::AssertionResult same_bytes(const Result& a, const Result& b) {
    if (!same_bytes(a.labels, b.labels)) return ::testing::AssertionFailure() << "labels differ";
    if (!same_bytes(values_of(a.centroids), values_of(b.centroids)))
        return ::testing::AssertionFailure() << "centroids differ";
    if (!same_bytes(a.counts, b.counts)) return ::testing::AssertionFailure() << "counts differ";
    if (std::bit_cast<std::uint64_t>(a.inertia) != std::bit_cast<std::uint64_t>(b.inertia))
        return ::testing::AssertionFailure() << "inertia " << a.inertia << ", " << b.inertia;
    if (a.iterations != b.iterations || a.stopped != b.stopped)
        return ::testing::AssertionFailure() << "iterations " << a.iterations << ", " << b.iterations;
    return ::testing::AssertionSuccess();
}

}  // namespace dunlin::kmeans

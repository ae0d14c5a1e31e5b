// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Results as bytes, to compare two runs by.
namespace dunlin::cases {

template <class T>
void append(std::vector<std::byte>& bytes, const std::vector<T>& values) {
    const auto of_values = std::as_bytes(std::span(values));
    bytes.insert(bytes.end(), of_values.begin(), of_values.end());
}
template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
    append(bytes, std::vector<T>{value});
}

/// All that a method computes: a map, lists of neighbors, clusters or a field, and how the run ended.
template <class Result>
std::vector<std::byte> bytes_of(const Result& result) {
    std::vector<std::byte> bytes;
    append(bytes, result.iterations);
    append(bytes, result.stopped);
    for (const auto& engine : result.engines) {
        append(bytes, std::vector<char>(engine.name.begin(), engine.name.end()));
        append(bytes, engine.first_iteration);
    }
    if constexpr (requires { result.map; }) append(bytes, result.map.coordinates);
    if constexpr (requires { result.kl; }) append(bytes, result.kl);
    if constexpr (requires { result.cross_entropy; }) append(bytes, result.cross_entropy);
    if constexpr (requires { result.loss; }) append(bytes, result.loss);
    if constexpr (requires { result.graph; }) {
        append(bytes, result.graph.offsets);
        append(bytes, result.graph.targets);
        append(bytes, result.graph.weights);
    }
    if constexpr (requires { result.labels; }) {
        const auto centroids = result.centroids.view();
        append(bytes, result.labels);
        append(bytes, std::vector<float>(centroids.data, centroids.data + centroids.size()));
        append(bytes, result.counts);
        append(bytes, result.inertia);
    }
    if constexpr (requires { result.kinetic_energy; }) {
        append(bytes, result.kinetic_energy);
        append(bytes, result.cost);
    }
    if constexpr (requires { result.starts.won; }) append(bytes, result.starts.won);
    if constexpr (requires { result.field; }) {
        append(bytes, result.field.v);
        append(bytes, result.field.w);
        append(bytes, result.activation);
        for (const auto& shot : result.snapshots) {
            append(bytes, shot.time);
            append(bytes, shot.field.v);
        }
        append(bytes, result.time);
        append(bytes, result.step);
        append(bytes, result.rejected);
        append(bytes, result.evaluations);
        append(bytes, result.newton);
        append(bytes, result.skipped);
    }
    return bytes;
}

}  // namespace dunlin::cases

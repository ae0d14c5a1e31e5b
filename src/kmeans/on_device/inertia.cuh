#pragma once

#include "kmeans/on_device/state.cuh"

namespace dunlin::kmeans {

/// What a row adds to the inertia, in double.
struct InertiaOfRow {
    const float *rows, *weights, *centroids;
    const Index* labels;
    Index cols;
    __device__ double operator()(Offset i) const {
        const double weight = weights != nullptr ? static_cast<double>(weights[i]) : 1.0;
        return weight * squared_distance_of(rows + i * cols, centroids + Offset{labels[i]} * cols, cols);
    }
};

inline InertiaOfRow inertia_of_row(const DeviceState& state, const Index* labels) {
    return {state.rows.data(), state.weights.data(), state.centroids.data(), labels, state.cols};
}

}  // namespace dunlin::kmeans

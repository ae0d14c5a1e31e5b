// SPDX-License-Identifier: Apache-2.0
// Compiled without fused multiply-add (cmake/kernels.cmake): the same bits on all devices.
#include <algorithm>

#include "kmeans/d2_sampling.hpp"
#include "kmeans/lanes.hpp"

namespace dunlin::kmeans {

namespace {

template <class Lanes>
DUNLIN_INLINE void distances_of_tile_as(const float* points, Index rows, Index cols, const float* centroids, Index k,
                                        float* columns, float* out) {
    constexpr int lanes = device::lanes_of<Lanes>, vectors = tile_rows / lanes;
    transpose<Lanes>(points, rows, cols, columns);
    for (Index j = 0; j < k; ++j) {
        Lanes sums[vectors] = {};
        for (Index c = 0; c < cols; ++c) {
            const Lanes* x = reinterpret_cast<const Lanes*>(columns + Offset{c} * tile_rows);
            const float y = centroids[Offset{j} * cols + c];
            for (int v = 0; v < vectors; ++v) sums[v] += (x[v] - y) * (x[v] - y);
        }
        for (int v = 0; v < vectors; ++v) reinterpret_cast<Lanes*>(out + Offset{j} * tile_rows)[v] = sums[v];
    }
}

template <class Lanes>
DUNLIN_INLINE void lower_nearest_as(const float* distances, Offset rows, float* nearest) {
    constexpr int lanes = device::lanes_of<Lanes>;
    Offset r = 0;
    for (; r + lanes <= rows; r += lanes) {
        Lanes x, least;
        std::memcpy(&x, distances + r, sizeof x);
        std::memcpy(&least, nearest + r, sizeof least);
        least = x < least ? x : least;
        std::memcpy(nearest + r, &least, sizeof least);
    }
    for (; r < rows; ++r) nearest[r] = std::min(nearest[r], distances[r]);
}

template <class Lanes>
DUNLIN_INLINE void add_d2_weights_as(const float* nearest, const float* distances, const float* weights, Offset rows,
                                     double scale, Sum* sum, double* most) {
    using W = Wide<sizeof(Lanes)>;
    using Floats = typename W::Floats;
    using Doubles = typename W::Doubles;
    constexpr int lanes = wide_lanes<Lanes>;
    typename W::Integers sums{}, integers;
    Doubles largest{};
    Offset r = 0;
    for (; r + lanes <= rows; r += lanes) {
        Floats x;
        std::memcpy(&x, nearest + r, sizeof x);
        if (distances != nullptr) {
            Floats other;
            std::memcpy(&other, distances + r, sizeof other);
            x = other < x ? other : x;
        }
        Doubles d2 = __builtin_convertvector(x, Doubles);
        if (weights != nullptr) {
            Floats weight;
            std::memcpy(&weight, weights + r, sizeof weight);
            d2 = __builtin_convertvector(weight, Doubles) * d2;
        }
        largest = d2 > largest ? d2 : largest;
        to_integers<Lanes>(d2, scale, integers);
        sums += integers;
    }
    for (int lane = 0; lane < lanes; ++lane) {
        *sum += sums[lane];
        *most = std::max(*most, static_cast<double>(largest[lane]));
    }
    for (; r < rows; ++r) {
        const float x = distances != nullptr ? std::min(nearest[r], distances[r]) : nearest[r];
        const double d2 = d2_weight_of(weights != nullptr ? static_cast<double>(weights[r]) : 1.0, x);
        *sum += to_integer(d2, scale);
        *most = std::max(*most, d2);
    }
}

}  // namespace

DUNLIN_BY_WIDTH(lower_nearest, (const float* distances, Offset rows, float* nearest), (distances, rows, nearest))
DUNLIN_BY_WIDTH(add_d2_weights,
                (const float* nearest, const float* distances, const float* weights, Offset rows, double scale,
                 Sum* sum, double* most),
                (nearest, distances, weights, rows, scale, sum, most))
DUNLIN_BY_WIDTH(distances_of_tile,
                (const float* points, Index rows, Index cols, const float* centroids, Index k, float* columns,
                 float* out),
                (points, rows, cols, centroids, k, columns, out))

}  // namespace dunlin::kmeans

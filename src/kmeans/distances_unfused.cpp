// SPDX-License-Identifier: Apache-2.0
// Compiled without fused multiply-add (cmake/kernels.cmake): the same bits on all devices.
#include "kmeans/lanes.hpp"

namespace dunlin::kmeans {

namespace {

template <class Lanes>
DUNLIN_INLINE void distances_of_tile_as(const float* points, Index rows, Index cols, const float* centroids, Index k,
                                        float* columns, float* out) {
    constexpr int lanes = device::lanes_of<Lanes>, vectors = tile_rows / lanes;
    transpose(points, rows, cols, columns);
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

}  // namespace

DUNLIN_BY_WIDTH(distances_of_tile,
                (const float* points, Index rows, Index cols, const float* centroids, Index k, float* columns,
                 float* out),
                (points, rows, cols, centroids, k, columns, out))

}  // namespace dunlin::kmeans

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "device/aligned.hpp"
#include "kmeans/nearest.hpp"
#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Calls take(first, rows, distances) for all tiles of rows: distances[j * tile_rows + r] is the squared distance of
/// row first + r to centroid j, of d2_sampling.hpp.
template <class Take>
void each_tile_of_distances(device::Cpu& cpu, const Rows& rows, const float* centroids, Index count, const Take& take) {
    const Index cols = rows.cols();
    cpu.blocks(rows.count(), grain_of(cols), [&](Offset begin, Offset end, int) {
        device::AlignedBuffer<float> columns(static_cast<std::size_t>(cols) * tile_rows);
        device::AlignedBuffer<float> distances(static_cast<std::size_t>(count) * tile_rows);
        std::vector<float> scratch;
        const float* x = rows.at(begin, end, scratch);
        for (Offset first = begin; first < end; first += tile_rows, x += Offset{tile_rows} * cols) {
            const auto here = static_cast<Index>(std::min<Offset>(tile_rows, end - first));
            distances_of_tile(x, here, cols, centroids, count, columns.data(), distances.data());
            take(first, here, distances.data());
        }
    });
}

}  // namespace dunlin::kmeans

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "device/cuda.cuh"
#include "neighbors/cuda/filter_rows.cuh"

namespace dunlin::neighbors {

/// Calls filter(begin, end) for rows [begin, end) of a base in pieces of about 0.1 s, between which a stop is noticed.
template <class Filter>
void in_pieces(device::Cuda& cuda, Index begin, Index end, double products_per_row, const Filter& filter) {
    constexpr double most_products = 0x1p44;
    const double tiles = std::clamp(most_products / products_per_row / base_tile, 1.0, 1e6);
    const Index piece = static_cast<Index>(tiles) * base_tile;
    for (Index next = 0; begin < end && !cuda.run().stop.stop_requested(); begin = next) {
        next = end - begin > piece ? begin + piece : end;
        filter(begin, next);
        if (next < end) cuda.wait();
    }
}

}  // namespace dunlin::neighbors

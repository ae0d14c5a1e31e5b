// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "device/cuda.cuh"

namespace dunlin::neighbors {

/// Which tiles of the base each tile of queries meets, and in which order.
struct VisitsView {
    const Index* tiles = nullptr;    ///< lists one after another; null: every query meets every tile
    const Offset* begins = nullptr;  ///< per tile of queries, where its list begins
    const Index* counts = nullptr;   ///< and how long it is
    Offset met = 0;                  ///< tiles that all lists have among the places looked at
};

struct Visits {
    device::CudaBuffer<Index> tiles, counts;
    device::CudaBuffer<Offset> begins;
    std::vector<Index> lengths;  ///< what counts holds, on the host

    [[nodiscard]] Index longest() const { return *std::max_element(lengths.begin(), lengths.end()); }
    /// For places [begin, end) of each list.
    [[nodiscard]] VisitsView view(Index begin, Index end) const {
        Offset met = 0;
        for (const Index length : lengths) met += std::max<Index>(0, std::min(length, end) - begin);
        return {tiles.data(), begins.data(), counts.data(), met};
    }
};

}  // namespace dunlin::neighbors

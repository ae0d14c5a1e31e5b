// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "device/cuda.cuh"

namespace dunlin::neighbors {

/// The tiles of the base that each query tile probes, in order.
struct VisitsView {
    const Index* tiles = nullptr;    ///< concatenated lists; null: every query tile probes every tile
    const Offset* begins = nullptr;  ///< per query tile: start of its list
    const Index* counts = nullptr;   ///< and its length
    Offset met = 0;                  ///< number of tiles in all lists within the positions viewed
};

struct Visits {
    device::CudaBuffer<Index> tiles, counts;
    device::CudaBuffer<Offset> begins;
    std::vector<Index> lengths;  ///< `counts` on the host

    [[nodiscard]] Index longest() const { return *std::max_element(lengths.begin(), lengths.end()); }
    /// The positions [begin, end) of each list.
    [[nodiscard]] VisitsView view(Index begin, Index end) const {
        Offset met = 0;
        for (const Index length : lengths) met += std::max<Index>(0, std::min(length, end) - begin);
        return {tiles.data(), begins.data(), counts.data(), met};
    }
};

}  // namespace dunlin::neighbors

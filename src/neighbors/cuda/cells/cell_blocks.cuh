// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>

#include "neighbors/cuda/cells/cells.cuh"
#include "neighbors/cuda/visits.cuh"

namespace dunlin::neighbors {

/// A block of tiles of queries, and what these visit.
struct CellBlock {
    Index first = 0, count = 0;       ///< items
    device::CudaBuffer<Index> which;  ///< per row of the tiles, item - first; below 0: none
    device::CudaBuffer<Index> base;   ///< what any of them visits: per row of the base's tiles, its item; below 0: none
    Visits visits;                    ///< tiles of that base
};

/// The same as lists of tiles, in memory of the host.
struct VisitedTiles {
    Index begin, end;                 ///< tiles of queries
    std::vector<Index> base = {};     ///< of all tiles of 128 items of all cells
    std::vector<Index> tiles = {};    ///< places in `base`, for one tile of queries after another
    std::vector<Offset> begins = {};  ///< per tile of queries, where its list begins
    std::vector<Index> counts = {};   ///< and how long it is
};

/// All cells in blocks of so many tiles of queries, one block after another. What the next one visits is listed while
/// one is searched.
class CellBlocks {
public:
    /// The cells must stay.
    CellBlocks(const CellPartition& cells, Index tiles);

    [[nodiscard]] bool more() const { return coming_.valid(); }
    CellBlock next(device::Cuda& cuda);

private:
    void list(Index begin);

    const CellPartition& cells_;
    Index tiles_;
    std::future<VisitedTiles> coming_;
};

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>

#include "neighbors/cuda/cells/cells.cuh"
#include "neighbors/cuda/visits.cuh"

namespace dunlin::neighbors {

/// A block of query tiles with the tiles that they probe.
struct CellBlock {
    Index first = 0, count = 0;       ///< sorted queries
    device::CudaBuffer<Index> which;  ///< per row of the query tiles: its query - first; negative: padding
    device::CudaBuffer<Index>
        base;       ///< union of the probed cells: per row of the base's tiles, its item; negative: padding
    Visits visits;  ///< lists of tiles of that base
};

/// The probed tiles as lists in host memory.
struct ProbedTiles {
    Index begin, end;                 ///< query tiles
    std::vector<Index> base = {};     ///< numbers of 128-row tiles, over all cells
    std::vector<Index> tiles = {};    ///< positions in `base`: the lists of all query tiles, concatenated
    std::vector<Offset> begins = {};  ///< per query tile: start of its list
    std::vector<Index> counts = {};   ///< and its length
};

/// Blocks that a rank searches: number `own` of every `of` consecutive blocks.
struct BlockTurn {
    int own = 0, of = 1;
};

/// Cuts queries, sorted by cell, into blocks of query tiles. The lists of the next block are made by another thread
/// while one block is searched.
class CellBlocks {
public:
    /// queries: the items themselves, or others. Both must outlive this.
    CellBlocks(const SortedByCell& queries, const CellPartition& cells, Index tiles, BlockTurn turn = {});

    [[nodiscard]] bool more() const { return coming_.valid(); }
    CellBlock next(device::Cuda& cuda);

private:
    void list(Offset begin);

    const SortedByCell& queries_;
    const CellPartition& cells_;
    Index tiles_, step_;  ///< of a block; from one block to the next
    std::future<ProbedTiles> coming_;
};

}  // namespace dunlin::neighbors

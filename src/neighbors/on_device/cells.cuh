#pragma once

#include "neighbors/on_device/blocks.cuh"
#include "neighbors/on_device/visits.cuh"

namespace dunlin::neighbors {

/// Items in the order of the cells that they were cut into, cell after cell, each padded to whole tiles of queries.
struct Cells {
    std::vector<Index> items;          ///< cell c has items [items[c], items[c + 1])
    std::vector<Index> tiles;          ///< and tiles of queries [tiles[c], tiles[c + 1])
    std::vector<Index> cell_of_tile;   ///< per tile of queries
    std::vector<Index> near;           ///< cells x cells: cells by the distance of their centroids from that of cell c
    device::CudaBuffer<Index> places;  ///< per row of a tile of queries, its item; below 0: none

    [[nodiscard]] Index count() const { return static_cast<Index>(items.size()) - 1; }
    [[nodiscard]] Index size(Index cell) const {
        return items[static_cast<std::size_t>(cell) + 1] - items[static_cast<std::size_t>(cell)];
    }
    [[nodiscard]] Index cell_of(Index item) const;
    /// Where each cell stands in the order of this one.
    [[nodiscard]] std::vector<Index> ranks_by(Index cell) const;
};

constexpr Index most_cells = 4096;

/// The root of the number of items, and no more than some.
[[nodiscard]] Index cells_for(Index items);

/// Cuts the items by k-means into as many and puts them in the order of their cells. Waits for the device.
Cells cut_into_cells(device::Cuda& cuda, ItemSource& items, Index cells);

/// The items of the `probes` cells nearest to `cell`, in random order, padded by -1 to whole tiles.
struct VisitedItems {
    device::CudaBuffer<Index> order;
    Index count = 0;
};
VisitedItems visited_by(device::Cuda& cuda, const Cells& cells, Index cell, Index probes);

/// A block of tiles of queries, and what these visit.
struct CellBlock {
    Index first = 0, count = 0;       ///< items
    Index probes = 0;                 ///< cells visited by each
    device::CudaBuffer<Index> which;  ///< per row of the tiles, item - first; below 0: none
    Visits visits;
};

/// Tiles of queries [begin, end), each of which visits the `probes` cells nearest to its own.
CellBlock block_of(device::Cuda& cuda, const Cells& cells, Index begin, Index end, Index probes);

}  // namespace dunlin::neighbors

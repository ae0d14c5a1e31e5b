// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/quantize.cuh"
#include "neighbors/cuda/item_source.cuh"
#include "neighbors/search_parameters.hpp"

namespace dunlin::neighbors {

/// Items in the order of the cells that they were cut into, cell after cell, each padded to whole tiles of queries.
/// CellPartition that are near each other follow one another.
struct CellPartition {
    std::vector<Index> items;          ///< cell c has items [items[c], items[c + 1])
    std::vector<Index> tiles;          ///< and tiles of queries [tiles[c], tiles[c + 1])
    std::vector<Index> cell_of_tile;   ///< per tile of queries
    std::vector<Index> near;           ///< cells x cells: cells by the distance of their centroids from that of cell c
    std::vector<Index> visited;        ///< how many of the cells nearest to cell c its queries visit
    device::CudaBuffer<Index> places;  ///< per row of a tile of queries, its item; below 0: none

    [[nodiscard]] Index count() const { return static_cast<Index>(items.size()) - 1; }
    [[nodiscard]] Index size(Index cell) const {
        return items[static_cast<std::size_t>(cell) + 1] - items[static_cast<std::size_t>(cell)];
    }
    [[nodiscard]] Index cell_of(Index item) const;
    /// Where each cell stands in the order of this one.
    [[nodiscard]] std::vector<Index> ranks_by(Index cell) const;
    /// The cells that queries of cells [begin, end) visit, ascending.
    [[nodiscard]] std::vector<Index> visited_by(Index begin, Index end) const;
    /// From now on queries visit so many cells, and at least so many as hold `least` items.
    void visit_nearest(Index cells, Index least);
    /// The number of cells that a query visits: the mean.
    [[nodiscard]] Index mean_visited() const;

private:
    /// How many of the nearest cells hold so many items.
    [[nodiscard]] Index ranks_that_hold(Index cell, Index least) const;
};

/// Items that were put in the order of their cells.
struct SortedItems {
    CellPartition cells = {};
    std::vector<Index> centroids = {};     ///< per cell, which of the quantizer's centroids is its own
    device::CudaBuffer<Index> cell = {};   ///< per item
    device::CudaBuffer<Index> order = {};  ///< item i was item order[i] before
};

/// found: for each item the nearest of some centroids of so many columns. Waits for the device.
SortedItems sort_into_cells(device::Cuda& cuda, ItemSource& items, kmeans::Quantized found, Index cols);

/// Cuts the items by k-means into as many and puts them in the order of their cells. Waits for the device.
CellPartition cut_into_cells(device::Cuda& cuda, ItemSource& items, Index cells);

/// The items of the cells that queries of cells [begin, end) visit, in random order, padded by -1 to whole tiles.
struct VisitedItems {
    device::CudaBuffer<Index> order;
    Index count = 0;
};
VisitedItems visited_by(device::Cuda& cuda, const CellPartition& cells, Index begin, Index end);

}  // namespace dunlin::neighbors

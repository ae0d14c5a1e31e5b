// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kmeans/cuda/coarse_assignment.cuh"
#include "neighbors/cuda/item_source.cuh"
#include "neighbors/search_parameters.hpp"

namespace dunlin::neighbors {

/// The items sorted by cell (an inverted file), each cell padded to whole query tiles. Near cells have near numbers.
struct CellPartition {
    std::vector<Index> items;         ///< cell c has items [items[c], items[c + 1])
    std::vector<Index> tiles;         ///< and query tiles [tiles[c], tiles[c + 1])
    std::vector<Index> cell_of_tile;  ///< per query tile
    std::vector<Index>
        near;  ///< cells x cells: row c has all cells, sorted by the distance of their centroids from that of c
    std::vector<Index> probes;         ///< per cell: number of nearest cells that its queries probe
    device::CudaBuffer<Index> places;  ///< per row of a query tile: its item; negative: padding

    [[nodiscard]] Index count() const { return static_cast<Index>(items.size()) - 1; }
    [[nodiscard]] Index size(Index cell) const {
        return items[static_cast<std::size_t>(cell) + 1] - items[static_cast<std::size_t>(cell)];
    }
    [[nodiscard]] Index cell_of(Index item) const;
    /// The rank of each cell by distance from `cell`.
    [[nodiscard]] std::vector<Index> ranks_by(Index cell) const;
    /// The cells that queries of cells [begin, end) probe, ascending.
    [[nodiscard]] std::vector<Index> probed_by(Index begin, Index end) const;
    /// Lets queries probe the nearest `cells` cells, or as many as hold `least` items.
    void set_probes(Index cells, Index least);
    /// Mean number of cells that a query probes, rounded.
    [[nodiscard]] Index mean_probes() const;

private:
    /// Number of nearest cells that hold at least `least` items.
    [[nodiscard]] Index ranks_that_hold(Index cell, Index least) const;
};

/// The result of sorting items by cell.
struct SortedItems {
    CellPartition cells = {};
    std::vector<Index> centroids = {};     ///< per cell: index of its centroid in the quantizer
    device::CudaBuffer<Index> cell = {};   ///< per item
    device::CudaBuffer<Index> order = {};  ///< item i was item order[i] before
};

/// found: the nearest centroid of each item; cols: columns of a centroid. Reorders `items`. Synchronous.
SortedItems sort_into_cells(device::Cuda& cuda, ItemSource& items, kmeans::CoarseAssignment found, Index cols);

/// Partitions the items into k-means cells and reorders `items` by cell. Synchronous.
CellPartition cut_into_cells(device::Cuda& cuda, ItemSource& items, Index cells);

/// The items in the cells that queries of cells [begin, end) probe, in random order, padded by -1 to whole tiles.
struct ProbedItems {
    device::CudaBuffer<Index> order;
    Index count = 0;
};
ProbedItems probed_by(device::Cuda& cuda, const CellPartition& cells, Index begin, Index end);

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kmeans/cuda/coarse_assignment.cuh"
#include "neighbors/cuda/item_source.cuh"
#include "neighbors/search_parameters.hpp"

namespace dunlin::neighbors {

/// Rows sorted by cell, each cell padded to whole query tiles: the items, or queries apart from them.
struct SortedByCell {
    std::vector<Index> begins;         ///< cell c has rows [begins[c], begins[c + 1])
    std::vector<Index> tiles;          ///< and query tiles [tiles[c], tiles[c + 1])
    std::vector<Index> cell_of_tile;   ///< per query tile
    device::CudaBuffer<Index> places;  ///< per row of a query tile: its row; negative: padding

    [[nodiscard]] Index count() const { return static_cast<Index>(begins.size()) - 1; }
    [[nodiscard]] Index size(Index cell) const {
        return begins[static_cast<std::size_t>(cell) + 1] - begins[static_cast<std::size_t>(cell)];
    }
    [[nodiscard]] Index cell_of(Index row) const;
};

/// Sorts the rows, of which each has a cell below `cells` or none (`cells`). order: row i was row order[i] before; the
/// rows of no cell are the last. Synchronous.
SortedByCell sort_by_cell(device::Cuda& cuda, Index cells, device::CudaBuffer<Index>& cell,
                          device::CudaBuffer<Index>& order);

/// The items sorted by cell (an inverted file). Near cells have near numbers.
struct CellPartition : SortedByCell {
    std::vector<Index>
        near;  ///< cells x cells: row c has all cells, sorted by the distance of their centroids from that of c
    std::vector<Index> probes;  ///< per cell: number of nearest cells that its queries probe

    /// The rank of each cell by distance from `cell`.
    [[nodiscard]] std::vector<Index> ranks_by(Index cell) const;
    /// The cells that queries of these cells probe, ascending.
    [[nodiscard]] std::vector<Index> probed_by(std::span<const Index> of) const;
    /// The items in the cells that queries of `cell` probe, ascending.
    [[nodiscard]] std::vector<Index> items_probed_by(Index cell) const;
    /// Lets queries probe the nearest `cells` cells, or as many as hold `least` items.
    void set_probes(Index cells, Index least);
    /// Mean number of cells that a query probes, rounded.
    [[nodiscard]] Index mean_probes() const;

private:
    /// Number of nearest cells that hold at least `least` items.
    [[nodiscard]] Index ranks_that_hold(Index cell, Index least) const;
};

/// The coarse quantizer that assigned the items.
struct CellQuantizer {
    device::CudaBuffer<float> centroids;  ///< cells x cols, in the order of their training
    distance::HalfFrame frame;            ///< in which the items were compared with them
    device::CudaBuffer<Index> cell_of;    ///< per centroid
    Index cols = 0;
};

/// The result of sorting items by cell.
struct SortedItems {
    CellPartition cells = {};
    std::vector<Index> centroids = {};     ///< per cell: index of its centroid in the quantizer
    device::CudaBuffer<Index> cell = {};   ///< per item
    device::CudaBuffer<Index> order = {};  ///< item i was item order[i] before
    CellQuantizer quantizer = {};
};

/// found: the nearest centroid of each item; cols: columns of a centroid. Reorders `items`. Synchronous.
SortedItems sort_into_cells(device::Cuda& cuda, ItemSource& items, kmeans::CoarseAssignment found, Index cols);

/// Partitions the items into k-means cells and reorders `items` by cell. Synchronous.
SortedItems cut_into_cells(device::Cuda& cuda, ItemSource& items, Index cells);

/// The cell of each row, found as those of the items, which depends on no other row. A row with a coordinate farther
/// than `reach` from that of its centroid has none: the number of cells. Synchronous.
device::CudaBuffer<Index> assign_to_cells(device::Cuda& cuda, CellQuantizer& quantizer, const DeviceRows& rows,
                                          double reach);

/// The largest distance of a coordinate of an item from that of its centroid. rows: the sorted items. Synchronous.
double largest_residual(device::Cuda& cuda, const SortedItems& sorted, const DeviceRows& rows);

/// The items in the cells that queries of cells [begin, end) probe, in random order, padded by -1 to whole tiles.
struct ProbedItems {
    device::CudaBuffer<Index> order;
    Index count = 0;
};
ProbedItems probed_by(device::Cuda& cuda, const CellPartition& cells, Index begin, Index end);

}  // namespace dunlin::neighbors

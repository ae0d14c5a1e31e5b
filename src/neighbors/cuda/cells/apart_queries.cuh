// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "neighbors/cuda/exact/block_search.cuh"
#include "neighbors/cuda/item_search.cuh"
#include "neighbors/cuda/recall/recall_sample.cuh"
#include "neighbors/cuda/search.cuh"

namespace dunlin::neighbors {

/// The search for queries apart from the items, in cells: by all rows of the probed cells, or by their codes. Each list
/// must follow from its query and the items alone, so that it depends on no other query.
struct ApartCellSearch {
    const ItemSearch& search;
    const SearchParameters& parameters;
    CellPartition& cells;
    CudaRecallSample& sample;
    BlockSearch& exact;  ///< its nearest() has the lists of each search
    Index tiles;         ///< query tiles per block
    Index batch;         ///< queries that are assigned to cells together
    Index far_batch;     ///< far queries that are searched together, at most as many as exact's lists
    /// The cell of each query (assign_to_cells).
    std::function<device::CudaBuffer<Index>(const DeviceRows& queries)> assign = {};
    /// Searches the probed cells for a block of the queries `by_cell`.
    std::function<void(const ItemRows& queries, const SortedByCell& by_cell, CellBlock& block)> search_block = {};
    /// Searches all items, exactly.
    std::function<void(const ItemRows& queries)> search_far = {};
};

/// Searches for the sample's items as for queries, with more probes until they have the wanted recall; then searches
/// for all queries, batch after batch. Sets the probes and the recall. After a stop some lists are not written. Throws
/// Error{bad_input} for a recall that is out of reach.
void search_apart(device::Cuda& cuda, const ApartCellSearch& apart, FoundOnDevice& found);

/// Number of query tiles into which so many queries are sorted, at most.
[[nodiscard]] inline Index most_tiles_of(Index queries, Index cells) {
    return queries / query_tile + std::min(queries, cells) + 1;
}

/// Bytes of a batch of queries: its rows, as float32 for their assignment, and their order; and of the rows of a block.
[[nodiscard]] std::uint64_t apart_bytes(const ItemSearch& search, Index batch, Index lists, Index cols, Index cells);
/// Queries that are assigned together, at most.
[[nodiscard]] Index largest_batch(const ItemSearch& search);

/// Exact search of the cells that some of the queries probe, by differences: rows `unsettled` of the queries, of which
/// row i is number first + i of `by_cell`. together: items that are loaded at once.
void search_items_probed(device::Cuda& cuda, const ItemSource& items, BlockSearch& exact, const CellPartition& cells,
                         const ItemRows& queries, const SortedByCell& by_cell, Index first,
                         std::span<const Index> unsettled, std::size_t together);

}  // namespace dunlin::neighbors

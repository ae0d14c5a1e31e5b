// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/reach.cuh"

namespace dunlin::neighbors {

/// The nearest rows so far of a block of queries: queries x wanted. Ties are broken by ItemRows::id, also after items
/// were renumbered by cell.
struct NearestLists {
    device::CudaBuffer<double> keys;
    device::CudaBuffer<Index> items;
    Index wanted = 0;
};

/// A block of rows among all items: row i is item first + i, or items[i] if given. Lists contain rows of the base; or
/// items, if row_of maps items to rows (negative: not in the base).
struct ItemRows {
    DeviceRows rows;
    Index first = 0;
    const Index* items = nullptr;
    const Index* row_of = nullptr;
    const Index* ids = nullptr;  ///< per item of all: its lowest row; null: the item itself

    [[nodiscard]] __device__ Index item(Index i) const { return items == nullptr ? first + i : items[i]; }
    /// Breaks ties: the lesser is nearer.
    [[nodiscard]] __device__ Index id(Index item) const { return ids == nullptr ? item : ids[item]; }
};

/// Queries with their candidate lists.
struct RefineTask {
    ItemRows queries, base;
    const Index* which = nullptr;  ///< list q belongs to row which[q] of the queries, negative: unused; null: row q
    const Index* order = nullptr;  ///< order in which lists are processed, near ones together; null: by number
    Index count = 0;               ///< number of lists
    Measure measure = {};
    const FilterRows* half_queries = nullptr;  ///< of the queries, if lengths are of half precision
    const FilterRows* half_base = nullptr;
    bool merge = false;        ///< `nearest` already holds `wanted` of each query, from earlier blocks of the base
    bool listed_only = false;  ///< lengths prove nothing: takes the nearest of the listed rows and measures all
};

/// Refinement: measures the candidates exactly and writes the nearest to `nearest`, whose rows are those of the
/// queries. If list q overflowed or may lack a neighbor, unsettled[q] becomes 1 and the query's nearest are unchanged.
void refine(device::Cuda& cuda, const RefineTask& refinement, const CandidateLists& lists, const Reach& reach,
            NearestLists& nearest, device::CudaBuffer<std::uint8_t>& unsettled);

/// The queries, from `list_rows` (one per list), whose lists are marked. Synchronous.
std::vector<Index> unsettled_queries(device::Cuda& cuda, const device::CudaBuffer<std::uint8_t>& unsettled,
                                     std::span<const Index> list_rows);

/// Whether this GPU can refine lists of this capacity.
bool can_refine(const device::Cuda& cuda, int capacity);

}  // namespace dunlin::neighbors

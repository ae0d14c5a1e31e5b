// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/reach.cuh"

namespace dunlin::neighbors {

/// The nearest rows so far of each of a block of queries: queries x wanted. Those with the least (key, ItemRows::id)
/// are kept, also where items were renumbered by cells.
struct Nearest {
    device::CudaBuffer<double> keys;
    device::CudaBuffer<Index> items;
    Index wanted = 0;
};

/// A block of rows among all items: row i is item first + i, or items[i] where these are given. Lists name rows of the
/// base; or items, where it says in which of its rows they lie, below 0: in none.
struct ItemRows {
    DeviceRows rows;
    Index first = 0;
    const Index* items = nullptr;
    const Index* row_of = nullptr;
    const Index* ids = nullptr;  ///< per item of all, its lowest row; null: items are in the order of these

    [[nodiscard]] __device__ Index item(Index i) const { return items == nullptr ? first + i : items[i]; }
    /// What decides between items that are equally near: the lesser.
    [[nodiscard]] __device__ Index id(Index item) const { return ids == nullptr ? item : ids[item]; }
};

/// Queries and what was listed for them.
struct RankTask {
    ItemRows queries, base;
    const Index* which = nullptr;  ///< list q is that of row which[q] of the queries, below 0: of none; null: of row q
    const Index* order = nullptr;  ///< in which lists are ranked, near ones together; null: as they are
    Index count = 0;               ///< of lists
    Measure measure = {};
    const FilterRows* half_queries = nullptr;  ///< of the queries, if lengths are those of halves
    const FilterRows* half_base = nullptr;
    bool merge = false;  ///< `nearest` holds `wanted` of each query already, from earlier blocks of the base
    bool listed_only =
        false;  ///< lengths prove nothing: the nearest of those listed are taken, all of which are measured
};

/// Measures what the lists hold exactly and puts the nearest into `nearest`, which is of all rows of the queries.
/// left[q] is set to 1, and its nearest are as they were, if list q overflowed or may lack a neighbor.
void rank(device::Cuda& cuda, const RankTask& ranking, const CandidateLists& lists, const Reach& reach,
          Nearest& nearest, device::CudaBuffer<std::uint8_t>& left);

/// Those of `asked`, one a list, whose lists are marked. Waits.
std::vector<Index> those_left(device::Cuda& cuda, const device::CudaBuffer<std::uint8_t>& left,
                              std::span<const Index> asked);

/// Whether this GPU can rank lists of this capacity.
bool can_rank(const device::Cuda& cuda, int capacity);

}  // namespace dunlin::neighbors

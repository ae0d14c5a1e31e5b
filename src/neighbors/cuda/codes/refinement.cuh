// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/candidate_listing.cuh"
#include "neighbors/cuda/item_source.cuh"

namespace dunlin::neighbors {

/// Ranks all candidates in the lists of a block by their keys. The points are in device memory, or in host memory, from
/// where each row that occurs in any list is copied once.
class ListRefiner {
public:
    /// copied: the most rows that are copied together.
    ListRefiner(device::Cuda& cuda, const ItemSource& items, Index lists, Index copied);

    /// which: as in RefineTask; `list_rows` is the same on the host. Returns the rows of the queries whose lists
    /// overflowed or are too short. Synchronous.
    std::vector<Index> refine(const ItemRows& queries, const Index* which, std::span<const Index> list_rows,
                              CandidateListing& listing, NearestLists& nearest);

private:
    void refine_copied(RefineTask refinement, CandidateListing& listing, NearestLists& nearest);
    [[nodiscard]] std::vector<Index> named_by(const RefineTask& refinement, const CandidateLists& lists);

    device::Cuda& cuda_;
    const ItemSource& items_;
    Index copied_;
    LoadedRows loaded_;
    device::CudaBuffer<Index> row_of_;            ///< per item
    device::CudaBuffer<std::uint8_t> named_;      ///< per item
    device::CudaBuffer<std::uint8_t> unsettled_;  ///< per list
};

}  // namespace dunlin::neighbors

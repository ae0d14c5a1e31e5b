// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/candidate_listing.cuh"
#include "neighbors/cuda/item_source.cuh"

namespace dunlin::neighbors {

/// Ranks all that the lists of a block name by keys, from where the points lie: on the device, or on the host, from
/// where what any list names is copied once.
class ListRefiner {
public:
    /// copied: the most rows that are copied at once.
    ListRefiner(device::Cuda& cuda, const ItemSource& items, Index lists, Index copied);

    /// which: as RefineTask has it, and on the host as `asked`. Returns the rows of the queries whose lists overflowed,
    /// or hold too few. Waits for the device.
    std::vector<Index> refine(const ItemRows& queries, const Index* which, std::span<const Index> asked,
                              CandidateListing& listing, NearestLists& nearest);

private:
    void refine_copied(RefineTask refinement, CandidateListing& listing, NearestLists& nearest);
    [[nodiscard]] std::vector<Index> named_by(const RefineTask& refinement, const CandidateLists& lists);

    device::Cuda& cuda_;
    const ItemSource& items_;
    Index copied_;
    LoadedRows loaded_;
    device::CudaBuffer<Index> row_of_;        ///< per item
    device::CudaBuffer<std::uint8_t> named_;  ///< per item
    device::CudaBuffer<std::uint8_t> left_;   ///< per list
};

}  // namespace dunlin::neighbors

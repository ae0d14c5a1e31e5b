// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/item_source.cuh"
#include "neighbors/recall/recall_sample.hpp"

namespace dunlin::neighbors {

/// The recall sample (neighbors/recall/recall_sample.hpp) of items on a GPU: the rows that a search on the CPU samples,
/// and the exact neighbors of their items.
class CudaRecallSample {
public:
    /// degree: neighbors of a row, copies included. Waits for the device, as all do that take a Cuda.
    CudaRecallSample(device::Cuda& cuda, const CudaDistinctRows& groups, Index rows, Index degree,
                     const SearchParameters& parameters);

    [[nodiscard]] const RecallSample& sample() const { return sample_; }
    [[nodiscard]] const std::vector<Index>& items() const { return sample_.items(); }

    /// What an exact search found for items(), as queries in their order.
    void set_truth(device::Cuda& cuda, const CudaDistinctRows& groups, const NearestLists& found);
    /// The exact neighbors of items()[i], ascending.
    [[nodiscard]] std::span<const NearItem> truth(std::size_t i) const {
        return std::span(truth_).subspan(i * static_cast<std::size_t>(wanted_), static_cast<std::size_t>(wanted_));
    }
    /// Follows items that were put in another order: item i is the one that was order[i].
    void follow(const std::vector<Index>& order);

    /// Records what was found for the sample's test rows among items [first, first + count), of which `found` has row
    /// after row.
    void record(device::Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count,
                const NearestLists& found);
    [[nodiscard]] Recall recall() const { return sample_.recall(); }

private:
    RecallSample sample_;
    Index wanted_ = 0;             ///< of each list
    std::vector<NearItem> truth_;  ///< items x wanted
};

/// These rows of `found`, on the host: which x found.wanted. Waits for the device.
std::vector<NearItem> near_items(device::Cuda& cuda, const CudaDistinctRows& groups, const NearestLists& found,
                                 const std::vector<Index>& which);

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/item_source.cuh"
#include "neighbors/recall/recall_sample.hpp"

namespace dunlin::neighbors {

/// The recall sample (neighbors/recall/recall_sample.hpp) for items on a GPU, with the exact neighbors of its items.
/// The sampled rows are those of a search on a CPU.
class CudaRecallSample {
public:
    /// degree: length of a row's list, copies included. Synchronous, as all members that take a Cuda.
    CudaRecallSample(device::Cuda& cuda, const CudaDistinctRows& groups, Index rows, Index degree,
                     const SearchParameters& parameters);

    [[nodiscard]] const RecallSample& sample() const { return sample_; }
    [[nodiscard]] const std::vector<Index>& items() const { return sample_.items(); }

    /// found: the result of an exact search with items() as queries.
    void set_truth(device::Cuda& cuda, const CudaDistinctRows& groups, const NearestLists& found);
    /// The exact neighbors of items()[i], ascending.
    [[nodiscard]] std::span<const NearItem> truth(std::size_t i) const {
        return std::span(truth_).subspan(i * static_cast<std::size_t>(wanted_), static_cast<std::size_t>(wanted_));
    }
    /// Renumbers the sample's items after a reordering: item i is the former item order[i].
    void follow(const std::vector<Index>& order);

    /// Records the results of the test rows among items [first, first + count), which are the rows of `found`.
    void record(device::Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count,
                const NearestLists& found);
    /// Records the results of items()[first .. first + count), which are the rows of `found`.
    void record_sampled(device::Cuda& cuda, const CudaDistinctRows& groups, Index first, Index count,
                        const NearestLists& found);
    /// Recorded values per item. With several ranks: those of this rank, until they are added up over the ranks.
    [[nodiscard]] std::span<double> recorded() { return sample_.recorded(); }
    [[nodiscard]] Recall recall() const { return sample_.recall(); }

private:
    void record_rows(device::Cuda& cuda, const CudaDistinctRows& groups, const std::vector<std::size_t>& sampled,
                     const std::vector<Index>& rows, const NearestLists& found);

    RecallSample sample_;
    Index wanted_ = 0;             ///< length of each list
    std::vector<NearItem> truth_;  ///< items x wanted
};

/// Rows `which` of `found`, on the host: which x found.wanted. Synchronous.
std::vector<NearItem> near_items(device::Cuda& cuda, const CudaDistinctRows& groups, const NearestLists& found,
                                 const std::vector<Index>& which);

}  // namespace dunlin::neighbors

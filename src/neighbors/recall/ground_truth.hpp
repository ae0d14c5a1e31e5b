// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "neighbors/candidate_list.hpp"
#include "neighbors/top_k.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// Exact neighbors of a few items, found in one pass over the rows of all items, for a search that does not store rows.
/// Float32 products select candidates, whose keys are then summed in double.
class GroundTruth {
public:
    /// items: ascending. wanted: neighbors of each, less than the number of items.
    GroundTruth(const ItemTransform& transform, std::vector<Index> items, Index wanted);

    /// rows: the transformed rows of items [first, first + count).
    void add_rows(device::Cpu& cpu, Index first, Index count, const float* rows);

    /// Computes the exact neighbors, after all rows have been added.
    void finish(device::Cpu& cpu);

    [[nodiscard]] const std::vector<Index>& items() const { return items_; }
    /// The nearest of items()[i], ascending.
    [[nodiscard]] std::span<const Candidate> nearest(std::size_t i) const;

private:
    void offer(Index q, Index first, std::span<const float> products);

    const ItemTransform& transform_;
    std::vector<Index> items_;
    Index wanted_;
    std::vector<float> rows_;            ///< items x cols
    std::vector<double> lengths_;        ///< per item
    std::vector<double> added_lengths_;  ///< lengths of the rows being added
    std::vector<CandidateList> candidates_;
    std::vector<Candidate> nearest_;  ///< items x wanted
};

}  // namespace dunlin::neighbors

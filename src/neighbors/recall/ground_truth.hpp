// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "neighbors/candidate_list.hpp"
#include "neighbors/top_k.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// The exact nearest of a few items, found while the rows of all items pass by once: what a search is judged by that
/// keeps no rows. InnerProductSearch in float32 tell which items may be among the nearest, their keys are summed in
/// double.
class GroundTruth {
public:
    /// items: ascending. wanted: neighbors of each, fewer than there are items.
    GroundTruth(const ItemTransform& transform, std::vector<Index> items, Index wanted);

    /// The rows of items [first, first + count) in the transform.
    void add_rows(device::Cpu& cpu, Index first, Index count, const float* rows);

    /// After all have been met.
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
    std::vector<double> added_lengths_;  ///< lengths of the rows that pass by
    std::vector<CandidateList> candidates_;
    std::vector<Candidate> nearest_;  ///< items x wanted
};

}  // namespace dunlin::neighbors

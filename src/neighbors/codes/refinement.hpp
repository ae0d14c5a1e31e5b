// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/codes/top_k_buffer.hpp"
#include "neighbors/top_k.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// The exact nearest of what codes chose for a block of queries. Queries that are near each other choose the same items
/// again and again: in the order of items each row is read from afar once, for all who chose it. Float32 tells which of
/// the chosen may be among the k nearest, but for rounding, which is bounded; these are measured in double.
class Refinement {
public:
    /// queries: items. lists: for each query, numbers of items in `met`; the query itself may be among them.
    void refine(const ItemTransform& transform, std::span<const Index> queries, std::span<const TopKBuffer> lists,
                std::span<const Index> met, Index k);

    /// Of query q, ascending.
    [[nodiscard]] std::span<const Candidate> nearest(std::size_t q) { return nearest_[q].sorted(); }

    /// Bytes held for a query.
    [[nodiscard]] static std::size_t bytes(Index listed, Index k) {
        return static_cast<std::size_t>(listed) * sizeof(CandidatePair) + TopKBuffer::bytes(k) + TopK::bytes(k) +
               sizeof(Index) + sizeof(float);
    }

private:
    struct CandidatePair {
        Index row, query;
        float rough;  ///< key
    };

    void gather_pairs(const ItemTransform& transform, std::span<const Index> queries, std::span<const TopKBuffer> lists,
                      std::span<const Index> met);
    void compute_rough_keys(const distance::Space& space, Index k);
    void drop_far_pairs(const distance::Space& space);
    void compute_exact_keys(const distance::Space& space, Index k);

    std::vector<Index> rows_;           ///< per query
    std::vector<Index> next_;           ///< per item of `met`, where its next pair goes
    std::vector<CandidatePair> pairs_;  ///< in the order of `met`
    std::vector<TopKBuffer> near_;      ///< per query, by rough keys
    std::vector<TopK> nearest_;
};

}  // namespace dunlin::neighbors

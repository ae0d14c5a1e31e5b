// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/codes/top_k_buffer.hpp"
#include "neighbors/top_k.hpp"
#include "neighbors/transform.hpp"

namespace dunlin::neighbors {

/// Refinement: exact distances of the candidates of a block of queries. Near queries share candidates, so pairs are
/// sorted by row and each row is read once. Keys in float32 with bounded rounding errors exclude most candidates; the
/// others are measured in double.
class Refinement {
public:
    /// queries: items. lists: for each query, indices into `scanned` (items), possibly with the query itself.
    void refine(const ItemTransform& transform, std::span<const Index> queries, std::span<const TopKBuffer> lists,
                std::span<const Index> scanned, Index k);

    /// The nearest of query q, ascending.
    [[nodiscard]] std::span<const Candidate> nearest(std::size_t q) { return nearest_[q].sorted(); }

    /// Bytes per query.
    [[nodiscard]] static std::size_t bytes(Index listed, Index k) {
        return static_cast<std::size_t>(listed) * sizeof(CandidatePair) + TopKBuffer::bytes(k) + TopK::bytes(k) +
               sizeof(Index) + sizeof(float);
    }

private:
    struct CandidatePair {
        Index row, query;
        float rough;  ///< key in float32
    };

    void gather_pairs(const ItemTransform& transform, std::span<const Index> queries, std::span<const TopKBuffer> lists,
                      std::span<const Index> scanned);
    void compute_rough_keys(const distance::Space& space, Index k);
    void drop_far_pairs(const distance::Space& space);
    void compute_exact_keys(const distance::Space& space, Index k);

    std::vector<Index> rows_;           ///< per query
    std::vector<Index> next_;           ///< per item of `scanned`: the position of its next pair
    std::vector<CandidatePair> pairs_;  ///< in the order of `scanned`
    std::vector<TopKBuffer> near_;      ///< per query, by keys in float32
    std::vector<TopK> nearest_;
};

}  // namespace dunlin::neighbors

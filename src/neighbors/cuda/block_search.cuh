// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/listing.cuh"

namespace dunlin::neighbors {

/// Finds the nearest rows of a base for one block of queries after another, and keeps what all blocks use.
class BlockSearch {
public:
    /// wanted: neighbors of each query.
    BlockSearch(device::Cuda& cuda, Metric metric, Index cols, Index wanted);

    /// Bytes for a query of a block, and for a row of the base.
    [[nodiscard]] std::uint64_t bytes_per_query() const;
    [[nodiscard]] std::uint64_t bytes_per_base_row() const { return listing_.bytes_per_base_row(); }

    /// Whether there is a sieve of halves, without which nothing is gained by looking at cells only.
    [[nodiscard]] bool has_halves() const;

    /// Takes memory for blocks of so many queries, with as many lists or more, and leaves `spare` bytes for sorting.
    /// sample: of the rows.
    void prepare(Index queries, Index lists, std::uint64_t spare, const DeviceRows& sample);

    /// The base of the searches that follow; its rows must stay.
    void set_base(const ItemRows& base);

    /// Fills nearest() for these queries with what is nearest in the base; merge: or nearest so far. An exact search.
    void search(const ItemRows& queries, bool merge);
    /// The same from what the queries' cells are to visit of a base that is all items: exact among these. sample: of
    /// the queries, whose frame parts them better than that of all rows.
    void search(const ItemRows& queries, const DeviceRows& sample, const Cells& cells, CellBlock& block);

    /// The same for some rows of the queries from this base, by differences.
    void search_some(const ItemRows& queries, std::span<const Index> which, const ItemRows& base, bool merge);

    [[nodiscard]] const Nearest& nearest() const { return nearest_; }
    [[nodiscard]] Nearest& nearest() { return nearest_; }

private:
    void look_at(const ItemRows& base);
    void filter_differences(std::span<const Index> which, const Index* order, const FilterPlan& plan,
                            RankTask& ranking);
    std::vector<Index> rank_lists(const RankTask& ranking, std::span<const Index> asked);
    std::vector<Index> rank_differences(const ItemRows& queries, std::span<const Index> which, const Index* order,
                                        const FilterPlan& plan, bool merge);
    void search_visited(const ItemRows& queries, std::vector<Index> left, const VisitedItems& visited);

    device::Cuda& cuda_;
    Metric metric_;
    Index cols_;
    std::uint64_t spare_ = 0;  ///< bytes for sorting
    Listing listing_;

    ItemRows base_;
    FilterPlan plan_;
    device::CudaBuffer<Index> base_order_;

    Nearest nearest_;
    device::CudaBuffer<std::uint8_t> left_;
    device::CudaBuffer<Index> which_;
};

}  // namespace dunlin::neighbors

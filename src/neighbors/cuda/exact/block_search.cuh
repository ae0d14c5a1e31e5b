// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/candidate_listing.cuh"

namespace dunlin::neighbors {

/// Finds the nearest rows of a base for one block of queries after another. Three filters in turn: half precision,
/// float32 differences for queries that it does not settle, then brute force.
class BlockSearch {
public:
    /// wanted: neighbors of each query.
    BlockSearch(device::Cuda& cuda, Metric metric, Index cols, Index wanted);

    /// Bytes per query of a block, and per row of the base.
    [[nodiscard]] std::uint64_t bytes_per_query() const;
    [[nodiscard]] std::uint64_t bytes_per_base_row() const { return listing_.bytes_per_base_row(); }

    /// Whether the filter in half precision is available; without it, a search by cells gains nothing.
    [[nodiscard]] bool has_halves() const;

    /// Allocates blocks of `queries` queries and `lists` lists, and leaves `spare` bytes for brute force. sample: a
    /// sample of the rows.
    void prepare(Index queries, Index lists, std::uint64_t spare, const DeviceRows& sample);

    /// Finds `wanted` neighbors of each query from now on, at most as many as the constructor's.
    void want(Index wanted) { nearest_.wanted = wanted; }

    /// Sets the base of the next searches. Its rows must stay valid.
    void set_base(const ItemRows& base);
    /// Restores the centering and scaling of all rows after a search of cells. sample: as in prepare().
    void set_frame(const DeviceRows& sample);

    /// Exact search: fills nearest() with the nearest rows of the base; with `merge`, of the base and nearest() so far.
    void search(const ItemRows& queries, bool merge);
    /// Exact search of the cells that the block's queries, which are items, probe. The base must be all items. sample:
    /// of the queries; their own centering and scaling make the filter sharper. Queries that the filter leaves
    /// unsettled are compared with more items than they probe.
    void search(const ItemRows& queries, const DeviceRows& sample, const CellPartition& cells, CellBlock& block);
    /// search() of cells for any queries and base. Returns the queries that the filter leaves unsettled.
    std::vector<Index> search_probed(const ItemRows& queries, const DeviceRows& sample, const ItemRows& base,
                                     CellBlock& block);

    /// Exact search of rows `which` of the queries in this base, by differences.
    void search_some(const ItemRows& queries, std::span<const Index> which, const ItemRows& base, bool merge);

    [[nodiscard]] const NearestLists& nearest() const { return nearest_; }
    [[nodiscard]] NearestLists& nearest() { return nearest_; }

private:
    void plan_base(const ItemRows& base);
    void list_by_differences(std::span<const Index> which, const Index* order, const FilterPlan& plan,
                             RefineTask& refinement);
    std::vector<Index> refine_lists(const RefineTask& refinement, std::span<const Index> list_rows);
    std::vector<Index> refine_by_differences(const ItemRows& queries, std::span<const Index> which, const Index* order,
                                             const FilterPlan& plan, bool merge);
    void settle_probed(const ItemRows& queries, std::vector<Index> unsettled, const ProbedItems& probed);

    device::Cuda& cuda_;
    Metric metric_;
    Index cols_;
    std::uint64_t spare_ = 0;  ///< bytes for brute force
    CandidateListing listing_;

    ItemRows base_;
    FilterPlan plan_;
    device::CudaBuffer<Index> base_order_;

    NearestLists nearest_;
    device::CudaBuffer<std::uint8_t> unsettled_;
    device::CudaBuffer<Index> which_;
};

}  // namespace dunlin::neighbors

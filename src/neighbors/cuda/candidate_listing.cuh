// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/cells/cell_blocks.cuh"
#include "neighbors/cuda/filter_plan.hpp"
#include "neighbors/cuda/refine.cuh"

namespace dunlin::neighbors {

/// The candidate lists of one block of queries after another, filled by the filter in half precision (filter_rows.cuh).
class CandidateListing {
public:
    /// wanted: number of nearest rows that a list must contain.
    CandidateListing(device::Cuda& cuda, Index cols, Index wanted);

    /// Whether this GPU can hold and refine such lists.
    [[nodiscard]] bool can_list() const { return lists_.capacity > 0; }
    /// Whether it also supports the filter in half precision.
    [[nodiscard]] bool has_halves() const;

    /// Bytes per query, and per row of the base.
    [[nodiscard]] std::uint64_t bytes_per_query() const;
    [[nodiscard]] std::uint64_t bytes_per_base_row() const { return filter_row_bytes(cols_); }

    /// Allocates so many lists.
    void prepare(Index lists);
    /// Sets the centering and scaling for the conversion to half precision.
    void set_frame(distance::HalfFrame frame) { frame_ = std::move(frame); }
    /// Converts the base's rows, in this order, to half precision. `order` must outlive the searches.
    template <class Rows>
    void set_base(const Rows& rows, const device::CudaBuffer<Index>& order) {
        round_base(cuda_, rows, order, frame_, base_);
    }

    /// Lists the candidates of each query among all rows of the base, whose order is random.
    void list_near(const DeviceRows& queries, const FilterPlan& plan);
    /// Shortens the lists of list_near to the nearest `wanted`, and those that half precision cannot distinguish from
    /// them.
    void shorten() { tighten(cuda_, wanted_, base_, queries_, lists_, reach_); }
    /// Lists the candidates of a block's queries among the tiles that they probe.
    void list_probed(const DeviceRows& queries, CellBlock& block);

    /// Describes the lists to the refinement, and the best order of queries.
    void describe(RefineTask& refinement) const;

    [[nodiscard]] Index capacity() const { return lists_.capacity; }
    /// Search radius / distance.
    [[nodiscard]] double scale() const { return frame_.scale; }
    [[nodiscard]] CandidateLists& lists() { return lists_; }
    [[nodiscard]] Reach& reach() { return reach_; }
    /// 1 for the lists that list_probed restarted: their search radii depend on the order of the atomics.
    [[nodiscard]] const device::CudaBuffer<std::uint8_t>& restarted() const { return restarted_; }

private:
    void filter_probed(const CellBlock& block, Index lists, Index begin);

    device::Cuda& cuda_;
    Index cols_, wanted_;
    distance::HalfFrame frame_;
    FilterRows base_, queries_;
    CandidateLists lists_;
    Reach reach_;
    device::CudaBuffer<std::uint8_t> restart_, restarted_;
    device::CudaBuffer<Index> nearest_sampled_, order_;  ///< per query
    bool ordered_ = false;
};

}  // namespace dunlin::neighbors

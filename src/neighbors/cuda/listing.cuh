// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "neighbors/cuda/cell_blocks.cuh"
#include "neighbors/cuda/filter_plan.hpp"
#include "neighbors/cuda/rank.cuh"

namespace dunlin::neighbors {

/// The lists of one block of queries after another, and how they are filled with what may be near by halves
/// (filter_rows.cuh).
class Listing {
public:
    /// wanted: of the rows nearest to a query so many are to be listed.
    Listing(device::Cuda& cuda, Index cols, Index wanted);

    /// Whether this GPU can hold and rank such lists.
    [[nodiscard]] bool can_list() const { return lists_.capacity > 0; }
    /// Whether it has the sieve of halves too.
    [[nodiscard]] bool has_halves() const;

    /// Bytes for a query, and for a row of the base.
    [[nodiscard]] std::uint64_t bytes_per_query() const;
    [[nodiscard]] std::uint64_t bytes_per_base_row() const { return filter_row_bytes(cols_); }

    /// Takes memory for so many lists.
    void prepare(Index lists);
    /// The frame in which halves are made from now on.
    void set_frame(distance::HalfFrame frame) { frame_ = std::move(frame); }
    /// Makes halves of the base's rows in this order, which must stay.
    template <class Rows>
    void set_base(const Rows& rows, const device::CudaBuffer<Index>& order) {
        round_base(cuda_, rows, order, frame_, base_);
    }

    /// Lists what is near each of the queries among all of the base, whose order is random.
    void list_near(const DeviceRows& queries, const FilterPlan& plan);
    /// Shortens what list_near found to those wanted, and such as halves cannot tell from them.
    void shorten() { tighten(cuda_, wanted_, base_, queries_, lists_, reach_); }
    /// What is near the queries of a block among what they visit.
    void list_visited(const DeviceRows& queries, CellBlock& block);

    /// Tells the ranking what the lists are made of, and in which order they are best ranked.
    void describe(RankTask& ranking) const;

    [[nodiscard]] Index capacity() const { return lists_.capacity; }
    [[nodiscard]] CandidateLists& lists() { return lists_; }
    [[nodiscard]] Reach& reach() { return reach_; }
    /// 1 for the lists that list_visited began again, whose reaches follow from what happened to come first.
    [[nodiscard]] const device::CudaBuffer<std::uint8_t>& begun_again() const { return begun_again_; }

private:
    void filter_visits(const CellBlock& block, Index lists, Index begin);

    device::Cuda& cuda_;
    Index cols_, wanted_;
    distance::HalfFrame frame_;
    FilterRows base_, queries_;
    CandidateLists lists_;
    Reach reach_;
    device::CudaBuffer<std::uint8_t> again_, begun_again_;
    device::CudaBuffer<Index> nearest_sampled_, order_;  ///< per query
    bool ordered_ = false;
};

}  // namespace dunlin::neighbors

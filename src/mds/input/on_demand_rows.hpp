// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <dunlin/mds.hpp>

#include "device/cpu.hpp"

namespace dunlin::mds {

constexpr double method_share_of_budget = 7.0 / 8;  ///< by a method, of a budget; the rest is for stress()

/// Dissimilarities that are not there until they are asked for: whole rows of them, computed once and kept.
class OnDemandRows {
public:
    /// Fills rows[r][j] = delta(items[r], j), NaN where it is missing. What is known is there already: 0 to itself,
    /// and what rows of other items told; all else is below 0.
    using Fill = std::function<void(device::Cpu&, std::span<const Index> items, std::span<float* const> rows)>;

    /// Is told which rows will be wanted after those that are computed now.
    using Announce = std::function<void(std::span<const Index> items)>;

    /// at_once: rows that are computed together.
    OnDemandRows(Index n, std::size_t at_once, Fill fill, Announce announce = {});

    [[nodiscard]] Index size() const { return n_; }

    /// No more than this many from now on; what is known remains.
    void allow(Offset distances) { budget_ = counted_.computed + distances; }
    [[nodiscard]] bool is_limited() const { return budget_ < all_pairs(); }
    [[nodiscard]] Offset left() const { return budget_ - counted_.computed; }

    /// How many rows that are not known yet could be computed from this share of the budget.
    [[nodiscard]] Index rows_within(double share_of_budget) const;

    /// Makes these rows known, one after the other, until the budget is spent or a stop is asked for. Returns whether
    /// all are known.
    bool want(device::Cpu& cpu, std::span<const Index> items, const Run& run);

    [[nodiscard]] bool knows(Index item) const { return !rows_[static_cast<std::size_t>(item)].empty(); }
    [[nodiscard]] const float* row(Index item) const { return rows_[static_cast<std::size_t>(item)].data(); }
    /// Items whose rows are known, in the order in which they were asked for.
    [[nodiscard]] std::span<const Index> known() const { return known_; }

    [[nodiscard]] DistanceUsage counted() const;
    /// Of a part of the same items, which had a feed of its own.
    void count(const DistanceUsage& part);
    /// A row that such a part knows, counted there already.
    void adopt(Index item, std::vector<float> row);

private:
    [[nodiscard]] Offset all_pairs() const { return Offset{n_} * (n_ - 1) / 2; }
    [[nodiscard]] Offset cost_of_next(Index ahead) const {
        return std::max<Offset>(0, n_ - 1 - std::ssize(known_) - ahead);
    }
    void compute(device::Cpu& cpu, std::span<const Index> items);

    Index n_;
    std::size_t at_once_;
    Fill fill_;
    Announce announce_;  ///< empty: nobody is told
    Offset budget_;
    DistanceUsage counted_;
    std::vector<std::vector<float>> rows_;  ///< empty: not known
    std::vector<Index> known_;
};

/// Asks a caller's function, for each pair once.
OnDemandRows::Fill fill_by_pairs(Index n, Distances distances);

/// Lengths of shortest paths along a graph's edges, NaN where there is none. lengths: of the edges; empty: 1 each. Both
/// have to outlive it.
OnDemandRows::Fill fill_by_paths(const Graph& graph, std::span<const float> lengths);

/// Rows of a matrix that is too large to be read whole; what is read is checked.
OnDemandRows::Fill fill_by_matrix(Matrix matrix);
/// Reads the rows that come next from their file meanwhile, and nothing else.
OnDemandRows::Announce prefetch_of(Matrix matrix);

}  // namespace dunlin::mds

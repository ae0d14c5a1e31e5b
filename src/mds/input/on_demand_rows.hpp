// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <dunlin/mds.hpp>

#include "device/cpu.hpp"
#include "mds/input/pair_reads.hpp"

namespace dunlin::mds {

constexpr double method_share_of_budget =
    7.0 / 8;  ///< share of the budget that a method may use; the rest is for stress()

/// Dissimilarities computed on demand: whole rows, each pair computed once and kept.
class OnDemandRows {
public:
    /// Fills rows[r][j] = delta(items[r], j), NaN if missing. Known entries are set on entry: 0 on the diagonal and the
    /// entries known from other rows; all other entries are negative.
    using Fill = std::function<void(device::Cpu&, std::span<const Index> items, std::span<float* const> rows)>;

    /// Called with the rows of the next batch while the current one is computed.
    using Prefetch = std::function<void(std::span<const Index> items)>;

    /// batch_rows: rows computed in one batch.
    OnDemandRows(Index n, std::size_t batch_rows, Fill fill, Prefetch prefetch = {});

    [[nodiscard]] Index size() const { return n_; }

    /// Sets the number of distances that may still be computed; known rows are kept.
    void set_budget(Offset distances) { budget_ = usage_.computed + distances; }
    [[nodiscard]] bool is_limited() const { return budget_ < all_pairs(); }
    [[nodiscard]] Offset remaining() const { return budget_ - usage_.computed; }

    /// Number of further rows that this share of the budget allows.
    [[nodiscard]] Index rows_within(double share_of_budget) const;

    /// Computes these rows in order, until the budget is exhausted or the run is cancelled. Returns true if all of them
    /// are known.
    bool request(device::Cpu& cpu, std::span<const Index> items, const Run& run);

    [[nodiscard]] bool is_known(Index item) const { return !rows_[static_cast<std::size_t>(item)].empty(); }
    [[nodiscard]] const float* row(Index item) const { return rows_[static_cast<std::size_t>(item)].data(); }
    /// Items with known rows, in the order of the requests.
    [[nodiscard]] std::span<const Index> known_rows() const { return known_; }

    [[nodiscard]] DistanceUsage usage() const;
    /// All pairs were read, as of a matrix in its file for a method that needs all of it.
    void note_all_read();
    /// The reads of such a method.
    [[nodiscard]] PairReads& reads() { return reads_; }
    /// Adds the usage of a component that had rows of its own.
    void add_usage(const DistanceUsage& part);
    /// Stores a row computed by a component, which is already in the usage.
    void adopt_row(Index item, std::vector<float> row);

private:
    [[nodiscard]] Offset all_pairs() const { return Offset{n_} * (n_ - 1) / 2; }
    [[nodiscard]] Offset cost_of_next(Index ahead) const {
        return std::max<Offset>(0, n_ - 1 - std::ssize(known_) - ahead);
    }
    void compute(device::Cpu& cpu, std::span<const Index> items);

    Index n_;
    std::size_t batch_rows_;
    Fill fill_;
    Prefetch prefetch_;  ///< may be empty
    Offset budget_;
    DistanceUsage usage_;
    bool all_read_ = false;
    PairReads reads_;
    std::vector<std::vector<float>> rows_;  ///< empty: unknown
    std::vector<Index> known_;
};

/// Rows by a caller's function, called once for each pair.
OnDemandRows::Fill fill_by_pairs(Index n, Distances distances);

/// Rows of shortest path lengths, NaN between components. lengths: of the edges; empty: 1 each. Both arguments must
/// outlive the result.
OnDemandRows::Fill fill_by_paths(const Graph& graph, std::span<const float> lengths);

/// Rows of a matrix that is too large for memory; entries are checked when they are read.
OnDemandRows::Fill fill_by_matrix(Matrix matrix);
/// Prefetches the next rows from the matrix file.
OnDemandRows::Prefetch prefetch_of(Matrix matrix);

}  // namespace dunlin::mds

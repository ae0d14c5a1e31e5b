// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <dunlin/mds.hpp>

#include "device/aligned.hpp"
#include "device/cpu.hpp"
#include "mds/input/on_demand_rows.hpp"
#include "mds/input/sparse.hpp"
#include "mds/smacof/kernels.hpp"

namespace dunlin::mds {

DissimilarityKind kind_of(neighbors::Metric metric);

/// Scale of weights: `unit` times the weights have mean 1 over the positive off-diagonal ones; `largest` is their
/// maximum after scaling.
struct WeightScale {
    float unit = 1, largest = 1;
};
WeightScale scale_of(device::Cpu& cpu, MatrixView<const float> weights);

/// Dissimilarities as CPU loops read them: tiles of several rows by a range of columns. Of on-demand dissimilarities
/// only requested rows are available; other pairs are missing.
class Source {
public:
    /// weights: n x n, or null for all 1. reads: counts the entries read of a matrix; null: not counted.
    Source(device::Cpu& cpu, const Dissimilarities& items, const Matrix* weights = nullptr, PairReads* reads = nullptr);

    /// Computes all distances of points once and stores them as a matrix, for methods that read each pair many times.
    void materialize(device::Cpu& cpu);

    [[nodiscard]] Index size() const { return n_; }
    [[nodiscard]] bool complete() const { return complete_; }

    /// Computes these rows. Throws progress::Cancelled if the budget is exceeded or the run is cancelled.
    void request(device::Cpu& cpu, std::span<const Index> rows, const Run& run) const;

    /// out[r * stride + c] = delta(rows[r], begin + c) for c in [0, count); NaN where it is missing. For points, begin
    /// is a multiple of 16, and up to 15 values after a row's last are written too.
    void tile(std::span<const Index> rows, Index begin, Index count, float* out, Index stride) const;

    /// delta[pair_index] of the items in a group's 32 slots; NaN where it is missing or a slot is empty (below 0).
    /// scratch: grows as needed.
    void group(const Index* items, std::vector<float>& scratch, float* delta) const;

    [[nodiscard]] bool weighted() const { return weights_.data != nullptr; }
    /// Weight of a pair's error; the positive weights have mean 1.
    [[nodiscard]] float weight(Index i, Index j) const { return weighted() ? scale_.unit * weights_(i, j) : 1.0F; }
    /// Maximum of the scaled weights.
    [[nodiscard]] float largest_weight() const { return scale_.largest; }
    /// weight[pair_index] of a group, as group() has its dissimilarities; of empty slots anything.
    void group_weights(const Index* items, float* weight) const;

    /// delta(i, j); NaN where it is missing.
    [[nodiscard]] float between(Index i, Index j) const;
    /// delta(i, j) as a function object.
    [[nodiscard]] auto between() const {
        return [this](Index i, Index j) { return between(i, j); };
    }

private:
    void prepare(device::Cpu& cpu, const Dissimilarities& items);
    [[nodiscard]] const float* matrix_row(Index i) const;
    [[nodiscard]] float matrix_entry(Index i, Index j) const;
    void note_reads(Offset pairs) const {
        if (reads_ != nullptr) reads_->add(pairs);
    }
    void sparse_group(const Index* items, std::vector<float>& scratch, float* delta) const;
    void measure(std::span<const Index> rows, Index begin, Index count, float* out, Index stride) const;

    Matrix matrix_;                      ///< the matrix; empty for points
    OnDemandRows* on_demand_ = nullptr;  ///< not on demand
    PairReads* reads_ = nullptr;         ///< not counted
    Index n_ = 0, cols_ = 0;
    bool complete_ = true;
    MatrixView<const float> weights_;
    WeightScale scale_;
    DissimilarityKind kind_ = DissimilarityKind::given;
    float unit_ = 1;                                ///< of points' distances
    std::unique_ptr<const SparseFeatures> sparse_;  ///< of points with few values that are not 0; else null
    device::AlignedBuffer<float> rows_;             ///< n x cols
    device::AlignedBuffer<float> panels_;           ///< panels of 16 rows, transposed
};

}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <dunlin/mds.hpp>

#include "device/aligned.hpp"
#include "device/cpu.hpp"
#include "mds/input/feed.hpp"
#include "mds/input/sparse.hpp"
#include "mds/smacof/kernels.hpp"

namespace dunlin::mds {

DissimilarityKind kind_of(neighbors::Metric metric);

/// Weights times `unit` have a mean of 1, those of 0 and of items with themselves left out, and the largest is
/// `largest`.
struct WeightScale {
    float unit = 1, largest = 1;
};
WeightScale scale_of(device::Cpu& cpu, MatrixView<const float> weights);

/// Dissimilarities as the loops of a CPU want them: by tiles of some items and a run of others. Of those that are fed,
/// only rows that want() got; pairs of others are missing.
class Source {
public:
    /// weights: n x n, or null: all 1.
    Source(device::Cpu& cpu, const Dissimilarities& items, const Matrix* weights = nullptr);

    /// Compares all points once: from now on they are a matrix, for those that look at a pair again and again.
    void keep(device::Cpu& cpu);

    [[nodiscard]] Index size() const { return n_; }
    [[nodiscard]] bool complete() const { return complete_; }

    /// Makes these rows ready to be looked at. Throws device::Cancelled if that takes more than the budget, or a stop
    /// was requested.
    void want(device::Cpu& cpu, std::span<const Index> rows, const Run& run) const;

    /// out[r * stride + c] = delta(rows[r], begin + c) for c in [0, count); NaN where it is missing. For points, begin
    /// is a multiple of 16, and up to 15 values after a row's last are written too.
    void tile(std::span<const Index> rows, Index begin, Index count, float* out, Index stride) const;

    /// delta[pair_index] of the items in a group's 32 slots; NaN where it is missing or a slot is empty (below 0).
    /// scratch: grows as needed.
    void group(const Index* items, std::vector<float>& scratch, float* delta) const;

    [[nodiscard]] bool weighted() const { return weights_.data != nullptr; }
    /// How much a pair's error counts; the mean of those that count at all is 1.
    [[nodiscard]] float weight(Index i, Index j) const { return weighted() ? scale_.unit * weights_(i, j) : 1.0F; }
    /// The largest of them.
    [[nodiscard]] float largest_weight() const { return scale_.largest; }
    /// weight[pair_index] of a group, as group() has its dissimilarities; of empty slots anything.
    void group_weights(const Index* items, float* weight) const;

    /// delta(i, j); NaN where it is missing.
    [[nodiscard]] float between(Index i, Index j) const;
    /// The same as a function of two items.
    [[nodiscard]] auto between() const {
        return [this](Index i, Index j) { return between(i, j); };
    }

private:
    void prepare(device::Cpu& cpu, const Dissimilarities& items);
    [[nodiscard]] const float* given_row(Index i) const;
    [[nodiscard]] float given_pair(Index i, Index j) const;
    void group_of_sparse(const Index* items, std::vector<float>& scratch, float* delta) const;
    void measure(std::span<const Index> rows, Index begin, Index count, float* out, Index stride) const;

    Matrix given_;          ///< the matrix; of points: empty
    Feed* feed_ = nullptr;  ///< null: they are not fed
    Index n_ = 0, cols_ = 0;
    bool complete_ = true;
    MatrixView<const float> weights_;
    WeightScale scale_;
    DissimilarityKind kind_ = DissimilarityKind::given;
    float unit_ = 1;                                ///< of points' distances
    std::unique_ptr<const SparseFeatures> sparse_;  ///< of points with few values that are not 0; else null
    device::AlignedBuffer<float> rows_;             ///< n x cols
    device::AlignedBuffer<float> panels_;           ///< of 16 rows each, turned on their side
};

}  // namespace dunlin::mds

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/sparse.hpp>

#include <vector>

#include "kmeans/rows.hpp"

namespace dunlin::kmeans {

/// Sparse rows to cluster and their weights; for cosine the rows are scaled to length 1, in a copy of their values.
class SparseInput {
public:
    /// Throws Error{bad_input} as measure() does. Holds `points` and `weights` by reference.
    SparseInput(device::Cpu& cpu, const SparseView& points, std::span<const float> weights, Metric metric);
    SparseInput(const SparseInput&) = delete;
    SparseInput& operator=(const SparseInput&) = delete;

    [[nodiscard]] SparseRow row(Offset r) const { return points_.row(static_cast<Index>(r)); }
    [[nodiscard]] Index count() const { return points_.rows; }
    [[nodiscard]] Index cols() const { return points_.cols; }
    [[nodiscard]] Offset nonzeros() const { return points_.nonzeros(); }
    [[nodiscard]] double weight(Offset r) const { return shape_.weight(r); }
    /// The rows without their values: numbers of rows and columns, and weights.
    [[nodiscard]] const Rows& shape() const { return shape_; }

private:
    std::vector<float> unit_;
    SparseView points_;
    Rows shape_;
};

/// As measure() of dense rows (rows.hpp), from the stored numbers.
Scales measure(device::Cpu& cpu, const SparseInput& rows);

/// Dense centroids by column, for the distances of sparse rows to all of them.
class CentroidColumns {
public:
    /// centroids: clusters x cols, kept by reference.
    void set(const std::vector<float>& centroids, Index cols);

    [[nodiscard]] Index clusters() const { return static_cast<Index>(squares_.size()); }

    /// out[k] = |x - c_k|^2, up to a rounding of (cols + 16) 2^-51 (|x|^2 + |c_k|^2); 0 if x equals c_k.
    void find_distances(SparseRow x, std::vector<double>& out) const;

    /// |x - c_k|^2, the same bits.
    [[nodiscard]] double distance(SparseRow x, Index k) const;

    /// Memory of one thread.
    struct Scratch {
        std::vector<double> distances;
        std::vector<float> row;  ///< zeros between calls
    };
    /// The nearest centroid, as nearest_of (formulas.hpp) defines it.
    [[nodiscard]] Index nearest(SparseRow x, Scratch& scratch) const;

private:
    [[nodiscard]] Index nearest_by_definition(SparseRow x, double limit, Scratch& scratch) const;

    Index cols_ = 0;
    const float* centroids_ = nullptr;
    std::vector<float> by_column_;  ///< cols x clusters
    std::vector<double> squares_;   ///< |c|^2, summed in the order of columns
    double most_ = 0;               ///< the largest of these
};

}  // namespace dunlin::kmeans

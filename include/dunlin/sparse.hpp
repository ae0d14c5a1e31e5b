// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <dunlin/export.hpp>
#include <dunlin/kmeans.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/pacmap.hpp>
#include <dunlin/run.hpp>
#include <dunlin/tsne.hpp>
#include <dunlin/types.hpp>
#include <dunlin/umap.hpp>

/// Points as sparse rows (CSR): the same functions as for dense rows, which never make all rows dense at once. They
/// compute on the CPU. The descents of t-SNE, UMAP and PaCMAP may run on a GPU.
namespace dunlin {

/// The stored numbers of a row; the others are 0.
struct SparseRow {
    std::span<const Index> columns;  ///< ascending
    std::span<const float> values;
};

/// A sparse matrix in compressed rows (SparseMatrix) that does not own its numbers. Stored zeros are allowed.
struct SparseView {
    std::span<const Offset> offsets;
    std::span<const Index> columns;
    std::span<const float> values;
    Index rows = 0, cols = 0;

    [[nodiscard]] SparseRow row(Index r) const {
        const auto begin = static_cast<std::size_t>(offsets[static_cast<std::size_t>(r)]);
        const auto count = static_cast<std::size_t>(offsets[static_cast<std::size_t>(r) + 1]) - begin;
        return {columns.subspan(begin, count), values.subspan(begin, count)};
    }
    [[nodiscard]] Offset nonzeros() const { return static_cast<Offset>(columns.size()); }
};

inline SparseView view_of(const SparseMatrix& matrix) {
    return {matrix.offsets, matrix.columns, matrix.values, matrix.rows, matrix.cols};
}

/// Throws Error{bad_input}, with the row where there is one, if the arrays do not fit together or the columns of a row
/// are not ascending, unequal and below `cols`. Does not read the values.
DUNLIN_API void check(const SparseView& points);

/// Whether the functions below are the faster ones for these rows: more than 160 columns, and fewer than an eighth of
/// the numbers are stored.
[[nodiscard]] DUNLIN_API bool mostly_zero(const SparseView& points);

/// The rows with their zeros. Throws Error{out_of_memory} if they exceed run.memory or, if that is 0, the free memory.
[[nodiscard]] DUNLIN_API Matrix dense(const SparseView& points, const Run& run = {});

namespace neighbors {

/// As search() of dense rows: the same neighbors, and distances equal up to rounding. The search is exact, by an
/// inverted index, and takes time proportional to the pairs of stored numbers in a column. Throws Error{bad_input} also
/// for method approximate and for malformed rows; Error{no_device} for device cuda.
DUNLIN_API Result search(const SparseView& points, const Options& options = {}, const Run& run = {});

}  // namespace neighbors

namespace tsne {

/// As embed() of dense rows. The start by PCA and the neighbors are computed from the sparse rows, on the CPU; the rest
/// runs where `run` says. With options.pca below the number of columns the principal components replace the points.
DUNLIN_API Result embed(const SparseView& points, const Options& options = {}, const Run& run = {},
                        const Given& given = {});

}  // namespace tsne

namespace umap {

/// As embed() of dense rows; as tsne::embed of sparse rows.
DUNLIN_API Result embed(const SparseView& points, const Options& options = {}, const Run& run = {},
                        const Given& given = {});

}  // namespace umap

namespace pacmap {

/// As embed() of dense rows; as tsne::embed of sparse rows.
DUNLIN_API Result embed(const SparseView& points, const Options& options = {}, const Run& run = {},
                        const Given& given = {});

}  // namespace pacmap

namespace kmeans {

/// As cluster() of dense rows, by products of sparse rows and dense centroids: the time of an iteration follows the
/// stored numbers times the clusters. Labels are the nearest centroids by the same definition; the inertia agrees up to
/// rounding. Throws Error{bad_input} also for method sequential and malformed rows; Error{no_device} for device cuda.
DUNLIN_API Result cluster(const SparseView& points, const Options& options = {}, const Run& run = {},
                          const Given& given = {});

/// As assign() of dense rows.
DUNLIN_API Assignment assign(const SparseView& points, MatrixView<const float> centroids,
                             Metric metric = Metric::euclidean, const Run& run = {});

}  // namespace kmeans

}  // namespace dunlin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/io.hpp>

#include "frame.hpp"

namespace dunlin::hdf5 {

/// A matrix of a file, and what its rows and columns are named by.
struct MatrixPlace {
    std::string path;          ///< "/obsm/X_pca"
    std::string field = {};    ///< of records (obsm of anndata 0.6)
    std::string columns = {};  ///< the frame that names its columns: "/var"; empty: none
    bool of_cells = false;     ///< a row is a row of obs
    bool of_tenx = false;      ///< a group of 10x Genomics: features by barcodes, in compressed columns

    /// As options and messages name it: "X", "obsm/X_pca".
    [[nodiscard]] std::string name() const;
};

/// Whether it is a data frame, whose columns are those of the matrix.
bool is_frame(const File& file, const MatrixPlace& place);

/// All matrices of cells of an annotated matrix, or of another file.
std::vector<MatrixPlace> matrices_of(const File& file);

/// The matrix `wanted` (a path, or a name in obsm or layers); if it is empty, obsm/X_pca, X, train (ann-benchmarks),
/// that of 10x Genomics, or the only one of the file. Throws Error{bad_file} if it is not clear, and Error{bad_input}
/// of the option `array` if there is none of this name.
MatrixPlace find_matrix(const File& file, const std::string& wanted);

/// A sparse matrix in compressed rows or columns.
struct SparseParts {
    std::string title;
    Index rows = 0, cols = 0;
    bool by_column = false;
    std::vector<std::int64_t> starts;
    Dataset places, values;
};

/// Its extents and starts, which are checked. Throws Error{bad_file}, also for a group that is no sparse matrix.
SparseParts open_sparse(const File& file, const MatrixPlace& place);

/// Its values, with the names of the columns; `shift` and the rest as io::read_points says.
void read_matrix(const File& file, const MatrixPlace& place, const io::ReadOptions& options, io::Points& points);

/// The names of its columns; none if it has none.
std::vector<std::string> column_names(const File& file, const MatrixPlace& place);

/// The names of its rows; none if it has none.
std::vector<std::string> row_names(const File& file, const MatrixPlace& place);

/// Number of its columns.
std::size_t width_of(const File& file, const MatrixPlace& place);

/// One column as numbers.
std::vector<double> matrix_column(const File& file, const MatrixPlace& place, Index column);

}  // namespace dunlin::hdf5

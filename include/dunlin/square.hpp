// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/io.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// A square matrix read from a file.
struct Square {
    Matrix values;                 ///< n x n; NaN where the file has none
    std::vector<std::string> ids;  ///< a name per row; empty: the file had none
    std::string kind;              ///< "matrix csv", "matrix npy", "condensed npy", "phylip", "triangle", ...
    std::vector<Note> notes = {};  ///< what was guessed
    Labels labels = {};            ///< of a table's column of words beside the ids
};

/// Reads a square matrix from one of:
/// .npy with two equal axes (float32 in C order is mapped, not read), or with one axis: the n (n - 1) / 2 entries above
///     the diagonal, row by row, as SciPy's pdist writes them;
/// .csv, .tsv, .txt with or without names in the first line and in the first column, which are put in one order; empty
///     cells and NA are missing; a column of labels beside them; if options.holds says dissimilarities, also one column
///     of the n (n - 1) / 2 entries, and "a,b,distance", whose items may lack pairs;
/// other texts: a triangle, a matrix of PHYLIP, a dist that R printed;
/// .npz and .safetensors with such an array, dense .mtx, .fbin and .fvecs and their kin, .h5ad; each but the last also
/// as
///     .gz or .xz.
/// If one half of the matrix is empty, all zeros or missing, it becomes the other half, and a note says so.
/// Reads the options `decimal`, `array`, `holds` and, beside labels, `labels` and `ids`. Throws Error{bad_file} with
/// file and line if the table is not square or an entry is not a number.
DUNLIN_API Square read_square(const std::filesystem::path& path, const ReadOptions& options = {}, const Run& run = {});

/// Whether points have as many columns as rows, at least three, no negative number, and either a diagonal of zeros or,
/// in their first 256 rows, symmetry up to rounding, as a matrix of dissimilarities has.
DUNLIN_API bool resembles_dissimilarities(const Points& points);

}  // namespace dunlin::io

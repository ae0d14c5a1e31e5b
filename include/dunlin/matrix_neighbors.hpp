// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/export.hpp>
#include <dunlin/neighbors.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::neighbors {

/// The k nearest other items of every item by the rows of a matrix of dissimilarities (n x n, NaN: missing): a row of
/// min(k, n - 1) items, or as many as are known (run.on_notice tells how many rows have fewer), nearest first, ties by
/// item, weights are the dissimilarities. The matrix is read once, row by row. Exact. After a stop through `run` the
/// Result has an empty graph.
/// Throws Error{bad_input}, with the row, for a matrix that is not square or empty, an entry that is negative or
/// infinite, a diagonal that is not 0, and a row whose dissimilarities are all missing; Error{out_of_memory}.
DUNLIN_API Result search_matrix(MatrixView<const float> dissimilarities, Index k, const Run& run = {});

}  // namespace dunlin::neighbors

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "kmeans/formulas.hpp"

/// Nearest centroids of a tile of rows: the inner loop of k-means on a CPU.
namespace dunlin::kmeans {

/// Rows of a tile; each is one lane of a few vectors.
constexpr Index tile_rows = 64;

/// Squared distances of a tile's rows to the best two centroids, in float32.
struct BestTwo {
    alignas(64) float first[tile_rows], second[tile_rows];
};

/// The nearest of k centroids (k x cols) for `rows` <= tile_rows rows of `cols` floats, as defined in double, ties to
/// the lower number. `columns`: scratch of cols * tile_rows floats aligned to a cache line, afterwards the transposed
/// rows. `label` has tile_rows elements; those from `rows` on are unspecified. `best`: optional output.
void nearest_of_tile(const float* points, Index rows, Index cols, const float* centroids, Index k, float* columns,
                     Index* label, BestTwo* best = nullptr);

/// The least Hamerly bound of a tile's rows, squared (lower_hamerly_bound of formulas.hpp).
void find_hamerly_bound(const BestTwo& best, Index cols, float* least);

/// out[j * tile_rows + r] = squared distance of row r to centroid j < k, in float32, summed in the order of columns,
/// each operation rounded (add_float_square of d2_sampling.hpp).
void distances_of_tile(const float* points, Index rows, Index cols, const float* centroids, Index k, float* columns,
                       float* out);

/// nearest[r] = min(nearest[r], distances[r]) for `rows` rows.
void lower_nearest(const float* distances, Offset rows, float* nearest);

/// D^2 weights of `rows` rows if a centroid at these squared distances (null: none) were added: weights[r] *
/// min(nearest[r], distances[r]), weights null: all 1. Adds them times `scale` as integers (to_integer of formulas.hpp)
/// to `sum` and raises `most` to the largest.
void add_d2_weights(const float* nearest, const float* distances, const float* weights, Offset rows, double scale,
                    Sum* sum, double* most);

/// Nearest centroid by definition: squared distances in double, summed in the order of columns.
Index nearest_in_double(const float* point, Index cols, const float* centroids, Index k);
double squared_distance(const float* x, const float* y, Index cols);

}  // namespace dunlin::kmeans

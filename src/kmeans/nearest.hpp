// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

/// The nearest centroid of a few rows: the inner loop of k-means on a CPU.
namespace dunlin::kmeans {

/// Rows are looked at in tiles of this many, one in each lane of a few vectors.
constexpr Index tile_rows = 64;

/// Squared distances of a tile's rows to the best two centroids, in float32.
struct BestTwo {
    alignas(64) float first[tile_rows], second[tile_rows];
};

/// For `rows` <= tile_rows rows of `cols` floats: the nearest of k centroids (k x cols), as double arithmetic decides,
/// ties to the lower number. `columns`, cols * tile_rows floats on a cache line, has the rows' columns afterwards.
/// `label` has room for tile_rows, of which those beyond `rows` say nothing. `best`: optional output.
void nearest_of_tile(const float* points, Index rows, Index cols, const float* centroids, Index k, float* columns,
                     Index* label, BestTwo* best = nullptr);

/// The least patience of a tile's rows, squared (lower_patience of formulas.hpp).
void find_hamerly_bound(const BestTwo& best, Index cols, float* least);

/// out[j * tile_rows + r] = squared distance of row r and centroid j, of which there are k: in float32, in the order of
/// columns, every operation rounded (as far_square of draws.hpp).
void distances_of_tile(const float* points, Index rows, Index cols, const float* centroids, Index k, float* columns,
                       float* out);

/// Nearest by definition: squared distances in double, in the order of columns.
Index nearest_in_double(const float* point, Index cols, const float* centroids, Index k);
double squared_distance(const float* x, const float* y, Index cols);

}  // namespace dunlin::kmeans

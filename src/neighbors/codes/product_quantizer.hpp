// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/run.hpp>

#include "device/aligned.hpp"
#include "kmeans/nearest.hpp"
#include "neighbors/codes/subquantizers.hpp"
#include "neighbors/principal_axes.hpp"

namespace dunlin::neighbors {

/// A product quantizer of residuals (Jegou, Douze and Schmid 2011): a row, projected on axes, is encoded as the
/// centroid of its cell plus, for each of `parts` runs of coordinates (subquantizers), an entry of that part's
/// codebook, one byte each. The axes are the principal components, rotated at random so that all parts have about the
/// same variance.
struct ProductQuantizer {
    PrincipalAxes axes;
    Index parts = 0, entries = 0, cells = 0;
    std::vector<float> centroids = {};  ///< cells x dims
    std::vector<float> codebooks = {};  ///< part after part: entries x width(part)
    float spread = 0;                   ///< 99.9th percentile of the magnitudes of residual coordinates

    [[nodiscard]] Index dims() const { return axes.count(); }
    /// Part p has coordinates [begin(p), begin(p + 1)).
    [[nodiscard]] Index begin(Index part) const { return part_begin(part, dims(), parts); }
    [[nodiscard]] Index width(Index part) const { return begin(part + 1) - begin(part); }
    [[nodiscard]] const float* codebook(Index part) const { return codebooks.data() + Offset{begin(part)} * entries; }
    [[nodiscard]] const float* centroid(Index cell) const { return centroids.data() + Offset{cell} * dims(); }
    /// A query apart from the points is far if a coordinate of its residual is more: four spreads.
    [[nodiscard]] double reach() const { return 4 * static_cast<double>(spread); }
};

/// The axes for encoding: as many as columns, or the leading principal components. sample: transformed rows.
PrincipalAxes coding_axes(MatrixView<const float> sample, Index parts);
[[nodiscard]] Index coding_axes(Index cols, Index parts);  ///< their number

/// Projects transformed rows on the axes; clamps to +-farthest_coordinate.
void project(const PrincipalAxes& axes, const float* rows, Index count, std::vector<float>& out);

/// Projects row by row, for queries: in a product of several rows, rounding may depend on the other rows.
void project_each(const PrincipalAxes& axes, const float* rows, Index count, std::vector<float>& out);

/// Size of the training sample.
[[nodiscard]] Index training_rows(Index rows, Index cells);

/// Centroids of at most `cells` cells, by k-means on projected rows: cells x axes.
std::vector<float> train_centroids(MatrixView<const float> sample, Index cells, const Run& run);

/// Trains the codebooks by k-means on the residuals of projected rows, each by one thread. parts: 1 to the number of
/// axes. Deterministic.
ProductQuantizer train_product_quantizer(PrincipalAxes axes, MatrixView<const float> sample, Index parts,
                                         std::vector<float> centroids, const Run& run);

struct EncodingWorkspace {
    std::vector<float> coordinates, part;
    device::AlignedBuffer<float> columns;
    std::vector<Index> entries;
    Index labels[kmeans::tile_rows];
};

/// Computes the cells of up to kmeans::tile_rows projected rows.
void find_cells(const ProductQuantizer& quantizer, const float* coordinates, Index count, EncodingWorkspace& workspace,
                Index* cells);

/// Computes the cell and the code (`parts` bytes) of up to kmeans::tile_rows transformed rows.
void encode_rows(const ProductQuantizer& quantizer, const float* rows, Index count, EncodingWorkspace& workspace,
                 Index* cells, std::uint8_t* codes);

}  // namespace dunlin::neighbors

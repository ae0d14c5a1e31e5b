// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <dunlin/run.hpp>

#include "device/aligned.hpp"
#include "kmeans/nearest.hpp"
#include "neighbors/codes/subquantizers.hpp"
#include "neighbors/principal_axes.hpp"

namespace dunlin::neighbors {

/// Rows in a few bytes each (a product quantizer of residuals; Jegou, Douze and Schmid 2011): a row along the axes is
/// the centroid of its cell and, for each of `parts` runs of coordinates, one of the entries of that part's book, named
/// by a byte. The axes of largest variance, turned at random among themselves, leave each part about as much to say.
struct ProductQuantizer {
    PrincipalAxes axes;
    Index parts = 0, entries = 0, cells = 0;
    std::vector<float> centroids = {};  ///< cells x dims
    std::vector<float> codebooks = {};  ///< part after part: entries x width(part)
    float spread = 0;                   ///< all but one coordinate in a thousand is within this of its centroid's

    [[nodiscard]] Index dims() const { return axes.count(); }
    /// Part p has coordinates [begin(p), begin(p + 1)).
    [[nodiscard]] Index begin(Index part) const { return part_begin(part, dims(), parts); }
    [[nodiscard]] Index width(Index part) const { return begin(part + 1) - begin(part); }
    [[nodiscard]] const float* codebook(Index part) const { return codebooks.data() + Offset{begin(part)} * entries; }
    [[nodiscard]] const float* centroid(Index cell) const { return centroids.data() + Offset{cell} * dims(); }
};

/// The axes along which rows are coded: all columns, or those few of largest variance. sample: rows of a transform.
PrincipalAxes coding_axes(MatrixView<const float> sample, Index parts);
[[nodiscard]] Index coding_axes(Index cols, Index parts);  ///< how many

/// Rows of the transform along the axes.
void project(const PrincipalAxes& axes, const float* rows, Index count, std::vector<float>& out);

/// Rows wanted to learn from, of so many.
[[nodiscard]] Index training_rows(Index rows, Index cells);

/// Centroids of at most so many cells, by k-means on a sample of rows along the axes: cells x axes.
std::vector<float> train_centroids(MatrixView<const float> sample, Index cells, const Run& run);

/// Books by k-means on what a sample of rows along the axes differs from these centroids by, each by a thread of the
/// CPU. parts: 1 to the number of axes. The same for the same sample.
ProductQuantizer train_product_quantizer(PrincipalAxes axes, MatrixView<const float> sample, Index parts,
                                         std::vector<float> centroids, const Run& run);

/// Scratch for coding rows.
struct EncodingWorkspace {
    std::vector<float> coordinates, part;
    device::AlignedBuffer<float> columns;
    std::vector<Index> entries;
    Index labels[kmeans::tile_rows];
};

/// The cell and the code (parts bytes) of up to kmeans::tile_rows rows of the transform.
void encode_rows(const ProductQuantizer& quantizer, const float* rows, Index count, EncodingWorkspace& workspace,
                 Index* cells, std::uint8_t* codes);

}  // namespace dunlin::neighbors

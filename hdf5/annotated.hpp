// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/io.hpp>

#include "file.hpp"
#include "frame.hpp"
#include "io/hdf5_module.hpp"

namespace dunlin::hdf5 {

/// Points of an annotated matrix (.h5ad: https://anndata.readthedocs.io), or of another file of HDF5: find_matrix() has
/// which matrix. Sparse ones become dense. Labels: column options.labels of obs, if it has it; ids: the index of obs.
io::Points read_points(const File& file, const io::ReadOptions& options);

/// One column with the names of its rows: obs:NAME, gene:NAME (of X, by var_names), raw:NAME (of raw), or the name
/// alone of a column of obs or a gene, or the number of a column of the matrix that is read.
io::NumberColumn read_column(const File& file, const std::string& column);
/// Whether it is a column of obs with categories, truth values, or words that are no numbers.
bool holds_classes(const File& file, const std::string& column);
io::LabelColumn read_label_column(const File& file, const std::string& column);

/// Names and colors of the classes of a column of obs, which uns/COLUMN_colors has in the order of the categories.
std::vector<std::pair<std::string, std::string>> read_colors(const File& file, const std::string& column);

/// A map, of obsm if no other is named: the first of X_tsne, X_umap, X_pacmap and X_mds, else one of two or three
/// columns. Ids: the index of obs. A note says which was taken of several.
io::MapFile read_map(const File& file, const io::StoredMapOptions& options);

/// Texts as labels; empty ones are missing.
Labels labels_of(std::vector<std::string> texts);

/// The columns of a frame for a message.
std::string columns_of(const Frame& frame);

/// Replaces or adds a map in obsm, and records in uns what it was made from.
void write_obsm(const File& file, const io::ObsmMap& map);

/// Copies what `from` has in obsm and this file lacks, if both have the same index of obs; returns the names.
std::vector<std::string> keep_obsm(const File& file, const File& from);

}  // namespace dunlin::hdf5

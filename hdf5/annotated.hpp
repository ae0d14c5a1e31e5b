// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/io.hpp>

#include "file.hpp"

namespace dunlin::hdf5 {

/// Points of an annotated matrix (.h5ad: https://anndata.readthedocs.io), or of a file of HDF5 with a matrix. The
/// matrix is options.array (a path, or a name in obsm), else obsm/X_pca, X, train (ann-benchmarks), or the only dataset
/// of two axes. Sparse matrices become dense. Labels: column options.labels of obs, if it has it; ids: the index of
/// obs.
io::Points read_points(const File& file, const io::ReadOptions& options);

/// Replaces or adds obsm/`name`.
void write_obsm(const File& file, const std::string& name, const Map& map);

}  // namespace dunlin::hdf5

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "file.hpp"

namespace dunlin::hdf5 {

/// Replaces or adds a field of a dataset of records (obsm of anndata 0.6): the map's place of a row.
void put_field(const File& file, const std::string& path, const std::string& name, const Map& map);

}  // namespace dunlin::hdf5

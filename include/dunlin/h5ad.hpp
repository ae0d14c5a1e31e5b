// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// A map for obsm of an annotated matrix.
struct ObsmMap {
    std::string name;  ///< "X_tsne"
    const Map& map;
    std::string made_from = {};  ///< the matrix that it was made from: Points::array; empty: not recorded
};

/// Writes a map into an annotated matrix (.h5ad): `path` becomes a copy of `source`, which may be the same file, with
/// the map as obsm/`name`; one of that name is replaced. uns/`name`/params/use_rep records the matrix that it was made
/// from. All else is kept, also what an older `path` of the same cells has in obsm and `source` lacks: these names are
/// returned. The write is atomic, and of several at once each begins with what the one before has written. Throws
/// Error{bad_file} if the source has no obs or another number of rows.
DUNLIN_API std::vector<std::string> write_obsm(const std::filesystem::path& path, const std::filesystem::path& source,
                                               const ObsmMap& map);

}  // namespace dunlin::io

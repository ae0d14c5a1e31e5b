// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// Writes a map into an annotated matrix (.h5ad): `path` becomes a copy of `source`, which may be the same file, with
/// the map as obsm/`name`; one of that name is replaced. All else is kept. The write is atomic. Throws Error{bad_file}
/// if the source has no obs or another number of rows.
DUNLIN_API void write_obsm(const std::filesystem::path& path, const std::filesystem::path& source,
                           const std::string& name, const Map& map);

}  // namespace dunlin::io

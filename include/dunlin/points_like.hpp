// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/io.hpp>

namespace dunlin::io {

/// Reads points that are compared with others, whose columns have these names (Points::columns; empty: no names).
/// Columns with the same names in another order are put in the order of the others, which a note says; options.shift is
/// in that order, too. Throws Error{bad_file} for other names. `first`: the name of the other input.
DUNLIN_API Points read_points_like(const std::filesystem::path& path, const std::string& first,
                                   const std::vector<std::string>& columns, const ReadOptions& options = {},
                                   const Run& run = {});

}  // namespace dunlin::io

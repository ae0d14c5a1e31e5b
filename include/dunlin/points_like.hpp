// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/io.hpp>

namespace dunlin::io {

/// Reads points to compare with those of another input. columns: its Points::columns. Empty: no names. Columns with the
/// same names in another order are put into the order of `columns`, and a note says so. options.shift is in the order
/// of `columns`, too. Throws Error{bad_file} if the names differ. first: name of the other input.
DUNLIN_API Points read_points_like(const std::filesystem::path& path, const std::string& first,
                                   const std::vector<std::string>& columns, const ReadOptions& options = {},
                                   const Run& run = {});

}  // namespace dunlin::io

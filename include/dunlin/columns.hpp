// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/run.hpp>

namespace dunlin::io {

/// A column of numbers of a file, such as a measurement that colors a map.
struct NumberColumn {
    std::string name;                   ///< as in the header; if there is none, as it was asked for
    std::vector<double> values;         ///< a value per row; NaN: missing
    std::vector<std::string> ids = {};  ///< names of the rows, if the file has a column of them
};

/// Reads one column of the formats of read_points(). `column` is its name, or its number from 1 in the file; columns of
/// words count, and are not read. Missing values ("", NA, nan) are NaN. Throws Error{bad_file} with the columns if
/// there is none of this name or number, and if it holds words.
DUNLIN_API NumberColumn read_column(const std::filesystem::path& path, const std::string& column, const Run& run = {});

}  // namespace dunlin::io

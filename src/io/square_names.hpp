// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/types.hpp>

/// Names of the items of a square table, which its rows and its columns may have.
namespace dunlin::io {

struct SquareNames {
    std::vector<std::string> items;
    std::vector<Index> columns = {};  ///< item i is the column of this number; empty: they are in the order of the rows
    std::string complaint = {};       ///< rows and columns have different names
};

/// The names of the rows; those of the columns where the rows have none or are only counted. Columns that are only
/// counted (0, 1, ..; V1, V2, ..), or called as R calls columns, go by order.
SquareNames square_names(std::vector<std::string> rows, std::vector<std::string> columns, const std::string& file);

/// What is said where the columns are put in the order of the rows.
constexpr const char* note_of_order = "read with its columns in the order of its rows, by their names";

/// Item j of each row becomes that which was columns[j].
void permute_columns(std::vector<float>& values, const std::vector<Index>& columns);

}  // namespace dunlin::io

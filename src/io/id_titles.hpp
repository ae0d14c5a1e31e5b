// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Titles that are usual for columns whose cells name rows.
namespace dunlin::io {

/// Whether a title is usual for ids: sample, gene, barcode, patient_id, CustomerID, Serial No, rowname, ...
bool is_id_title(std::string_view title);

/// Whether a title says that a column has ids: the word id is in it.
bool has_word_id(std::string_view title);

/// Whether pandas has read an index without a name that another table held: Unnamed: 0, Unnamed: 0.1.
bool is_pandas_index(std::string_view title);

/// Whether a program calls a first column so that has no name: X (R), ...1 (readr), Column1 (Excel), Var1, V1.
bool is_made_title(std::string_view title);

}  // namespace dunlin::io

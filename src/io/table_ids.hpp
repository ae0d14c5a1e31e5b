// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/table_schema.hpp"

/// Columns whose whole numbers name rows.
namespace dunlin::io {

/// Takes a first column of whole numbers that all differ as ids if its title is usual for ids, or its numbers begin
/// with zeros, and notes that, or that they do not differ. Words that all differ are ids before an index that counts
/// the rows, unless an option names the ids (ids_are_given).
void take_numbered_ids(TableSchema& schema, const Bytes& bytes, bool ids_are_given = false);

/// Says which columns of numbers look like ids, or count the rows.
void note_ids_as_coordinates(TableSchema& schema, const Bytes& bytes);

/// Throws Error{bad_file} if numbers that are to name the rows, as the first row has no name for them, repeat.
void require_row_names_differ(const std::vector<std::string>& ids, const TableSchema& schema, const Bytes& bytes);

/// Whether the cells of a column of all rows are the numbers of the rows, from 0 or 1.
bool counts_rows(const TableSchema& schema, const Bytes& bytes, std::size_t column);

/// Says that the first column, of whole numbers that differ, is not used beside column `chosen`: it may name the rows.
void note_unused_names(const TableSchema& schema, std::size_t chosen, std::vector<Note>& notes);

}  // namespace dunlin::io

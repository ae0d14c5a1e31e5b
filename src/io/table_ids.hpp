// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "io/table_schema.hpp"

/// Columns whose whole numbers name rows.
namespace dunlin::io {

/// Whether a title is usual for ids: sample, gene, barcode, patient_id, sampleId, ...
bool is_id_title(std::string_view title);

/// Takes a first column of whole numbers that all differ as ids if its title is usual for ids, and notes that.
void take_numbered_ids(TableSchema& schema, const Bytes& bytes);

/// Says that the first column, of whole numbers that differ, is not used beside column `chosen`: it may name the rows.
void note_unused_names(const TableSchema& schema, std::size_t chosen, std::vector<Note>& notes);

}  // namespace dunlin::io

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

}  // namespace dunlin::io

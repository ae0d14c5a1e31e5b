// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/export.hpp>

namespace dunlin::io {

/// Whether tables that this thread writes have a quote mark (') before texts that a spreadsheet would run as formulas:
/// those that begin with =, +, -, @, a tab or CR and are no numbers. Readers take it off. Returns what it was; false at
/// first.
DUNLIN_API bool write_spreadsheet_safe(bool safe);

}  // namespace dunlin::io

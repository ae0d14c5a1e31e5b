// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/bytes.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

/// The text without rows at its end that begin with a word for a sum or mean (Total, Sum, Mean, Gesamt, ..) and have
/// the sums, means, extremes or standard deviations of the columns above; a note in the schema says so, also of such
/// rows with other numbers, which stay.
Bytes without_totals(const Bytes& bytes, TableSchema& schema);

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/io.hpp>

/// Cells of points without a value.
namespace dunlin::io {

/// Whether the options say what becomes of gaps. Throws Error{bad_input} if they say two things, or no number.
bool settles_gaps(const ReadOptions& options);

/// Drops the rows with gaps (NaN), or fills the gaps with the mean or the median of their column or a number, and adds
/// a note that counts them. Throws Error{bad_file} if no row is left, or a column has no value to fill with.
void settle_gaps(Points& points, const ReadOptions& options, const std::string& file);

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/reliability.hpp>

#include "common.hpp"
#include "report.hpp"

/// The table of dunlin score --per-point, and what other commands read from it.
namespace dunlin::app {

/// A field of a table: with the delimiter, quotes or line ends in it, it is quoted (RFC 4180).
std::string field_of(const std::string& text, char mark);

/// Writes a row per point: [id,] and the columns that were computed. Undefined values are empty cells.
void write_columns(const fs::path& path, const reliability::Columns& columns, const std::vector<std::string>& ids);

/// The columns of a table with their names; others are ignored.
reliability::Columns columns_of(const io::Points& table);

/// Sets the shares of unreliable points, the unit of home, and the median Newton step.
void put_summary(Json& quality, const reliability::Result& result);

/// ", 0.7% of points would land elsewhere, 1.2% are torn from their neighbors"; empty if neither is known.
std::string shares_in_words(const reliability::Summary& summary);

/// Prints a sentence on standard error if the map has not converged, unless --quiet.
void warn_of_motion(const CommonOptions& common, const fs::path& map, const reliability::Result& result);

}  // namespace dunlin::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <dunlin/columns.hpp>
#include <dunlin/match.hpp>

#include "common.hpp"

/// Second inputs of a command, whose rows are matched with those of the first by io::match_rows.
namespace dunlin::app {

io::NamedRows rows_of(const fs::path& path, const io::Points& points);
io::NamedRows rows_of(const fs::path& path, const io::MapFile& map);

/// Says what a user should know of a match: a line on standard error, unless --quiet, and in the report.
void tell(const CommonOptions& common, const fs::path& second, const io::RowMatch& match);

/// The labels of FILE or FILE:COLUMN, in the order of the first input; rows without a partner have none.
Labels matched_labels(const CommonOptions& common, const std::string& file, const io::NamedRows& first);

/// A column that colors the rows of the first input, in their order; lonely rows have no label, or NaN.
io::ColorColumn matched_color(const CommonOptions& common, const io::FileColumn& column, const io::NamedRows& first);

/// A column of numbers of FILE or FILE:COLUMN in the order of the first input; lonely rows are NaN.
io::NumberColumn matched_column(const CommonOptions& common, const io::FileColumn& column, const io::NamedRows& first,
                                io::Lonely lonely);

/// A map of all rows of the first input, in their order.
io::MapFile matched_map(const CommonOptions& common, io::MapFile map, const fs::path& path, const io::NamedRows& first);

/// A map of some rows of the first input, with NaN for the others: by id, or of its first rows if neither has ids.
/// flag: that of the map.
Map map_of_some(const CommonOptions& common, const std::string& flag, const io::MapFile& some, const fs::path& path,
                const io::NamedRows& first);

/// A matrix with a row for each row of the first input, in their order. match: of the rows.
Matrix taken_rows(const Matrix& matrix, const io::RowMatch& match);

/// A square matrix over the rows of the first input, matched by its names.
Matrix matched_square(const CommonOptions& common, const fs::path& path, const io::NamedRows& first);

/// A graph over the rows of the first input, of a file that may name its rows: neighbors or affinities.
Graph matched_graph(const CommonOptions& common, const fs::path& path, const io::NamedRows& first);

}  // namespace dunlin::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <dunlin/io.hpp>

#include "io/table_schema.hpp"

/// What the columns of a table of positions are.
namespace dunlin::io {

constexpr std::size_t no_column = static_cast<std::size_t>(-1);

struct TrackColumns {
    std::size_t id = no_column, label = no_column;
    std::size_t visible = no_column;  ///< Movebank's mark of outliers
    std::vector<std::size_t> times;   ///< the coarsest first: date and clock time, or year, month, day
    std::vector<std::size_t> coordinates;
    bool geographic = false;
    std::vector<Note> notes;  ///< what was guessed, and what is left out
};

/// Finds the columns by their names, else by what they hold. Throws Error{bad_file} if there is no header or no
/// coordinate, Error{bad_input} if a column of `options` is not there.
TrackColumns find_track_columns(const TableSchema& schema, const std::string& file, const ReadOptions& options);

/// A name in lower case without units in brackets, blanks and punctuation: "Location-Long (deg)" is locationlong.
std::string plain_name(std::string_view name);

/// "'a', 'b' and 3 more"
std::string listed_columns(const TableSchema& schema, const std::vector<std::size_t>& columns);

}  // namespace dunlin::io

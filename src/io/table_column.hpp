// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/columns.hpp>
#include <dunlin/io.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// The column of a text table with this name or number. Throws Error{bad_file} if there is none, or it holds words.
NumberColumn table_column(const Bytes& bytes, const std::string& column);

/// The column of points that were read from a file of another format.
NumberColumn array_column(const Points& points, const std::string& column, const std::string& file);

/// Whether a column of a text table, as read_color_column() takes it, holds classes.
bool holds_classes(const Bytes& bytes, const std::string& column);

}  // namespace dunlin::io

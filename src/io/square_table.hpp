// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/io.hpp>
#include <dunlin/square.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

struct ParsedSquare {
    Square square;
    std::string complaint = {};  ///< error for a matrix; irrelevant if the file is not meant as one
};

/// A text table with as many columns of numbers as rows, and the names of either.
ParsedSquare read_square_table(const Bytes& bytes, Decimal decimal);

/// A matrix in any format but those of HDF5.
ParsedSquare parse_square(const Bytes& bytes, const ReadOptions& options);

/// Whether a text has about as many lines as columns, as a matrix with names and labels has.
bool may_be_square(const Bytes& bytes, Decimal decimal = Decimal::automatic);

}  // namespace dunlin::io

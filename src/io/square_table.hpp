// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/square.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

struct ParsedSquare {
    Square square;
    std::string complaint = {};  ///< error for a matrix; irrelevant if the file is not meant as one
};

/// A text table with as many columns of numbers as rows, and the names of either.
ParsedSquare read_square_table(const Bytes& bytes, Decimal decimal);

}  // namespace dunlin::io

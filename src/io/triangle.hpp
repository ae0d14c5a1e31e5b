// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <dunlin/io.hpp>
#include <dunlin/square.hpp>

#include "io/bytes.hpp"

/// Texts of dissimilarities that are no square table.
namespace dunlin::io {

/// A lower or upper triangle, with or without its diagonal and names; a matrix of PHYLIP (square, lower or upper, under
/// a line with the number of items); R's printed dist. Nothing for a text whose first rows are none of these, and for
/// two rows unless options.holds says dissimilarities. Throws Error{bad_file} with the line where a later row does not
/// go on like the first ones.
std::optional<Square> read_triangle(const Bytes& bytes, const ReadOptions& options);

/// A list of pairs, "a,b,distance" a row, with or without a header. A pair that is not listed is missing. Nothing for
/// other texts. Throws Error{bad_file} for a pair that is listed with two distances.
std::optional<Square> read_pairs(const Bytes& bytes, Decimal decimal);

/// n x n zeros, after a check of the memory.
std::vector<float> room_for_square(std::size_t n, const std::string& file);

/// Missing values of the diagonal become 0.
void complete_diagonal(Square& square, const std::string& file);

/// A matrix one half of which is zeros, or missing, gets the other half, and a note.
void complete_half(Square& square, const std::string& file);

}  // namespace dunlin::io

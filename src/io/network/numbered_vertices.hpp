// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "io/bytes.hpp"
#include "io/dense.hpp"
#include "io/network/parsed_network.hpp"

namespace dunlin::io {

/// Vertices that a file numbers, by its format from 1. Edges have the numbers of the file until settle().
class NumberedVertices {
public:
    explicit NumberedVertices(const Bytes& bytes) : bytes_(bytes) {}

    /// The number that a word of the file is. Throws Error{bad_file} for another word.
    Index read(std::string_view word);

    /// Numbers the vertices of all edges from 0 and names them by their numbers, of which `announced` follow each
    /// other; others that occur come behind them, in ascending order. A file that counts from 0 keeps its numbers, with
    /// a warning. Returns how many numbers are not announced.
    Index settle(ParsedNetwork& parsed, Index announced);

    [[nodiscard]] Index first() const { return first_; }  ///< the number of the first vertex, after settle()

    /// Throws Error{bad_file} for the number that is not among the announced ones.
    [[noreturn]] void refuse_other_number(Index announced) const;

private:
    void cover(Index number, const char* place);

    const Bytes& bytes_;
    Index first_ = 1, least_ = most_items, most_ = -1;
    const char* least_at_ = nullptr;
    const char* most_at_ = nullptr;
};

/// Says that vertices are numbered from 0 where their format counts from 1.
void say_from_zero(Network& network);

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <dunlin/network.hpp>

#include "io/bytes.hpp"
#include "io/field_reader.hpp"
#include "io/network/edge_header.hpp"

namespace dunlin::io {

/// Schema of a text edge list, detected from its first rows.
struct EdgeSchema {
    static constexpr std::size_t none = ~std::size_t{0};

    Dialect dialect{' ', '.'};
    const char* body = nullptr;  ///< first row of edges, or the end
    std::size_t columns = 0;
    std::size_t source = 0, target = 1, weight = none;  ///< columns, from 0
    bool header = false;                                ///< the first row, which is skipped, names the columns
    bool names_ends = false;          ///< the header, or a comment above the edges, names both ends of an edge
    bool triples = false;             ///< the second column has kinds of relations, as in SIF
    bool counts = false;              ///< the first row, which is skipped, has the numbers of vertices and edges
    bool may_be_header = false;       ///< the first row, an edge, has words alone
    bool refuses_headers = true;      ///< a row that is the header again, or names the ends among numbers, is an error
    const char* first_row = nullptr;  ///< the header; null: none
    std::string kinds;        ///< "'author' and 'paper'": ends of two kinds, whose numbers are the same vertices
    Offset comments = 0;      ///< above the edges, like edges whose first name begins with # or %
    std::string left_out;     ///< unused columns, for a warning
    std::vector<Note> notes;  ///< guesses about the header and the weights

    [[nodiscard]] std::size_t last() const;  ///< the last column in use
};

/// Throws Error{bad_file} if the text is no edge list, Error{bad_input} if options.weights_from is not a column.
EdgeSchema detect_edge_schema(const Bytes& bytes, const NetworkOptions& options);

/// Dialect of the rows from `body` on; blanks are the delimiter if no other one splits the first row.
Dialect edge_dialect(const Bytes& bytes, const char* body, Decimal decimal = Decimal::automatic);

/// Skips blanks, empty lines, marks of byte order and comment lines (# or %), which it adds to `comments`.
const char* next_edge_row(const Bytes& bytes, const char* p, Offset* comments = nullptr);

/// The row after the one that `p` is in.
const char* after_edge_row(const Bytes& bytes, const char* p, Offset* comments = nullptr);

/// The fields of the row at `p`, without an empty one behind a trailing delimiter.
RawRow edge_row(const Bytes& bytes, Dialect dialect, const char* p);

/// Some rows from `p` on.
std::vector<RawRow> edge_rows(const Bytes& bytes, Dialect dialect, const char* p);

/// The line at `p`, without blanks behind it.
std::string_view row_text(const Bytes& bytes, const char* p);

}  // namespace dunlin::io

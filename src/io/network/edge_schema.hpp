// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <dunlin/network.hpp>

#include "io/bytes.hpp"
#include "io/field_reader.hpp"

namespace dunlin::io {

/// How a text of edges is laid out, found by looking at its first rows.
struct EdgeSchema {
    static constexpr std::size_t none = ~std::size_t{0};

    Dialect dialect{' ', '.'};
    const char* body = nullptr;  ///< the first row of an edge, or the end
    std::size_t columns = 0;
    std::size_t source = 0, target = 1, weight = none;  ///< columns, from 0
    bool header = false;                                ///< a first row, passed over, names the columns
    bool names_ends = false;                            ///< and gives both ends a name that others use
    bool counts = false;                                ///< a first row, passed over, counts vertices and edges
    std::string left_out;                               ///< the columns that are not used, for a warning

    [[nodiscard]] std::size_t last() const;  ///< the last column of these
};

/// Throws Error{bad_file} where no edges can be, Error{bad_input} if options.weights_from names no column.
EdgeSchema detect_edge_schema(const Bytes& bytes, const NetworkOptions& options);

/// How the rows from `body` on are written; blanks separate where nothing else cuts the first.
Dialect edge_dialect(const Bytes& bytes, const char* body, Decimal decimal = Decimal::automatic);

/// Is it digits, all of it?
bool is_whole(std::string_view raw);

/// Past blanks, empty lines and lines of comment, which begin with # or %.
const char* next_edge_row(const Bytes& bytes, const char* p);

}  // namespace dunlin::io

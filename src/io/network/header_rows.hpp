// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/network/edge_schema.hpp"

namespace dunlin::io {

/// Finds names of columns among the edges, as in files that were joined.
class HeaderRows {
public:
    HeaderRows(const Bytes& bytes, const EdgeSchema& schema);

    /// Whether the row at `line` is the header again, in any case, with quotes or without.
    [[nodiscard]] bool repeats(const char* line) const {
        if (names_.empty()) return false;
        const char* const word = *line == '"' ? line + 1 : line;
        const char first = names_[0].empty() ? schema_.dialect.delimiter : names_[0][0];
        return (lowered(*word) == lowered(first) || *word == '"') && is_header(line, word);
    }
    [[noreturn]] void refuse_repeated(const char* line) const;

    /// Throws Error{bad_file} if a row among edges of numbers has usual names of the ends.
    void refuse_names_of_ends(const char* line) const;

private:
    static char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
    [[nodiscard]] bool is_header(const char* line, const char* word) const;

    const Bytes& bytes_;
    const EdgeSchema& schema_;
    RawRow names_;  ///< the header; empty: there is none, or it may be an edge
};

}  // namespace dunlin::io

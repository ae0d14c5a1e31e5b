// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "io/bytes.hpp"
#include "io/field_reader.hpp"
#include "io/read_progress.hpp"

namespace dunlin::io {

/// The head of a Matrix Market file.
struct MtxHead {
    Index rows = 0, cols = 0;
    Offset entries = 0;       ///< lines that follow
    bool coordinate = false;  ///< else array: all values, column after column
    bool pattern = false;     ///< no values: each is 1
    bool symmetric = false;   ///< only the lower triangle is stored
    bool skew = false;        ///< symmetric, with the sign changed
    const char* body = nullptr;
};

bool is_mtx(const Bytes& bytes);

/// Throws Error{bad_file} for other kinds of matrix (complex, hermitian) and heads that cannot be true.
MtxHead parse_mtx_head(const Bytes& bytes);

/// Whether an entry has a row or column 0: against the format, which counts from 1, but graphs are found written so.
bool counts_from_zero(const Bytes& bytes, const MtxHead& head);

/// Whether the first entry has a value where the head says pattern: against the format, but graphs are found written
/// so.
bool pattern_has_values(const Bytes& bytes, const MtxHead& head);

/// Reads the entries of a Matrix Market file in their order, not yet mirrored; rows and columns come from 0 and stand
/// in the file from `first`.
class MtxEntries {
public:
    MtxEntries(const Bytes& bytes, const MtxHead& head, Index first = 1)
        : bytes_(bytes), head_(head), first_(first), at_(head.body), progress_("read", bytes.view()) {}

    struct Triplet {
        Index row = 0, col = 0;
        double value = 1;
    };

    /// The next entry; false after the last. Throws Error{bad_file} for entries that are missing or out of range.
    bool next(Triplet& entry);

    /// The number of the line that the last entry is in, from 1.
    [[nodiscard]] std::size_t line() const { return line_of(bytes_, at_); }

private:
    [[noreturn]] void fail(const char* what, const char* place) const;
    Index index(Index extent, const char* what);
    double value();
    bool next_line();

    const Bytes& bytes_;
    const MtxHead& head_;
    Index first_;
    const char* at_;
    ReadProgress progress_;
    Offset read_ = 0;
    Index row_ = 0, col_ = 0;
};

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dunlin/types.hpp>

#include "io/bytes.hpp"
#include "io/field_reader.hpp"
#include "io/read_progress.hpp"

namespace dunlin::io {

/// Header of a Matrix Market file.
struct MtxHead {
    Index rows = 0, cols = 0;
    Offset entries = 0;       ///< number of lines that follow
    bool coordinate = false;  ///< else array: all values, column-major
    bool pattern = false;     ///< no values: every entry is 1
    bool symmetric = false;   ///< only the lower triangle is stored
    bool skew = false;        ///< skew-symmetric
    const char* body = nullptr;
};

bool is_mtx(const Bytes& bytes);

/// Throws Error{bad_file} for unsupported matrices (complex, hermitian) and impossible headers.
MtxHead parse_mtx_head(const Bytes& bytes);

/// Whether an entry has a row or column 0. The format counts from 1, but some published graphs count from 0.
bool counts_from_zero(const Bytes& bytes, const MtxHead& head);

/// Whether the first entry of a pattern matrix has a value, as some published graphs have against the format.
bool pattern_has_values(const Bytes& bytes, const MtxHead& head);

/// Iterates over the stored entries of a Matrix Market file, without the mirrored ones of a symmetric matrix. Rows and
/// columns are returned from 0; in the file they begin at `first`.
class MtxEntries {
public:
    MtxEntries(const Bytes& bytes, const MtxHead& head, Index first = 1)
        : bytes_(bytes), head_(head), first_(first), at_(head.body), progress_("read", bytes.view()) {}

    struct Triplet {
        Index row = 0, col = 0;
        double value = 1;
    };

    /// Reads the next entry; false after the last. Throws Error{bad_file} for missing or out-of-range entries.
    bool next(Triplet& entry);

    /// Line number of the last entry, from 1.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"
#include "io/number.hpp"

namespace dunlin::io {

/// How a text table is written.
struct Dialect {
    char delimiter = ',';  ///< comma, semicolon, tab, or a blank: any run of spaces and tabs
    char point = '.';      ///< the decimal mark, '.' or ','; where both are commas, numbers with a mark are in quotes
};

/// Walks the cells of a text table. A cell ends at the delimiter or at the end of its row; with the delimiter ' '
/// runs of spaces and tabs separate cells. TableRows end with LF, CR LF or CR; empty lines are passed over.
class FieldReader {
public:
    /// strict: a quote that is not closed properly is an error; otherwise it is part of a word (to look at a file).
    FieldReader(const Bytes& bytes, Dialect dialect, const char* from, bool strict = true)
        : bytes_(&bytes), delimiter_(dialect.delimiter), point_(dialect.point), strict_(strict), at_(from) {}

    [[nodiscard]] const char* at() const { return at_; }
    [[nodiscard]] char delimiter() const { return delimiter_; }
    [[nodiscard]] char point() const { return point_; }

    /// Goes on from another place.
    void go_to(const char* place) { at_ = place; }

    /// Past blanks that do not matter.
    void skip_blanks() {
        while (*at_ == ' ' || (*at_ == '\t' && delimiter_ != '\t')) ++at_;
    }

    /// Moves to the first cell of the next row that is not empty; false at the end.
    bool next_row();

    /// After a cell: moves to the next one of this row; false where the row ends.
    bool next_field() {
        if (delimiter_ == ' ') {
            skip_blanks();
            return !ends_row(at_);
        }
        if (*at_ != delimiter_ || at_ == bytes_->end()) return false;
        ++at_;
        return true;
    }

    /// Reads up to `count` cells that are plain numbers and have another cell after them, and moves to the first cell
    /// that was not read; returns how many were. The fast path of tables.
    std::size_t numbers(double* out, std::size_t count);

    /// Reads the number that the cell consists of, unless blanks or quotes are around it, and moves behind it. Returns
    /// whether there was one.
    bool number(double& value) {
        if (delimiter_ == point_) return false;
        const char* const after = parse_number(at_, value, point_);
        return after != nullptr && accept(after);
    }

    /// Goes to the place after a number that ends at `p`, if the cell ends there too.
    bool accept(const char* p) {
        if (*p != delimiter_ && !ends_row(p) && !(delimiter_ == ' ' && *p == '\t')) return false;
        at_ = p;
        return true;
    }

    /// The cell as it stands in the file: blanks around it and quotes removed, doubled quotes still doubled.
    std::string_view raw();

    /// The cell's text.
    std::string text();

    /// Is the character at p, which is in the content or at its end, the end of a row?
    [[nodiscard]] bool ends_row(const char* p) const { return *p == '\n' || *p == '\r' || p == bytes_->end(); }

private:
    [[nodiscard]] bool ends_field(const char* p) const {
        return ends_row(p) || *p == delimiter_ || (delimiter_ == ' ' && *p == '\t');
    }
    [[nodiscard]] const char* closing_quote(const char* open) const;
    std::string_view quoted(const char* close);
    std::string_view bare();

    const Bytes* bytes_;
    char delimiter_;
    char point_;
    bool strict_;
    const char* at_;
};

/// The raw cells of the next row; none at the end.
std::vector<std::string_view> raw_fields(FieldReader& fields);

/// `raw` with doubled quotes made single.
std::string unquoted(std::string_view raw);

/// The number of the line that `place` is in, from 1.
std::size_t line_of(const Bytes& bytes, const char* place);

}  // namespace dunlin::io

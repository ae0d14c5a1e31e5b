// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"
#include "io/number.hpp"

namespace dunlin::io {

/// The dialect of a text table (Python's csv has the term).
struct Dialect {
    char delimiter = ',';  ///< comma, semicolon, tab, '|', or ' ': any run of spaces and tabs
    char point = '.';      ///< decimal mark, '.' or ','; if both are commas, numbers with a mark are quoted
};

/// Iterates over the fields of a text table. A field ends at the delimiter or at the end of its row; with the delimiter
/// ' ', runs of spaces and tabs separate fields. Rows end with LF, CR LF or CR; empty lines are skipped.
class FieldReader {
public:
    /// strict: an unclosed quote is an error; otherwise it is part of the text (for detection).
    FieldReader(const Bytes& bytes, Dialect dialect, const char* from, bool strict = true)
        : bytes_(&bytes), delimiter_(dialect.delimiter), point_(dialect.point), strict_(strict), at_(from) {}

    [[nodiscard]] const char* at() const { return at_; }
    [[nodiscard]] char delimiter() const { return delimiter_; }
    [[nodiscard]] char point() const { return point_; }

    /// Continues at another position.
    void go_to(const char* place) { at_ = place; }

    /// Skips spaces, and tabs unless they are the delimiter.
    void skip_blanks() {
        while (*at_ == ' ' || (*at_ == '\t' && delimiter_ != '\t')) ++at_;
    }

    /// Moves to the first field of the next row that is not empty; false at the end.
    bool next_row();

    /// Moves from the end of a field to the next one of this row; false at the end of the row.
    bool next_field() {
        if (delimiter_ == ' ') {
            skip_blanks();
            return !ends_row(at_);
        }
        if (*at_ != delimiter_ || at_ == bytes_->end()) return false;
        ++at_;
        return true;
    }

    /// Reads up to `count` fields that are plain numbers followed by another field, and moves to the first unread
    /// field. Returns the number of fields read. The fast path of tables.
    std::size_t numbers(double* out, std::size_t count);

    /// Reads a field that is a number without blanks and quotes, and moves to its end. False if it is none.
    bool number(double& value) {
        if (delimiter_ == point_) return false;
        const char* const after = parse_number(at_, value, point_);
        return after != nullptr && accept(after);
    }

    /// Moves to `p`, the end of a number, if the field ends there; else returns false.
    bool accept(const char* p) {
        if (*p != delimiter_ && !ends_row(p) && !(delimiter_ == ' ' && *p == '\t')) return false;
        at_ = p;
        return true;
    }

    /// The field without surrounding blanks and quotes; doubled quotes stay doubled.
    std::string_view raw();

    /// The field's text, unquoted.
    std::string text();

    /// Whether the character at p, within the content or at its end, ends a row.
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

/// The raw fields of the next row; empty at the end.
std::vector<std::string_view> raw_fields(FieldReader& fields);

/// `raw` with doubled quotes replaced by single ones, and without the quote mark of spreadsheet.hpp.
std::string unquoted(std::string_view raw);

/// The number of the line at `place`, from 1.
std::size_t line_of(const Bytes& bytes, const char* place);

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <dunlin/holds.hpp>

#include "io/bytes.hpp"
#include "io/growable_buffer.hpp"

/// Files that hold a text table in another form.
namespace dunlin::io {

/// A text in UTF-16 or Windows-1252 as UTF-8, the only file of a zip archive, the first sheet of an .xlsx workbook and
/// the records of .jsonl as a text table; any other file as it is. Throws Error{bad_file} if one of these is damaged,
/// or an archive has several files.
Bytes as_text(Bytes bytes);

/// Adds what is to be said of how the content was found, if there is something.
inline void note_said(const Bytes& bytes, std::vector<Note>& notes) {
    if (!bytes.said().empty()) notes.push_back({bytes.said(), ""});
}

/// A cell of a table whose columns are separated by tabs: in quotes if it must be, with blanks for line ends.
std::string table_cell(const std::string& text);
/// Adds a text to such a table.
void append(GrowableBuffer<char>& table, std::string_view text);

/// Whether a text begins with the byte order mark of UTF-16.
bool is_utf16(const Bytes& bytes);
/// Throws Error{bad_file} for half a character.
Bytes utf8_of(const Bytes& utf16);

/// Whether a text has bytes that are no UTF-8. Looks at its first 4 MiB.
bool is_windows_1252(const Bytes& bytes);
/// The text with those bytes as characters of Windows-1252, with a line that says so.
Bytes utf8_of_1252(const Bytes& bytes);

/// Whether a zip archive is a workbook of Excel.
bool is_xlsx(const Bytes& zip);
/// The first sheet, separated by tabs; line numbers are those of its rows. Dates are written as text (2026-11-29).
Bytes first_sheet_of(const Bytes& xlsx);

/// One record of JSON a line, objects or arrays, separated by tabs below the names of the objects' members. An array of
/// numbers in a member becomes columns `member.0`, `member.1`, ...
Bytes table_of_json_lines(const Bytes& lines);

}  // namespace dunlin::io

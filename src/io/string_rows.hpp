// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <dunlin/sequence_files.hpp>

#include "io/bytes.hpp"

/// Texts of a file whose rows are no plain lines.
namespace dunlin::io {

struct StringRows {
    std::vector<std::string> texts, ids;
    Labels labels;
    std::string kind;
    std::vector<Note> notes;
};

/// FASTA, by its name, or by a first line that begins with '>' and is followed by one that does not. Empty: it is none.
std::optional<StringRows> read_fasta(const Bytes& bytes);

/// A table with a column of strings: .csv, .tsv, or any text with the header of such a table or a column that an option
/// names. Empty: it is a text with an item a line. Throws Error{bad_file} if no column is the one of the strings.
std::optional<StringRows> read_string_table(const Bytes& bytes, const StringOptions& options);

}  // namespace dunlin::io

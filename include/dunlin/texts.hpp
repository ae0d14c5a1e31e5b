// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <dunlin/columns.hpp>
#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

/// Texts of points, and how often they have each word: what naming::of_words() takes.
namespace dunlin::io {

/// Counts of words, a row per text and a column per word.
struct WordTable {
    SparseMatrix counts;
    std::vector<std::string> words;     ///< empty: they have no names
    std::vector<std::string> ids = {};  ///< names of the rows, if a file has them
    std::vector<Note> notes = {};       ///< guesses of the reader
};

/// Which words of texts are counted.
struct WordOptions {
    int phrase = 2;                            ///< up to so many words in a row count as one, too: 1 or 2
    Index texts = 3;                           ///< words of fewer texts are left out
    std::vector<std::string> stop_words = {};  ///< words that do not count
};

/// Counts words as points_of_texts() finds them: runs of two or more letters, digits and '_', in lower case. Phrases
/// are two adjacent words, neither a stop word. Words ascend by their bytes, so that they do not depend on the order of
/// texts. Empty after a stop.
DUNLIN_API WordTable count_words(const std::vector<std::string>& texts, const WordOptions& options = {},
                                 const Run& run = {});

/// Reads the texts of a folder, as read_points() does, or a column of a table, as read_text_column() does.
DUNLIN_API TextColumn read_texts(const std::filesystem::path& path, const std::string& column = {},
                                 const Run& run = {});

/// Reads counts: a sparse .npz or .mtx and LDA-C without their zeros, else any file of points, whose columns may name
/// the words. Entries of one row and column add up. Throws Error{bad_file}.
DUNLIN_API WordTable read_counts(const std::filesystem::path& path, const Run& run = {});

/// Reads words, one a line, as they are; blanks around them and empty lines at the end do not count.
DUNLIN_API std::vector<std::string> read_words(const std::filesystem::path& path, const Run& run = {});

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/holds.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// A file and the name of one of its columns.
struct FileColumn {
    std::filesystem::path file;
    std::string column;  ///< empty: none is named
};

/// Splits FILE or FILE:COLUMN; the last colon before which the name of an existing file stands is the one that
/// separates. The file is empty if there is none.
DUNLIN_API FileColumn split_file_column(const std::string& text);

/// A column of numbers of a file, such as a measurement that colors a map.
struct NumberColumn {
    std::string name;                   ///< as in the header; if there is none, as it was asked for
    std::vector<double> values;         ///< a value per row; NaN: missing
    std::vector<std::string> ids = {};  ///< names of the rows, if the file has a column of them
    std::vector<Note> notes = {};       ///< guesses of the reader
};

/// Reads one column of the formats of read_points(). `column` is its name, or its number from 1 in the file; columns of
/// words count, and are not read. Missing values ("", NA, nan) are NaN. Throws Error{bad_file} with the columns if
/// there is none of this name or number, and if it holds words.
/// In .h5ad files `column` is obs:NAME, gene:NAME (a gene of X), or NAME of obs. If `column` is empty, the file's only
/// column of numbers is read.
DUNLIN_API NumberColumn read_column(const std::filesystem::path& path, const std::string& column, const Run& run = {});

/// Classes of the rows of a file.
struct LabelColumn {
    Labels labels;
    std::vector<std::string> ids = {};  ///< names of the rows, if the file has a column of them
    std::vector<Note> notes = {};       ///< guesses of the reader
};

/// Reads the classes of rows: a column of a table (`column` is its name, or its number from 1), of .h5ad files as in
/// read_column(), or what read_labels() reads. Without a name it is the column called label, or the only one beside the
/// ids. Throws Error{bad_file} with the columns if there is none of this name, and if several could be meant.
DUNLIN_API LabelColumn read_label_column(const std::filesystem::path& path, const std::string& column = {},
                                         const Run& run = {});

/// Words of the rows of a file, such as names that are shown.
struct TextColumn {
    std::vector<std::string> values;    ///< "": missing
    std::vector<std::string> ids = {};  ///< names of the rows, if the file has a column of them
    std::vector<Note> notes = {};       ///< guesses of the reader
};

/// Reads a column as read_label_column() does; every row may have words of its own.
DUNLIN_API TextColumn read_text_column(const std::filesystem::path& path, const std::string& column = {},
                                       const Run& run = {});

/// A column that colors points: numbers, or classes.
struct ColorColumn {
    std::optional<NumberColumn> numbers = {};  ///< none: classes
    LabelColumn classes = {};
};

/// Largest number of classes that a column of words may have to color points.
constexpr int most_color_classes = 1000;

/// Reads a column as the colors of points. Words are classes; so are whole numbers under a name of labels (label,
/// class, cluster, ..), and categories and truth values of .h5ad files. Other numbers are a scale. Without a name it is
/// the file's only column of numbers, else what read_label_column() takes. Throws Error{bad_file} as these, and for
/// words of more than most_color_classes kinds.
DUNLIN_API ColorColumn read_color_column(const std::filesystem::path& path, const std::string& column = {},
                                         const Run& run = {});

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/io.hpp>

#include "io/bytes.hpp"

/// One reader per format; each takes a file's content, so that tests and fuzzers can feed it from memory. They leave
/// ReadOptions::labels alone where it names a file: read_points joins that.
namespace dunlin::io {

/// Throws Error{bad_file}: what a .json file holds is neither points nor a graph to be read.
[[noreturn]] void refuse_json(const std::string& name);

Points read_table(const Bytes& bytes, const ReadOptions& options);
Points read_npy(const Bytes& bytes, const ReadOptions& options);
Points read_idx(const Bytes& bytes, const ReadOptions& options);
Points read_fvecs(const Bytes& bytes, const ReadOptions& options);
Points read_mtx(const Bytes& bytes, const ReadOptions& options);
Points read_svmlight(const Bytes& bytes, const ReadOptions& options);
Points read_npz(const Bytes& bytes, const ReadOptions& options);
Points read_lda(const Bytes& bytes, const ReadOptions& options);

/// Do the first lines each hold a number N and N pairs id:count, as in LDA-C?
bool is_lda(const Bytes& bytes);

/// The labels of a table: its only column, the one called label or the like, or the only one that holds words.
Labels read_label_table(const Bytes& bytes);

/// What the rows of a file are, if they are neither edges nor dissimilarities: points or documents.
Guess guess_rows(const Bytes& bytes, const ReadOptions& options);

/// What a file holds, by its name and content.
Guess guess(const Bytes& bytes, const ReadOptions& options);

/// What a file looks like as a matrix.
struct SquareTraits {
    bool square = false;  ///< or condensed; else the others are false
    bool zero_diagonal = false;
    bool symmetric = false;  ///< as far as 256 rows tell
    [[nodiscard]] bool dissimilarities() const { return zero_diagonal || symmetric; }
};
SquareTraits inspect_square(const Bytes& bytes, const ReadOptions& options);

/// The reader that fits the content or the extension.
Points read_points(const Bytes& bytes, const ReadOptions& options);
Labels read_labels(const Bytes& bytes);
MapFile read_map(const Bytes& bytes);
Graph read_graph(const Bytes& bytes);

/// A file name's extension in lower case, that of a compressed file without .gz or .xz.
std::string extension_of(const std::string& name);

}  // namespace dunlin::io

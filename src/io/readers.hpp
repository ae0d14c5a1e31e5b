// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <dunlin/columns.hpp>
#include <dunlin/io.hpp>
#include <dunlin/named_graph.hpp>

#include "io/bytes.hpp"

/// One reader per format. Readers take the content of a file, so that tests and fuzzers can call them. They ignore
/// ReadOptions::labels if it names a file, which read_points(path) reads.
namespace dunlin::io {

/// Throws Error{bad_file}: a .json file can only be read as a map.
[[noreturn]] void refuse_json(const std::string& name);

Points read_table(const Bytes& bytes, const ReadOptions& options);
Points read_npy(const Bytes& bytes, const ReadOptions& options);
Points read_idx(const Bytes& bytes, const ReadOptions& options);
Points read_fvecs(const Bytes& bytes, const ReadOptions& options);
/// Bytes of a value in a .fvecs, .ivecs or .bvecs; 0: another file by its name.
std::size_t item_of_vecs(const std::string& name);
Points read_mtx(const Bytes& bytes, const ReadOptions& options);
Points read_svmlight(const Bytes& bytes, const ReadOptions& options);
Points read_npz(const Bytes& bytes, const ReadOptions& options);
Points read_binary_rows(const Bytes& bytes, const ReadOptions& options);
Points read_safetensors(const Bytes& bytes, const ReadOptions& options);
Points read_lda(const Bytes& bytes, const ReadOptions& options);

/// Whether each of the first lines has a number N and N pairs id:count, as in LDA-C.
bool is_lda(const Bytes& bytes);

/// Labels of a table: the column of this name or number; without a name the one with a usual name (label, class, ...),
/// or the only one beside the ids.
LabelColumn read_label_table(const Bytes& bytes, const std::string& column);

/// Whether the rows of a file are points or documents, if they are neither edges nor dissimilarities.
Guess guess_rows(const Bytes& bytes, const ReadOptions& options);

/// Whether the rows are read as a text table, by read_table.
bool is_text_table(const Bytes& bytes, const ReadOptions& options);

/// Guesses what a file holds from its name and content.
Guess guess(const Bytes& bytes, const ReadOptions& options);

/// Properties of a file as a matrix.
struct SquareTraits {
    bool square = false;  ///< or condensed; if false, the others are false
    bool zero_diagonal = false;
    bool symmetric = false;  ///< tested on the first 256 rows
    bool condensed = false;
    bool named_and_binary = false;  ///< items have names, and the entries are 0 and 1
    /// As a graph's matrix of 0 and 1 is, with no vertex joined to itself.
    [[nodiscard]] bool adjacency() const { return named_and_binary && symmetric && zero_diagonal; }
    std::string kind = {};  ///< as Square::kind
    [[nodiscard]] bool dissimilarities() const { return zero_diagonal || symmetric; }
};
SquareTraits inspect_square(const Bytes& bytes, const ReadOptions& options);

/// Reads with the reader that fits the content or the extension.
Points read_points(const Bytes& bytes, const ReadOptions& options);
Labels read_labels(const Bytes& bytes);
LabelColumn read_label_column(const Bytes& bytes, const std::string& column);
/// Reads a column of words, which may differ in every row.
LabelColumn read_words(const Bytes& bytes, const std::string& column);
MapFile read_map(const Bytes& bytes, const std::optional<std::vector<double>>& origin = {});
/// Says through run.on_notice which columns of a list of edges are not used.
Graph read_graph(const Bytes& bytes, const Run& run = {});
NamedGraph read_named_graph(const Bytes& bytes, const Run& run = {});

/// The extension of a file name in lower case, before .gz or .xz.
std::string extension_of(const std::string& name);

}  // namespace dunlin::io

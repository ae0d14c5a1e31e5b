// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <dunlin/io.hpp>

#include "io/bytes.hpp"

/// Vectors of tokens: words, or vertices of a graph.
namespace dunlin::io {

enum class VectorsForm : unsigned char {
    counted,  ///< text whose first line has the numbers of rows and dimensions: word2vec, fastText .vec, node2vec .emb
    bare,     ///< text without that line, of eight dimensions or more: GloVe
    binary,   ///< word2vec .bin: the first line, then tokens and float32
};

/// The first line and the number of dimensions.
struct VectorsHead {
    VectorsForm form;
    std::uint64_t rows = 0;  ///< as the first line says; 0: there is none
    std::uint64_t dims = 0;
    const char* body = nullptr;
};

/// Nothing for other files, and for tables that options.ids or options.labels name columns of. A row ends with as many
/// numbers as there are dimensions; all before them is its token, which may have blanks and quotes.
std::optional<VectorsHead> find_vectors(const Bytes& bytes, const ReadOptions& options);

/// The vectors, with the tokens as ids.
Points read_word_vectors(const Bytes& bytes, const ReadOptions& options);

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/holds.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// What a file of points holds beside the numbers. Empty members: the file had none.
struct Points {
    Matrix values;                     ///< rows x cols; a column far from zero is stored less `shift`
    std::vector<double> shift;         ///< what was taken from each column before narrowing to float32; empty: nothing
    std::vector<std::string> ids;      ///< a name per row
    std::vector<std::string> columns;  ///< a name per column
    Labels labels;
    std::string kind;              ///< "csv", "npy", "npz", "idx", "fvecs", "mtx", "svmlight", "lda-c"
    Guess guess = {};              ///< what the file was taken to hold: points or documents
    std::vector<Note> notes = {};  ///< what else was guessed
};

/// The decimal mark of the numbers in a text; automatic: found from the text.
enum class Decimal { automatic, point, comma };
constexpr std::array<std::string_view, 3> names(Decimal) { return {"auto", "point", "comma"}; }

struct ReadOptions {
    std::string labels =
        {};  ///< a column's name or 1-based number in this file, or a file with a label per line / idx / npy
    std::string ids = {};            ///< a column's name or 1-based number that names the rows
    bool transpose = false;          ///< rows are features and columns are points (term-document matrices)
    Holds holds = Holds::automatic;  ///< what the file holds; read_points: points or documents
    Decimal decimal = Decimal::automatic;
    std::string array = {};  ///< .npz: the name of the array to read; empty: its only one
};

template <class Visit>
void fields(Visit&& visit, ReadOptions& o) {
    visit(field("labels", o.labels, "label column (name or 1-based number), or a file of labels"));
    visit(field("ids", o.ids, "column that names the rows (name or 1-based number)"));
    visit(field("transpose", o.transpose, "rows of the file are features, columns are points"));
    visit(field("holds", o.holds, "what the input holds; auto: by its name and content"));
    visit(field("decimal", o.decimal, "the decimal mark of a text; auto: as its rows are written"));
    visit(field("array", o.array, "which array of an .npz archive that holds several"));
}

// Readers take a Run: its threads are the most they use, on_progress is called in the stages "read" and "decompress"
// (in bytes), and a stop requested through it gives an empty result (no rows, no vertices; look at run.stop afterwards)
// within 0.1 s, except inside the libraries that parse DOT, GraphML and JSON.

/// What a file holds: options.holds, unless that is automatic; else by its format, or a guess from its content.
///   graph            .dot .gv .gml .graphml .graph .metis .edges .edgelist; guessed of a sparse square .mtx or .npz,
///                    and of a text with two columns of whole numbers or with a header that names the ends of edges
///   dissimilarities  guessed of a square table or .npy that is symmetric or has a diagonal of zeros, and of a
///                    condensed .npy
///   documents        .ldac .lda-c; guessed of LDA-C lines, and of a sparse .mtx or .npz that is not square
///   points           everything else
/// A file that cannot be read as what it seems to be counts as points: the reader says what is wrong. Throws
/// Error{bad_file} if it cannot be opened or its dialect is ambiguous. A stop requested through `run` gives automatic.
DUNLIN_API Guess guess(const std::filesystem::path& path, const ReadOptions& options = {}, const Run& run = {});

/// Reads points: .npy, .npz (a dense array or SciPy's CSR), .csv, .tsv, .txt, IDX (MNIST), .fvecs, Matrix Market
/// (.mtx), svmlight (.svm, .libsvm, .svmlight, or any text of such lines), LDA-C (.ldac, .lda-c, or any text of such
/// lines), each also .gz or .xz. Throws Error{bad_file} with file and line or row, and the remedy; Error{bad_input} if
/// options.holds is neither points nor documents.
DUNLIN_API Points read_points(const std::filesystem::path& path, const ReadOptions& options = {}, const Run& run = {});

/// Reads one label per row: text (a line each), .npy of integers, IDX; each also .gz or .xz.
DUNLIN_API Labels read_labels(const std::filesystem::path& path, const Run& run = {});

/// A map with what its file said about the points.
struct MapFile {
    Map map;
    std::vector<std::string> ids;
    Labels labels;
    std::vector<Note> notes = {};  ///< what was guessed
};

/// Reads a map from .csv, .tsv, .npy or .json (columns x, y[, z], or x1, x2, ...; optionally id and label), ours or
/// anyone's.
DUNLIN_API MapFile read_map(const std::filesystem::path& path, const Run& run = {});

/// Writes a map; the extension decides: .csv, .tsv, .npy, .json. Columns: [id,] x, y[, z] [, label]; in any but 2 or 3
/// dimensions x1, x2, ... The file appears whole or not at all.
DUNLIN_API void write_map(const std::filesystem::path& path, const MapFile& map);

/// Writes points as a table, their shift put back: .csv, .tsv or .npy (float32). The file appears whole or not at all.
DUNLIN_API void write_points(const std::filesystem::path& path, const Points& points);

/// Writes the cluster of every row, from 0: .csv or .tsv ([id,] cluster) or .npy (int32). `ids`: empty, or one a row.
DUNLIN_API void write_clusters(const std::filesystem::path& path, const std::vector<Index>& clusters,
                               const std::vector<std::string>& ids);

/// Reads or writes a graph: .npz (SciPy's CSR), .mtx, .csv or .tsv (source,target,weight; ids from 0).
DUNLIN_API Graph read_graph(const std::filesystem::path& path, const Run& run = {});
DUNLIN_API void write_graph(const std::filesystem::path& path, const Graph& graph);

/// Writes a text. The file appears whole or not at all; a symbolic link stays one; what is no regular file is written
/// to as it is.
DUNLIN_API void write_text(const std::filesystem::path& path, std::string_view text);

/// Throws Error{bad_file} with the reason if nothing could be written there now: to be asked before a long run. It
/// leaves everything as it was.
DUNLIN_API void require_writable(const std::filesystem::path& path);

}  // namespace dunlin::io

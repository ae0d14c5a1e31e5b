// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/column_offsets.hpp>
#include <dunlin/export.hpp>
#include <dunlin/holds.hpp>
#include <dunlin/normalize.hpp>
#include <dunlin/options.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// Points read from a file, with their names and labels. Members are empty if the file has none.
struct Points {
    Matrix values;                     ///< rows x cols; `shift` is already subtracted from columns far from zero
    std::vector<double> shift;         ///< subtracted from each column before conversion to float32; empty: zeros
    std::vector<std::string> ids;      ///< names of the rows
    std::vector<std::string> columns;  ///< names of the columns
    Labels labels;
    std::string kind;              ///< "csv", "npy", "npz", "fvecs", "mtx", "svmlight", "word vectors", ...
    Guess guess = {};              ///< what the file holds: points or documents
    std::vector<Note> notes = {};  ///< other guesses of the reader
    std::string array = {};        ///< of a file of HDF5, the matrix that was read: "X", "obsm/X_pca"
    /// Factor of each column, by which its values were multiplied after the shift was subtracted. Empty: all 1. 0: a
    /// constant column.
    std::vector<double> scale = {};
    Normalize normalize = Normalize::none;  ///< which scales these are
};

/// The decimal mark of the numbers in a text file; automatic: detected from its rows.
enum class Decimal { automatic, point, comma };
constexpr std::array<std::string_view, 3> names(Decimal) { return {"auto", "point", "comma"}; }

struct ReadOptions {
    std::string labels =
        {};  ///< column of labels (name or 1-based number), or a file of labels (one per line, IDX or .npy)
    std::string ids = {};            ///< column of row names (name or 1-based number)
    bool transpose = false;          ///< rows are features and columns are points (term-document matrices)
    Holds holds = Holds::automatic;  ///< what the file holds; read_points accepts points and documents
    Decimal decimal = Decimal::automatic;
    std::string array = {};                           ///< of a .npz archive; empty: the only one beside names
    ColumnOffsets offsets = ColumnOffsets::subtract;  ///< which of them become Points::shift
    /// Subtracted from the columns in place of offsets of their own: Points::shift of points that these are compared
    /// with.
    std::optional<std::vector<double>> shift = {};
    /// Cells of a text table that are empty or not finite become NaN or infinity; by default they are an error.
    bool missing = false;
    std::string columns = {};          ///< columns of coordinates: names or 1-based numbers and ranges; empty: all
    bool drop_rows_with_gaps = false;  ///< rows of a text table with a cell without value are left out
    std::string fill = {};             ///< such cells are filled: mean or median of the column, or a number
    std::string text = {};             ///< column of a text table that has documents (name or 1-based number)
};

template <class Visit>
void fields(Visit&& visit, ReadOptions& o) {
    visit(field("labels", o.labels,
                "column of labels (name or 1-based number), or a file of labels, FILE or FILE:COLUMN"));
    visit(field("ids", o.ids, "column of row names (name or 1-based number)"));
    visit(field("transpose", o.transpose, "rows of the file are features, columns are points"));
    visit(field("holds", o.holds, "what the input holds; auto: detected from its name and content"));
    visit(field("decimal", o.decimal, "decimal mark of a text file; auto: detected from its rows"));
    visit(field("array", o.array, "name of the array in a .npz archive that has several"));
    visit(field("columns", o.columns,
                "columns of a text table that are coordinates: names, numbers from 1, ranges (2-5)"));
    visit(field("drop-rows-with-gaps", o.drop_rows_with_gaps,
                "leave out rows of a text table with a cell without value"));
    visit(field("fill", o.fill, "fill cells of a text table without value: mean, median or a number"));
    visit(field("text", o.text,
                "column of a text table with documents, whose words are counted (name or 1-based number)"));
}

// Readers use at most run.threads threads and report progress in bytes (stages "read" and "decompress"). After a stop
// request they return an empty result (no rows, no vertices) within 0.1 s, except inside the libraries that parse DOT,
// GraphML and JSON. Check run.stop to tell a stop from an empty file.

/// Determines what a file holds: options.holds if it is set, else from the file's format or content.
///   graph            .dot .gv .gml .graphml .graph .metis .edges .edgelist .gexf .gdf .net .paj .sif .tgf .lgl
///   .adjlist,
///                    other formats of graphs by their content; guessed for a sparse square .mtx or .npz,
///                    and for a text with two columns of integers or a header that names the ends of edges
///   dissimilarities  guessed for a square table or .npy that is symmetric or has a zero diagonal, and for a condensed
///                    .npy
///   documents        a folder, options.text, .ldac .lda-c; guessed for LDA-C lines, and for a sparse .mtx or .npz that
///   is not square points           everything else
/// A malformed file counts as points; its reader then reports the error. Throws Error{bad_file} if the file cannot be
/// opened or its dialect is ambiguous. Returns automatic if a stop is requested through `run`.
DUNLIN_API Guess guess(const std::filesystem::path& path, const ReadOptions& options = {}, const Run& run = {});

/// Reads points in any format of docs/formats.md: .npy, .npz (a dense array or SciPy's CSR), text tables, IDX, .fvecs,
/// .fbin, Matrix Market, svmlight, LDA-C, word vectors, .h5ad, texts; most of them also as .gz or .xz. Throws
/// Error{bad_file} with the file, the line or row, and the remedy; Error{bad_input} if options.holds is neither points
/// nor documents, or options.shift has another number of columns.
DUNLIN_API Points read_points(const std::filesystem::path& path, const ReadOptions& options = {}, const Run& run = {});

/// Points of texts: a row per text and a column per word, count * (ln((1 + n) / (1 + d)) + 1) for a word in d of n
/// texts, rows of length 1 (TF-IDF; euclidean distances then order as those of cosine). Words are runs of two or more
/// letters, digits and '_', in lower case; those of one text alone are left out, and of more than 10,000 the rarest.
/// name: of the source, in errors. Throws Error{bad_file} if no word is left.
DUNLIN_API Points points_of_texts(const std::vector<std::string>& texts, const std::string& name);

/// Reads one label per row: text (one per line), .npy of integers, IDX; each also .gz or .xz.
DUNLIN_API Labels read_labels(const std::filesystem::path& path, const Run& run = {});

/// A map with the names and labels of its points.
struct MapFile {
    Map map;
    std::vector<std::string> ids;
    Labels labels;
    std::vector<Note> notes = {};  ///< guesses of the reader
    std::string array = {};        ///< its name in an annotated matrix: "obsm/X_tsne"
};

/// Reads a map: .csv, .tsv, .npy, .json (columns x, y[, z], or x1, x2, ...; optionally id and label), or one in obsm of
/// an .h5ad ("FILE:NAME"). One far from zero has an origin: the given one if it has as many axes, else its own.
DUNLIN_API MapFile read_map(const std::filesystem::path& path, const Run& run = {},
                            const std::optional<std::vector<double>>& origin = {});

/// Writes a map in the format of the extension: .csv, .tsv, .npy, .json. Columns: [id,] x, y[, z] [, label]; x1, x2,
/// ... if the map has neither 2 nor 3 dimensions. With an origin: the coordinates plus it, in .npy as float64. The
/// write is atomic: the file is complete or unchanged.
DUNLIN_API void write_map(const std::filesystem::path& path, const MapFile& map);

/// Writes points in the units that they had: .csv or .tsv ([id,] columns) or .npy (float32, float64 of points with a
/// shift). The write is atomic.
DUNLIN_API void write_points(const std::filesystem::path& path, const Points& points);

/// Writes the cluster of every row, from 0: .csv or .tsv ([id,] cluster) or .npy (int32). `ids`: empty, or one per row.
DUNLIN_API void write_clusters(const std::filesystem::path& path, const std::vector<Index>& clusters,
                               const std::vector<std::string>& ids);

/// Reads or writes a graph: .npz (SciPy's CSR), .mtx, .csv or .tsv (source,target,weight; ids from 0). targets: number
/// of vertices that edges may lead to, if they are not the vertices from which edges start (neighbors of queries): the
/// columns of the matrix in .npz and .mtx. A matrix that is not square is not read again as a graph.
DUNLIN_API Graph read_graph(const std::filesystem::path& path, const Run& run = {});
DUNLIN_API void write_graph(const std::filesystem::path& path, const Graph& graph, std::optional<Index> targets = {});

/// Writes a text. The write is atomic and follows symbolic links; a pipe or a terminal is written to directly.
DUNLIN_API void write_text(const std::filesystem::path& path, std::string_view text);

/// Throws Error{bad_file} with the reason if `path` cannot be written. Call it before a long run. Changes no file.
DUNLIN_API void require_writable(const std::filesystem::path& path);

}  // namespace dunlin::io

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// What a file of points holds beside the numbers. Empty members: the file had none.
struct Points {
    Matrix values;                     ///< rows x cols; a column far from zero is stored less `shift`
    std::vector<double> shift;         ///< what was taken from each column before narrowing to float32; empty: nothing
    std::vector<std::string> ids;      ///< a name per row
    std::vector<std::string> columns;  ///< a name per column
    Labels labels;
    std::string kind;  ///< "csv", "npy", "idx", "fvecs", "mtx", "svmlight"
};

struct ReadOptions {
    std::string labels =
        {};  ///< a column's name or 1-based number in this file, or a file with a label per line / idx / npy
    std::string ids = {};    ///< a column's name or 1-based number that names the rows
    bool transpose = false;  ///< rows are features and columns are points (term-document matrices)
};

template <class Visit>
void fields(Visit&& visit, ReadOptions& o) {
    visit("labels", o.labels, "label column (name or 1-based number), or a file of labels");
    visit("ids", o.ids, "column that names the rows (name or 1-based number)");
    visit("transpose", o.transpose, "rows of the file are features, columns are points");
}

/// Reads points: .npy, .csv, .tsv, .txt, IDX (MNIST), .fvecs, Matrix Market (.mtx), svmlight (.svm, .libsvm,
/// .svmlight), each also .gz or .xz. Throws Error{bad_file} with file and line or row, and the remedy.
DUNLIN_API Points read_points(const std::filesystem::path& path, const ReadOptions& options = {});

/// Reads one label per row: text (a line each), .npy of integers, IDX; each also .gz or .xz.
DUNLIN_API Labels read_labels(const std::filesystem::path& path);

/// A map with what its file said about the points.
struct MapFile {
    Map map;
    std::vector<std::string> ids;
    Labels labels;
};

/// Reads a map from .csv, .tsv, .npy or .json (columns x, y[, z], or x1, x2, ...; optionally id and label), ours or
/// anyone's.
DUNLIN_API MapFile read_map(const std::filesystem::path& path);

/// Writes a map; the extension decides: .csv, .tsv, .npy, .json. Columns: [id,] x, y[, z] [, label]; in any but 2 or 3
/// dimensions x1, x2, ... The file appears whole or not at all.
DUNLIN_API void write_map(const std::filesystem::path& path, const MapFile& map);

/// Writes points as a table, their shift put back: .csv, .tsv or .npy (float32). The file appears whole or not at all.
DUNLIN_API void write_points(const std::filesystem::path& path, const Points& points);

/// Writes the cluster of every row, from 0: .csv or .tsv ([id,] cluster) or .npy (int32). `ids`: empty, or one a row.
DUNLIN_API void write_clusters(const std::filesystem::path& path, const std::vector<Index>& clusters,
                               const std::vector<std::string>& ids);

/// Reads or writes a graph: .npz (SciPy's CSR), .mtx, .csv or .tsv (source,target,weight; ids from 0).
DUNLIN_API Graph read_graph(const std::filesystem::path& path);
DUNLIN_API void write_graph(const std::filesystem::path& path, const Graph& graph);

/// Writes a text. The file appears whole or not at all; a symbolic link stays one; what is no regular file is written
/// to as it is.
DUNLIN_API void write_text(const std::filesystem::path& path, std::string_view text);

/// Throws Error{bad_file} with the reason if nothing could be written there now: to be asked before a long run. It
/// leaves everything as it was.
DUNLIN_API void require_writable(const std::filesystem::path& path);

}  // namespace dunlin::io

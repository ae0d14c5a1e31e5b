// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>
#include <filesystem>

#include <dunlin/partial_map.hpp>

#include "io/binary_rows.hpp"
#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/hdf5_module.hpp"
#include "io/map_read.hpp"
#include "io/mtx.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/readers.hpp"
#include "io/run_reader.hpp"
#include "io/table_column.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

Labels labels_from_file(const std::string& labels, const std::string& points, Index rows) {
    std::error_code error;
    if (!std::filesystem::exists(labels, error)) {
        bad_option("labels", "'{}' is neither a column of '{}' nor a file; give a column's name or number, or a file",
                   labels, points);
    }
    Labels read = read_labels(load(labels));
    if (read.of.size() != static_cast<std::size_t>(rows)) {
        bad_file("'{}' has {} labels and '{}' has {} rows; give one label per row, in their order", labels,
                 read.of.size(), points, rows);
    }
    return read;
}

}  // namespace

std::string extension_of(const std::string& name) {
    std::filesystem::path path(name);
    std::string extension = lower(path.extension().string());
    if (extension == ".gz" || extension == ".xz") extension = lower(path.stem().extension().string());
    return extension;
}

void refuse_json(const std::string& name) {
    bad_file(
        "'{}': a .json file is read only as a map (to draw, score or start from); give a graph as .graphml or .dot, "
        "points as .csv or .npy",
        name);
}

namespace {

/// Throws for an option that does not apply to the format.
void refuse_useless(const Bytes& bytes, const ReadOptions& options, bool is_table) {
    if (!options.array.empty() && !is_npz(bytes) && extension_of(bytes.name()) != ".safetensors")
        bad_option("array", "'{}' is no .npz or .safetensors with several arrays; leave the option out", bytes.name());
    if (options.decimal != Decimal::automatic && !is_table)
        bad_option("decimal", "'{}' is no table of text; leave the option out", bytes.name());
}

bool is_svmlight_name(const std::string& extension) {
    return extension == ".svm" || extension == ".svmlight" || extension == ".libsvm";
}

/// The reader of the format; null for a text table.
using Reader = Points (*)(const Bytes&, const ReadOptions&);
Reader reader_of(const Bytes& bytes, const ReadOptions& options, Holds rows) {
    const std::string extension = extension_of(bytes.name());
    if (is_npz(bytes) || extension == ".npz") return read_npz;
    if (is_npy(bytes) || extension == ".npy") return read_npy;
    if (is_idx(bytes)) return read_idx;
    if (extension == ".mtx" || is_mtx(bytes)) return read_mtx;
    if (extension == ".fvecs") return read_fvecs;
    if (is_binary_rows(bytes.name())) return read_binary_rows;
    if (extension == ".safetensors") return read_safetensors;
    if (rows == Holds::documents) return read_lda;
    // In svmlight files of points, labels can equal the number of pairs, as in LDA-C
    if (is_svmlight_name(extension) || (options.holds == Holds::points && is_lda(bytes))) return read_svmlight;
    return nullptr;
}

}  // namespace

Guess guess_rows(const Bytes& bytes, const ReadOptions& options) {
    if (options.holds == Holds::points || options.holds == Holds::documents) return {options.holds, false, ""};
    const std::string extension = extension_of(bytes.name());
    if (is_npz(bytes)) {
        const bool sparse = options.array.empty() && Npz(bytes).is_sparse();
        if (!sparse) return {Holds::points, true, "a dense array"};
        return {Holds::documents, true, "a sparse matrix that is not square"};
    }
    if (is_mtx(bytes) && parse_mtx_head(bytes).coordinate) return {Holds::documents, false, "a sparse matrix"};
    const bool is_array = extension == ".fvecs" || extension == ".safetensors" || is_binary_rows(bytes.name());
    if (is_npy(bytes) || is_idx(bytes) || is_mtx(bytes) || is_array) return {Holds::points, false, "an array"};
    if (is_svmlight_name(extension)) return {Holds::points, false, "svmlight by its name"};
    if (extension == ".ldac" || extension == ".lda-c") return {Holds::documents, false, "LDA-C by its name"};
    if (is_lda(bytes))
        return {Holds::documents, true, "every line begins with the number of its id:count pairs (LDA-C)"};
    return {Holds::points, false, "a table"};
}

Points read_points(const Bytes& bytes, const ReadOptions& options) {
    if (extension_of(bytes.name()) == ".json") refuse_json(bytes.name());
    if (bytes.size() == 0) bad_file("'{}' is empty; give a file with a row per point", bytes.name());
    if (options.holds == Holds::graph || options.holds == Holds::dissimilarities) {
        bad_option("holds",
                   "'{}' is read as rows of numbers here, not as {}; say points or documents, or leave the option out",
                   bytes.name(), name_of(options.holds));
    }
    Guess guess = guess_rows(bytes, options);
    const Reader reader = reader_of(bytes, options, guess.holds);
    refuse_useless(bytes, options, reader == nullptr);
    Points points = reader != nullptr ? reader(bytes, options) : read_table(bytes, options);
    points.guess = std::move(guess);
    subtract_shift(options, bytes.name(), points);
    return points;
}

namespace {

Points read_hdf5(const std::string& path, const ReadOptions& options) {
    if (options.decimal != Decimal::automatic)
        bad_option("decimal", "'{}' is no table of text; leave the option out", path);
    Points points = hdf5_module(path).read_points(path, options);
    points.guess = {Holds::points, false, "an annotated matrix"};
    return points;
}

}  // namespace

Points read_points(const std::filesystem::path& path, const ReadOptions& options, const Run& run) {
    return run_reader(path, run, [&] {
        Points points =
            is_hdf5_name(path.string()) ? read_hdf5(path.string(), options) : read_points(load(path), options);
        if (!options.labels.empty() && points.labels.empty()) {
            points.labels = labels_from_file(options.labels, path.string(), points.values.rows());
        }
        return points;
    });
}

NumberColumn read_column(const std::filesystem::path& path, const std::string& column, const Run& run) {
    ReadOptions options;
    options.missing = true;
    if (is_hdf5_name(path.string())) return array_column(read_points(path, options, run), column, path.string());
    return run_reader(path, run, [&] {
        const Bytes bytes = load(path);
        const bool text = bytes.size() > 0 && extension_of(bytes.name()) != ".json" &&
                          reader_of(bytes, options, guess_rows(bytes, options).holds) == nullptr;
        return text ? table_column(bytes, column) : array_column(read_points(bytes, options), column, bytes.name());
    });
}

Labels read_labels(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return read_labels(load(path)); });
}

MapFile read_map(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return read_map(load(path)); });
}

MapFile read_partial_map(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return read_partial_map(load(path)); });
}

Graph read_graph(const std::filesystem::path& path, const Run& run) {
    return run_reader(path, run, [&] { return read_graph(load(path)); });
}

}  // namespace dunlin::io

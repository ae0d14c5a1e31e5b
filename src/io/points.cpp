#include <array>
#include <charconv>
#include <filesystem>

#include "io/fail.hpp"
#include "io/guarded.hpp"
#include "io/layout.hpp"
#include "io/mtx.hpp"
#include "io/npy.hpp"
#include "io/readers.hpp"

namespace dunlin::io {

namespace {

Labels labels_from_file(const std::string& labels, const std::string& points, Index rows) {
    std::error_code error;
    if (!std::filesystem::exists(labels, error)) {
        bad_input("labels: '{}' is neither a column of '{}' nor a file; give a column's name or number, or a file",
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
        "'{}': a .json file is read as a map only (dunlin draw, dunlin score, --start); a graph is read again from "
        ".graphml or .dot, points from .csv or .npy",
        name);
}

Points read_points(const Bytes& bytes, const ReadOptions& options) {
    const std::string extension = extension_of(bytes.name());
    if (extension == ".json") refuse_json(bytes.name());
    if (bytes.size() == 0) bad_file("'{}' is empty; give a file with a row per point", bytes.name());
    if (is_npy(bytes) || extension == ".npy") return read_npy(bytes, options);
    if (is_idx(bytes)) return read_idx(bytes, options);
    if (extension == ".mtx" || is_mtx(bytes)) return read_mtx(bytes, options);
    if (extension == ".fvecs") return read_fvecs(bytes, options);
    if (extension == ".svm" || extension == ".svmlight" || extension == ".libsvm") return read_svmlight(bytes, options);
    return read_table(bytes, options);
}

Points read_points(const std::filesystem::path& path, const ReadOptions& options) {
    return guarded(path, [&] {
        Points points = read_points(load(path), options);
        if (!options.labels.empty() && points.labels.empty()) {
            points.labels = labels_from_file(options.labels, path.string(), points.values.rows());
        }
        return points;
    });
}

Labels read_labels(const std::filesystem::path& path) {
    return guarded(path, [&] { return read_labels(load(path)); });
}

MapFile read_map(const std::filesystem::path& path) {
    return guarded(path, [&] { return read_map(load(path)); });
}

Graph read_graph(const std::filesystem::path& path) {
    return guarded(path, [&] { return read_graph(load(path)); });
}

}  // namespace dunlin::io

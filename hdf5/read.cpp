// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "annotated.hpp"
#include "io/fail.hpp"
#include "io/interner.hpp"
#include "matrix.hpp"

namespace dunlin::hdf5 {

using io::bad_file;

namespace {

/// Names of the rows of a matrix: those of obs. A matrix that is none of cells has them only if it fits.
void read_ids(const File& file, const MatrixPlace& place, io::Points& points) {
    std::vector<std::string> names = row_names(file, place);
    if (std::ssize(names) == points.values.rows()) {
        points.ids = std::move(names);
    } else if (!names.empty() && (place.of_cells || place.of_tenx)) {
        bad_file("'{}': {} has {} rows and {} names of rows; save the file again", file.name, place.name(),
                 points.values.rows(), names.size());
    }
}

/// Column options.labels of obs; what names a file is read by others.
void read_labels(const File& file, const std::string& name, io::Points& points) {
    if (name.empty()) return;
    const Frame obs(file, "/obs");
    if (!obs.has(name)) {
        std::error_code none;
        if (!obs || std::filesystem::exists(name, none) || name.find(':') != std::string::npos) return;
        io::bad_option("labels", "'{}' is neither a column of obs in '{}' nor a file; obs has {}", io::shown(name),
                       file.name, columns_of(obs));
    }
    std::vector<std::string> texts = obs.texts(name);
    if (std::ssize(texts) != points.values.rows())
        bad_file("'{}': /obs/{} has {} values for {} rows", file.name, name, texts.size(), points.values.rows());
    points.labels = labels_of(std::move(texts));
}

/// Says which matrix was taken where there are others.
void note_choice(const File& file, const MatrixPlace& place, const io::ReadOptions& options, io::Points& points) {
    std::vector<std::string> others;
    for (const MatrixPlace& other : matrices_of(file)) {
        if (other.name() != place.name()) others.push_back(other.name());
    }
    if (!options.array.empty() || others.empty()) return;
    points.notes.push_back({fmt::format("read as {} ({} x {}); it also has {}", place.name(), points.values.rows(),
                                        points.values.cols(), fmt::join(others, ", ")),
                            "array"});
}

}  // namespace

Labels labels_of(std::vector<std::string> texts) {
    io::StringInterner words;
    for (std::string& text : texts) words.add(std::move(text));
    return std::move(words).labels();
}

std::string columns_of(const Frame& frame) {
    const std::vector<std::string> names = frame.columns();
    return names.empty() ? "no columns" : fmt::format("{}", fmt::join(names, ", "));
}

io::Points read_points(const File& file, const io::ReadOptions& options) {
    if (options.transpose) io::bad_option("transpose", "'{}' has a point a row; leave the option out", file.name);
    if (!options.ids.empty()) io::bad_option("ids", "'{}' has the index of obs; leave the option out", file.name);
    const MatrixPlace place = find_matrix(file, options.array);
    io::Points points;
    points.kind = "hdf5";
    points.array = place.name();
    read_matrix(file, place, options, points);
    read_ids(file, place, points);
    read_labels(file, options.labels, points);
    note_choice(file, place, options, points);
    return points;
}

}  // namespace dunlin::hdf5

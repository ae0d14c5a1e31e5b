// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <dunlin/map_origin.hpp>

#include "annotated.hpp"
#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/memory.hpp"
#include "io/remedy.hpp"
#include "matrix.hpp"
#include "progress/cancel.hpp"

/// Maps in annotated matrices: those that Dunlin, scanpy and others write into obsm.
namespace dunlin::hdf5 {

using io::bad_file;

namespace {

constexpr std::size_t most_axes = 32;

bool is_in_obsm(const MatrixPlace& place) { return place.path.starts_with("/obsm"); }

/// Whether a matrix has as many columns as a map. One that cannot be read is none.
bool resembles_map(const File& file, const MatrixPlace& place) {
    try {
        const std::size_t width = width_of(file, place);
        return width == 2 || width == 3;
    } catch (const Error&) {
        return false;
    }
}

std::vector<std::string> names_of(const std::vector<MatrixPlace>& places) {
    std::vector<std::string> names;
    for (const MatrixPlace& place : places) names.push_back(place.name());
    return names;
}

/// The only map of a file: in obsm, else any matrix of two or three columns. Principal components, which maps are made
/// from, are one where there is no other.
MatrixPlace only_map(const File& file) {
    const std::vector<MatrixPlace> all = matrices_of(file);
    std::vector<MatrixPlace> maps;
    for (const bool in_obsm : {true, false}) {
        for (const MatrixPlace& place : all) {
            if (is_in_obsm(place) == in_obsm && resembles_map(file, place)) maps.push_back(place);
        }
        if (!maps.empty()) break;
    }
    if (maps.empty()) {
        const std::vector<std::string> others = names_of(all);
        bad_file("'{}' has no map of 2 or 3 columns; it has {}", file.name,
                 others.empty() ? "no matrix" : fmt::format("{}", fmt::join(others, ", ")));
    }
    if (maps.size() > 1) std::erase_if(maps, [](const MatrixPlace& place) { return place.name() == "obsm/X_pca"; });
    if (maps.size() > 1) {
        const std::vector<std::string> names = names_of(maps);
        bad_file("'{}' has the maps {}; name one, as '{}:{}'", file.name, fmt::join(names, ", "), file.name,
                 names.front());
    }
    return maps.front();
}

/// [point][axis]; NaN only where points may lack a place.
std::vector<double> coordinates_of(const File& file, const MatrixPlace& place, std::size_t axes, bool partial) {
    std::vector<double> coordinates;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        progress::cancellation_point();
        const std::vector<double> column = matrix_column(file, place, static_cast<Index>(axis));
        if (axis == 0) {
            if (column.empty() || column.size() > static_cast<std::size_t>(io::most_items) / axes)
                bad_file("'{}': {} has {} rows; a map has at least one, and at most {} numbers", file.name,
                         place.name(), column.size(), io::most_items);
            io::require_memory(column.size() * axes * sizeof(double), "the map of '" + file.name + "'");
            coordinates.resize(column.size() * axes);
        }
        if (column.size() * axes != coordinates.size())
            bad_file("'{}': the columns of {} have {} and {} values; save the file again", file.name, place.name(),
                     coordinates.size() / axes, column.size());
        for (std::size_t row = 0; row < column.size(); ++row) {
            if (!partial && !std::isfinite(static_cast<float>(column[row])))
                bad_file("'{}': {}, row {}, column {} is {}; a map has finite numbers", file.name, place.name(),
                         row + 1, axis + 1, column[row]);
            coordinates[row * axes + axis] = column[row];
        }
    }
    return coordinates;
}

}  // namespace

io::MapFile read_map(const File& file, const io::StoredMapOptions& options) {
    const MatrixPlace place = options.array.empty() ? only_map(file) : find_matrix(file, options.array);
    const std::size_t axes = width_of(file, place);
    if (axes > most_axes)
        bad_file("'{}': {} has {} columns; a map has 2 or 3: name another", file.name, place.name(), axes);
    io::MapFile map;
    map.array = place.name();
    map.map = io::map_of(static_cast<int>(axes), coordinates_of(file, place, axes, options.partial), options.origin);
    std::vector<std::string> names = row_names(file, place);
    if (std::ssize(names) == map.map.size()) map.ids = std::move(names);
    return map;
}

}  // namespace dunlin::hdf5

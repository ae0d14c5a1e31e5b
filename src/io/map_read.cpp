// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "io/fail.hpp"
#include "io/interner.hpp"
#include "io/npy.hpp"
#include "io/readers.hpp"
#include "io/table_schema.hpp"

namespace dunlin::io {

namespace {

using Json = nlohmann::json;

std::vector<Index> columns_called(const Points& points, std::string_view name) {
    std::vector<Index> chosen;
    for (std::size_t c = 0; c < points.columns.size(); ++c) {
        if (lower(points.columns[c]) == name) chosen.push_back(static_cast<Index>(c));
    }
    return chosen;
}

std::vector<Index> all_columns(const Points& points) {
    std::vector<Index> all(static_cast<std::size_t>(points.values.cols()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Columns of coordinates: those named x, y and z, all if there are 2 or 3, or those named x1, x2, ...
std::vector<Index> coordinate_columns(const Points& points, const std::string& file) {
    std::vector<Index> chosen;
    for (const char* name : {"x", "y", "z"}) {
        for (const Index column : columns_called(points, name)) chosen.push_back(column);
    }
    if (chosen.size() == 2 || chosen.size() == 3) return chosen;
    const Index cols = points.values.cols();
    if (cols == 2 || cols == 3) return all_columns(points);
    chosen.clear();
    for (Index d = 1; d <= cols; ++d) {
        for (const Index column : columns_called(points, fmt::format("x{}", d))) chosen.push_back(column);
        if (static_cast<Index>(chosen.size()) != d) break;
    }
    if (chosen.empty()) {
        bad_file("'{}' has {} columns of numbers; a map has 2 or 3, or columns called x, y and z, or x1, x2, ...", file,
                 cols);
    }
    return chosen;
}

MapFile map_of(Points points, const std::vector<Index>& columns) {
    MapFile map;
    map.map.dim = static_cast<int>(columns.size());
    map.map.coordinates.reserve(static_cast<std::size_t>(points.values.rows()) * columns.size());
    for (Index r = 0; r < points.values.rows(); ++r) {
        for (const Index c : columns) {
            const float value = points.values.view()(r, c);
            const double shift = points.shift.empty() ? 0.0 : points.shift[static_cast<std::size_t>(c)];
            map.map.coordinates.push_back(static_cast<float>(value + shift));
        }
    }
    map.ids = std::move(points.ids);
    map.labels = std::move(points.labels);
    map.notes = std::move(points.notes);
    for (Note& note : map.notes) note.option.clear();  // a map has no options
    return map;
}

/// Parses a list of one string or number per point.
std::vector<std::string> words_of(const Json& list, std::size_t points, const char* key, const std::string& file) {
    if (!list.is_array() || list.size() != points) {
        bad_file("'{}': {} must be a list of {} entries, one per point", file, key, points);
    }
    std::vector<std::string> words;
    for (const Json& word : list) words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
    return words;
}

Map coordinates_of(const Json& rows, const std::string& file) {
    if (!rows.is_array() || rows.empty()) bad_file("'{}': coordinates must be a list of points, [[x, y], ...]", file);
    Map map;
    map.dim = rows[0].is_array() ? static_cast<int>(rows[0].size()) : 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!rows[r].is_array() || rows[r].size() != static_cast<std::size_t>(map.dim) || map.dim < 1) {
            bad_file("'{}': point {} is not a list of coordinates, as many for every point", file, r + 1);
        }
        for (const Json& value : rows[r]) {
            const double coordinate = value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
            if (!std::isfinite(static_cast<float>(coordinate))) {
                bad_file("'{}': point {} has the coordinate {}; it must be a finite number", file, r + 1,
                         shown(value.dump()));
            }
            map.coordinates.push_back(static_cast<float>(coordinate));
        }
    }
    return map;
}

MapFile read_json_map(const Bytes& bytes) {
    Json json;
    try {
        json = Json::parse(bytes.begin(), bytes.end());
    } catch (const Json::exception& error) {
        bad_file("'{}' is not valid JSON: {}; write the map again", bytes.name(), shown(error.what()));
    }
    MapFile map;
    if (json.is_array()) {
        map.map = coordinates_of(json, bytes.name());
        return map;
    }
    if (!json.contains("coordinates")) bad_file("'{}' has no coordinates: [[x, y], ...]; it is no map", bytes.name());
    map.map = coordinates_of(json["coordinates"], bytes.name());
    const auto points = static_cast<std::size_t>(map.map.size());
    if (json.contains("ids")) map.ids = words_of(json["ids"], points, "ids", bytes.name());
    if (json.contains("labels")) {
        StringInterner words;
        for (std::string& word : words_of(json["labels"], points, "labels", bytes.name())) words.add(std::move(word));
        map.labels = std::move(words).labels();
    }
    return map;
}

}  // namespace

MapFile read_map(const Bytes& bytes) {
    if (is_npy(bytes)) {
        Points points = read_npy(bytes, {});
        const std::vector<Index> columns = all_columns(points);
        return map_of(std::move(points), columns);
    }
    if (extension_of(bytes.name()) == ".json") return read_json_map(bytes);
    Points points = read_table(bytes, {});
    const std::vector<Index> columns = coordinate_columns(points, bytes.name());
    return map_of(std::move(points), columns);
}

}  // namespace dunlin::io

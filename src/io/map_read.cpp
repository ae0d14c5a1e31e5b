// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include <dunlin/formats.hpp>
#include <dunlin/json_depth.hpp>

#include "io/dense.hpp"
#include "io/fail.hpp"
#include "io/interner.hpp"
#include "io/json_keys.hpp"
#include "io/map_origin.hpp"
#include "io/map_read.hpp"
#include "io/memory.hpp"
#include "io/npy.hpp"
#include "io/readers.hpp"
#include "io/table_header.hpp"
#include "io/table_ids.hpp"
#include "io/table_schema.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

using Json = nlohmann::json;
using Origin = std::optional<std::vector<double>>;  ///< to be subtracted; nothing: one of the map's own

std::vector<Index> all_columns(const Points& points) {
    std::vector<Index> all(static_cast<std::size_t>(points.values.cols()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Columns of numbers with these names, in this order; of several with one name all.
std::vector<std::size_t> numbers_called(const TableSchema& schema, const std::vector<std::string>& names) {
    std::vector<std::size_t> found;
    for (const std::string& name : names) {
        for (std::size_t c = 0; c < schema.names.size(); ++c) {
            if (schema.roles[c] == ColumnRole::number && lower(schema.names[c]) == name) found.push_back(c);
        }
    }
    return found;
}

/// A column name that ends with a number: "UMAP_2" is "umap" and 2.
struct NumberedName {
    std::string stem;
    std::size_t number = 0;
};

std::optional<NumberedName> numbered(const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    NumberedName split{lower(name.substr(0, digits)), 0};
    if (digits == name.size() || name.size() - digits > 4) return std::nullopt;
    std::from_chars(name.data() + digits, name.data() + name.size(), split.number);
    split.stem.erase(split.stem.find_last_not_of(" _-.") + 1);
    return split;
}

/// Columns of numbers with one stem and the numbers first, first + 1, ... (0 or 1 is the first), by stem.
std::map<std::string, std::vector<std::size_t>> numbered_series(const TableSchema& schema) {
    std::map<std::string, std::map<std::size_t, std::size_t>> by_stem;
    for (std::size_t c = 0; c < schema.names.size(); ++c) {
        const auto name = numbered(schema.names[c]);
        if (name && schema.roles[c] == ColumnRole::number) by_stem[name->stem].emplace(name->number, c);
    }
    std::map<std::string, std::vector<std::size_t>> series;
    for (const auto& [stem, columns] : by_stem) {
        std::size_t next = columns.begin()->first;
        if (next > 1) continue;
        std::vector<std::size_t> found;
        for (const auto& [number, column] : columns) {
            if (number != next++) break;
            found.push_back(column);
        }
        if (found.size() > 1) series[stem] = found;
    }
    return series;
}

/// Names of columns that count or group rows, and so are no coordinates.
bool counts_or_groups(const std::string& name) {
    static constexpr std::string_view counts[] = {"index", "row",    "rownames", "row_names", "level_0",
                                                  "size",  "weight", "degree",   "n_genes",   "n_counts"};
    const std::string name_in_lower = lower(name);
    return std::ranges::find(counts, name_in_lower) != std::end(counts) ||
           std::ranges::find(group_names, name_in_lower) != group_names.end();
}

std::vector<std::string> titles_of(const TableSchema& schema, const std::vector<std::size_t>& columns) {
    std::vector<std::string> titles;
    titles.reserve(columns.size());
    for (const std::size_t c : columns) titles.push_back(schema.title(c));
    return titles;
}

/// Columns of coordinates: those named x, y and z; else those of one numbered series (UMAP1, UMAP2); else x1, x2, ...
/// of several; else all that neither count nor group rows, if there are 2 or 3.
std::vector<std::size_t> coordinate_columns(const TableSchema& schema, const std::string& file) {
    std::vector<std::size_t> chosen = numbers_called(schema, {"x", "y", "z"});
    if (chosen.size() == 2 || chosen.size() == 3) return chosen;
    const auto series = numbered_series(schema);
    if (const auto x = series.find("x"); x != series.end()) return x->second;
    chosen.clear();
    std::vector<std::size_t> numbers;
    for (std::size_t c = 0; c < schema.roles.size(); ++c) {
        if (schema.roles[c] != ColumnRole::number) continue;
        numbers.push_back(c);
        if (schema.names.empty() || !counts_or_groups(schema.names[c])) chosen.push_back(c);
    }
    // A map of one dimension
    if (numbers.size() == 1 && !schema.names.empty() && lower(schema.names[numbers[0]]) == "x1") return numbers;
    // UMAP1, UMAP2 beside other columns; a series of more is a map only if it is all there is
    std::vector<std::vector<std::size_t>> maps;
    for (const auto& [stem, columns] : series) {
        if (columns.size() == 2 || columns.size() == 3) maps.push_back(columns);
    }
    if (maps.size() == 1) return maps.front();
    if (chosen.size() == 2 || (chosen.size() == 3 && maps.empty())) return chosen;
    if (maps.size() > 1) {
        bad_file("'{}' has several maps, columns {} and {}; keep the columns of one", file,
                 fmt::join(titles_of(schema, maps[0]), ", "), fmt::join(titles_of(schema, maps[1]), ", "));
    }
    bad_file("'{}' has {} columns of numbers{}{}; a map has 2 or 3, or columns called x, y and z, or x1, x2, ...", file,
             numbers.size(), numbers.empty() || schema.names.empty() ? "" : ": ",
             fmt::join(schema.names.empty() ? std::vector<std::string>{} : titles_of(schema, numbers), ", "));
}

/// What to say about columns of numbers that are not coordinates, and about coordinates that were guessed.
std::vector<Note> notes_of(const TableSchema& schema, const std::vector<std::size_t>& chosen) {
    if (schema.names.empty()) return {};
    std::vector<std::size_t> others;
    for (std::size_t c = 0; c < schema.roles.size(); ++c) {
        if (schema.roles[c] == ColumnRole::number && std::find(chosen.begin(), chosen.end(), c) == chosen.end())
            others.push_back(c);
    }
    const auto is_axis = [&](std::size_t c) {
        const std::string name = lower(schema.names[c]);
        return name == "x" || name == "y" || name == "z" || numbered(name).has_value();
    };
    if (others.empty() && std::all_of(chosen.begin(), chosen.end(), is_axis)) return {};
    std::string text = fmt::format("read with the coordinates {}", fmt::join(titles_of(schema, chosen), ", "));
    if (!others.empty()) text += fmt::format("; {} not used", fmt::join(titles_of(schema, others), ", "));
    return {{text, ""}};
}

/// A column that only counts or names rows is their id, also where it has whole numbers.
void take_ids(TableSchema& schema) {
    if (std::find(schema.roles.begin(), schema.roles.end(), ColumnRole::id) != schema.roles.end()) return;
    for (std::size_t c = 0; c < schema.names.size(); ++c) {
        if (schema.roles[c] != ColumnRole::number || lower(schema.names[c]) != "index") continue;
        schema.roles[c] = ColumnRole::id;
        return;
    }
}

/// The first of three or four columns without names is no coordinate if it has the numbers of the rows.
void take_index(TableSchema& schema, const Bytes& bytes) {
    const auto numbers = std::count(schema.roles.begin(), schema.roles.end(), ColumnRole::number);
    const bool has_ids = std::count(schema.roles.begin(), schema.roles.end(), ColumnRole::id) > 0;
    if (!schema.names.empty() || has_ids || schema.roles[0] != ColumnRole::number || numbers < 3 || numbers > 4) return;
    if (!counts_rows(schema, bytes, 0)) return;
    schema.roles[0] = ColumnRole::id;
    schema.notes.push_back(
        {"read with column 1 as ids, as it counts the rows; name the columns x, y and z if it is a "
         "coordinate",
         ""});
}

/// Says that a column without a name that has whole numbers beside fractions is a coordinate.
void note_whole_axis(TableSchema& schema, const std::vector<std::size_t>& chosen) {
    if (!schema.names.empty() || chosen.size() < 3) return;
    std::vector<std::size_t> whole;
    for (const std::size_t c : chosen) {
        const bool has_fraction = std::any_of(schema.sample.begin(), schema.sample.end(), [&](const auto& row) {
            return is_fraction(row[c], schema.dialect.point);
        });
        if (!has_fraction) whole.push_back(c);
    }
    if (whole.empty() || whole.size() == chosen.size()) return;
    schema.notes.push_back({fmt::format("read as a map of {} dimensions, although column {} has whole numbers alone; "
                                        "name the columns if it is no coordinate",
                                        chosen.size(), schema.title(whole.front())),
                            ""});
}

/// Order of the chosen columns among those that are read.
std::vector<Index> order_of(const std::vector<std::size_t>& chosen) {
    std::vector<Index> order;
    for (const std::size_t column : chosen) {
        const auto before = [column](std::size_t other) { return other < column; };
        order.push_back(static_cast<Index>(std::count_if(chosen.begin(), chosen.end(), before)));
    }
    return order;
}

/// An origin whose axis i is that of column order[i].
std::vector<double> in_file_order(const std::vector<double>& origin, const std::vector<Index>& order) {
    std::vector<double> columns(origin.size());
    for (std::size_t axis = 0; axis < order.size(); ++axis)
        columns[static_cast<std::size_t>(order[axis])] = origin[axis];
    return columns;
}

/// Says that the first axis of a map without names counts the rows.
void note_counted_axis(MapFile& file) {
    const Map& map = file.map;
    const double from = map.origin.empty() ? 0 : map.origin[0];
    const auto counts = [&](double first) {
        for (Offset row = 0; row < map.size(); ++row) {
            const float value = map.coordinates[static_cast<std::size_t>(row * map.dim)];
            if (static_cast<double>(value) + from != first + static_cast<double>(row)) return false;
        }
        return map.size() > 2;
    };
    if (map.dim < 3 || (!counts(0) && !counts(1))) return;
    file.notes.push_back(
        {"read with its first column as a coordinate, although it counts the rows; leave it out if it "
         "is none",
         ""});
}

MapFile map_of_points(Points points, const std::vector<Index>& columns) {
    MapFile map;
    map.map.dim = static_cast<int>(columns.size());
    map.map.coordinates.reserve(static_cast<std::size_t>(points.values.rows()) * columns.size());
    for (Index r = 0; r < points.values.rows(); ++r) {
        for (const Index c : columns) map.map.coordinates.push_back(points.values.view()(r, c));
    }
    if (!points.shift.empty())
        for (const Index c : columns) map.map.origin.push_back(points.shift[static_cast<std::size_t>(c)]);
    drop_zeros(map.map.origin);
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

Map coordinates_in(const Json& rows, const std::string& file, const Origin& origin) {
    if (!rows.is_array() || rows.empty()) bad_file("'{}': coordinates must be a list of points, [[x, y], ...]", file);
    const int dim = rows[0].is_array() ? static_cast<int>(rows[0].size()) : 0;
    std::vector<double> coordinates;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!rows[r].is_array() || rows[r].size() != static_cast<std::size_t>(dim) || dim < 1) {
            bad_file("'{}': point {} is not a list of coordinates, as many for every point", file, r + 1);
        }
        for (const Json& value : rows[r]) {
            const double coordinate = value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
            if (!std::isfinite(static_cast<float>(coordinate))) {
                bad_file("'{}': point {} has the coordinate {}; it must be a finite number", file, r + 1,
                         shown(value.dump()));
            }
            coordinates.push_back(coordinate);
        }
    }
    return map_of(dim, coordinates, origin);
}

MapFile read_json_map(const Bytes& bytes, const Origin& origin) {
    if (nests_too_deeply(bytes.view())) bad_file("'{}' has lists in lists beyond any map; it is no map", bytes.name());
    require_memory(10 * bytes.size(), "the map of '" + bytes.name() + "'");
    Json json;
    try {
        json = Json::parse(bytes.begin(), bytes.end());
    } catch (const Json::exception& error) {
        bad_file("'{}' is not valid JSON: {}; write the map again", bytes.name(), shown(error.what()));
    }
    require_distinct_keys(bytes.view(), bytes.name());
    MapFile map;
    if (json.is_array()) {
        map.map = coordinates_in(json, bytes.name(), origin);
        note_counted_axis(map);
        return map;
    }
    if (!json.contains("coordinates")) bad_file("'{}' has no coordinates: [[x, y], ...]; it is no map", bytes.name());
    map.map = coordinates_in(json["coordinates"], bytes.name(), origin);
    const auto points = static_cast<std::size_t>(map.map.size());
    if (json.contains("ids")) map.ids = words_of(json["ids"], points, "ids", bytes.name());
    if (json.contains("labels")) {
        StringInterner words;
        for (std::string& word : words_of(json["labels"], points, "labels", bytes.name())) words.add(std::move(word));
        map.labels = std::move(words).labels();
    }
    return map;
}

/// An array of coordinates that may be NaN.
MapFile read_array_map(const Bytes& bytes, const Origin& origin) {
    const Array array = parse_npy(bytes);
    if (array.is_text() || array.shape.size() != 2 || array.shape[1] < 1)
        bad_file("'{}' is no map; save an array of points x coordinates", bytes.name());
    const std::uint64_t rows = array.shape[0], dim = array.shape[1];
    if (rows < 1 || array.count() > static_cast<std::uint64_t>(most_items))
        bad_file("'{}' has {} points of {} coordinates; give at least one, and at most {} numbers", bytes.name(), rows,
                 dim, most_items);
    std::vector<double> coordinates;
    coordinates.reserve(array.count());
    for (std::uint64_t r = 0; r < rows; ++r) {
        if (r % 65536 == 0) progress::cancellation_point();
        for (std::uint64_t c = 0; c < dim; ++c)
            coordinates.push_back(array.number(array.fortran ? c * rows + r : r * dim + c));
    }
    MapFile map;
    map.map = map_of(static_cast<int>(dim), coordinates, origin);
    note_counted_axis(map);
    return map;
}

MapFile read_table_map(const Bytes& bytes, bool missing, const Origin& origin) {
    ReadOptions options;
    options.missing = missing;
    std::vector<std::size_t> chosen;
    std::vector<Note> notes;
    Points points = read_chosen(bytes, options, [&](TableSchema& schema) {
        take_ids(schema);
        take_index(schema, bytes);
        chosen = coordinate_columns(schema, bytes.name());
        note_whole_axis(schema, chosen);
        notes = notes_of(schema, chosen);
        if (origin && origin->size() == chosen.size()) options.shift = in_file_order(*origin, order_of(chosen));
        for (std::size_t c = 0; c < schema.roles.size(); ++c) {
            const bool other = std::find(chosen.begin(), chosen.end(), c) == chosen.end();
            if (schema.roles[c] == ColumnRole::number && other) schema.roles[c] = ColumnRole::skipped;
        }
    });
    MapFile map = map_of_points(std::move(points), order_of(chosen));
    map.notes.insert(map.notes.end(), notes.begin(), notes.end());
    return map;
}

}  // namespace

MapFile read_map(const Bytes& bytes, const Origin& origin) {
    if (is_npy(bytes)) {
        ReadOptions options;
        if (origin && parse_npy(bytes).shape.size() == 2 && parse_npy(bytes).shape[1] == origin->size())
            options.shift = origin;
        Points points = read_npy(bytes, options);
        const std::vector<Index> columns = all_columns(points);
        MapFile map = map_of_points(std::move(points), columns);
        note_counted_axis(map);
        return map;
    }
    const std::string extension = extension_of(bytes.name());
    if (extension == ".json") return read_json_map(bytes, origin);
    if (formats::is_graph_extension(extension)) {
        bad_file(
            "'{}' is a graph; give a map, such as .csv. `dunlin layout` starts from the positions of its own graph "
            "by --start input",
            bytes.name());
    }
    return read_table_map(bytes, false, origin);
}

MapFile read_partial_map(const Bytes& bytes, const Origin& origin) {
    if (is_npy(bytes)) return read_array_map(bytes, origin);
    return extension_of(bytes.name()) == ".json" ? read_map(bytes, origin) : read_table_map(bytes, true, origin);
}

}  // namespace dunlin::io

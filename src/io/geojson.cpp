// SPDX-License-Identifier: Apache-2.0
#include "io/geojson.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <dunlin/json_depth.hpp>

#include "io/as_text.hpp"
#include "io/fail.hpp"
#include "io/json_keys.hpp"
#include "io/memory.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

using Feature = nlohmann::ordered_json;

Feature parsed(const Bytes& bytes) {
    std::string_view text = bytes.view();
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    if (nests_too_deeply(text)) bad_file("'{}' has lists in lists beyond any GeoJSON", bytes.name());
    require_memory(10 * bytes.size(), "the features of '" + bytes.name() + "'");
    require_distinct_keys(text, bytes.name());
    Feature all = Feature::parse(text, nullptr, false);
    if (!all.is_object() || !all.contains("features") || !all["features"].is_array())
        bad_file("'{}' is no FeatureCollection of GeoJSON; give points as .csv", bytes.name());
    return std::move(all["features"]);
}

/// The coordinates of a feature that is a point.
const Feature& coordinates_of(const Feature& feature, std::size_t number, const std::string& file) {
    const bool has_place = feature.is_object() && feature.contains("geometry") && feature["geometry"].is_object();
    const Feature* const geometry = has_place ? &feature["geometry"] : nullptr;
    const bool is_point = geometry != nullptr && geometry->value("type", Feature()) == "Point" &&
                          geometry->contains("coordinates") && (*geometry)["coordinates"].is_array();
    const Feature* const place = is_point ? &(*geometry)["coordinates"] : nullptr;
    const auto is_number = [](const Feature& value) { return value.is_number(); };
    if (place == nullptr || place->size() < 2 || place->size() > 3 ||
        !std::all_of(place->begin(), place->end(), is_number)) {
        bad_file("'{}': feature {} is no point with two or three coordinates; only points are read, remove it", file,
                 number);
    }
    return *place;
}

std::string cell_of(const Feature& value, const std::string& name, std::size_t number, const std::string& file) {
    if (value.is_object() || value.is_array())
        bad_file("'{}': the property '{}' of feature {} is a list or an object; write a number or a word", file,
                 shown(name), number);
    if (value.is_null()) return "";
    return value.is_string() ? table_cell(value.get<std::string>()) : value.dump();
}

/// The names of the properties, in the order in which they come.
std::vector<std::string> names_of(const Feature& features) {
    std::vector<std::string> names;
    for (const Feature& feature : features) {
        if (!feature.is_object() || !feature.contains("properties") || !feature["properties"].is_object()) continue;
        for (const auto& [name, value] : feature["properties"].items()) {
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
    }
    return names;
}

}  // namespace

Bytes table_of_geojson(const Bytes& bytes) {
    const Feature features = parsed(bytes);
    const std::vector<std::string> names = names_of(features);
    std::size_t axes = 2;
    for (std::size_t f = 0; f < features.size(); ++f)
        axes = std::max(axes, coordinates_of(features[f], f + 1, bytes.name()).size());
    GrowableBuffer<char> text("the table of '" + bytes.name() + "'");
    append(text, axes == 2 ? "x\ty" : "x\ty\tz");
    for (const std::string& name : names) append(text, "\t" + table_cell(name));
    append(text, "\n");
    for (std::size_t f = 0; f < features.size(); ++f) {
        progress::cancellation_point();
        const Feature& place = coordinates_of(features[f], f + 1, bytes.name());
        for (std::size_t axis = 0; axis < axes; ++axis)
            append(text, (axis == 0 ? "" : "\t") + (axis < place.size() ? place[axis].dump() : std::string()));
        const Feature properties = features[f].value("properties", Feature::object());
        for (const std::string& name : names) {
            const bool is_there = properties.is_object() && properties.contains(name);
            append(text, "\t" + (is_there ? cell_of(properties[name], name, f + 1, bytes.name()) : ""));
        }
        append(text, "\n");
    }
    Bytes table = padded(text, bytes.name());
    table.say("read as the points of a GeoJSON: x and y are degrees, and its properties are columns");
    return table;
}

}  // namespace dunlin::io

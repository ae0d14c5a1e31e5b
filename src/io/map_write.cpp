// SPDX-License-Identifier: Apache-2.0
#include "io/map_write.hpp"

#include <cmath>

#include <dunlin/formats.hpp>
#include <dunlin/io.hpp>

#include "io/fail.hpp"
#include "io/json_word.hpp"
#include "io/map_origin.hpp"
#include "io/npy.hpp"

namespace dunlin::io {

namespace {

/// The label of a point; null if it has none.
const std::string* label_of(const MapParts& file, std::size_t point) {
    const Index label = file.labels.of[point];
    return label == no_label ? nullptr : &file.labels.names[static_cast<std::size_t>(label)];
}

std::string axis(int dim, int d) { return dim == 2 || dim == 3 ? std::string(1, "xyz"[d]) : fmt::format("x{}", d + 1); }

void write_table(Output& out, const MapParts& file, char delimiter) {
    const bool ids = !file.ids.empty(), labels = !file.labels.empty();
    if (ids) out.text("id");
    for (int d = 0; d < file.map.dim; ++d) {
        if (ids || d > 0) out.character(delimiter);
        out.text(axis(file.map.dim, d));
    }
    if (labels) out.character(delimiter), out.text("label");
    out.character('\n');
    for (std::size_t i = 0; i < static_cast<std::size_t>(file.map.size()); ++i) {
        if (ids) out.field(file.ids[i], delimiter);
        for (int d = 0; d < file.map.dim; ++d) {
            if (ids || d > 0) out.character(delimiter);
            write_coordinate(out, file.map, static_cast<Index>(i), d);
        }
        const std::string* const label = labels ? label_of(file, i) : nullptr;
        if (labels) out.character(delimiter);
        if (label != nullptr) out.field(*label, delimiter);
        out.character('\n');
    }
}

void write_npy(Output& out, const Map& map) {
    const std::vector<std::uint64_t> shape{static_cast<std::uint64_t>(map.size()), static_cast<std::uint64_t>(map.dim)};
    out.text(npy_header(map.origin.empty() ? "<f4" : "<f8", shape));
    map.origin.empty() ? out.raw(map.coordinates) : out.raw(coordinates_of(map));
}

template <class Word>
void write_json_words(Output& out, const char* key, std::size_t count, const Word& word) {
    out.text(fmt::format(",\n\"{}\": [", key));
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) out.character(',');
        const std::string* const text = word(i);
        out.text(text == nullptr ? "null" : json_word(*text));
    }
    out.character(']');
}

}  // namespace

void check_map(const MapParts& file, const std::string& name) {
    const auto points = static_cast<std::size_t>(file.map.size());
    const int dim = file.map.dim;
    if (dim < 1 || file.map.coordinates.size() != points * static_cast<std::size_t>(dim)) {
        bad_input("map for '{}': {} coordinates are not points of dimension {}", name, file.map.coordinates.size(),
                  dim);
    }
    if (!file.map.origin.empty() && file.map.origin.size() != static_cast<std::size_t>(dim))
        bad_input("map for '{}': an origin of {} axes is given for {}", name, file.map.origin.size(), dim);
    if (!file.ids.empty() && file.ids.size() != points) {
        bad_input("map for '{}': {} ids are given for {} points", name, file.ids.size(), points);
    }
    if (!file.labels.empty() && file.labels.of.size() != points) {
        bad_input("map for '{}': {} labels are given for {} points", name, file.labels.of.size(), points);
    }
    for (std::size_t i = 0; i < file.map.coordinates.size(); ++i) {
        if (!std::isfinite(file.map.coordinates[i])) {
            bad_input("map for '{}': point {} is not finite", name, i / static_cast<std::size_t>(dim) + 1);
        }
    }
}

void write_open_json(Output& out, const MapParts& file) {
    const auto points = static_cast<std::size_t>(file.map.size());
    out.text(fmt::format("{{\"dim\": {}", file.map.dim));
    if (!file.ids.empty()) write_json_words(out, "ids", points, [&](std::size_t i) { return &file.ids[i]; });
    if (!file.labels.empty()) write_json_words(out, "labels", points, [&](std::size_t i) { return label_of(file, i); });
    out.text(",\n\"coordinates\": [");
    for (std::size_t i = 0; i < points; ++i) {
        out.text(i > 0 ? ",[" : "[");
        for (int d = 0; d < file.map.dim; ++d) {
            if (d > 0) out.character(',');
            write_coordinate(out, file.map, static_cast<Index>(i), d);
        }
        out.character(']');
    }
    out.text("]");
}

void write_map(const std::filesystem::path& path, const MapFile& map) {
    const MapParts parts{map.map, map.ids, map.labels};
    check_map(parts, path.string());
    const std::string extension = format_of(path, "a map is", formats::maps);
    Output out(path);
    if (extension == ".npy")
        write_npy(out, map.map);
    else if (extension == ".json")
        write_open_json(out, parts), out.text("}\n");
    else
        write_table(out, parts, extension == ".tsv" ? '\t' : ',');
    out.commit();
}

}  // namespace dunlin::io

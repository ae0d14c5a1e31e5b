// SPDX-License-Identifier: Apache-2.0
#include "matrix.hpp"

#include <algorithm>

#include "io/fail.hpp"
#include "io/remedy.hpp"

/// Which matrix of a file is meant, and the names of its rows and columns.
namespace dunlin::hdf5 {

namespace {

/// Whether an object is there and has a value: anndata may write an absent X as "null".
bool has_value(const File& file, const std::string& path) {
    if (!has(file.handle.id(), path)) return false;
    return text_attribute(file, path, "encoding-type").value_or("") != "null";
}

bool is_tenx(const File& file, const std::string& group) {
    const auto there = [&](const char* part) { return has(file.handle.id(), group + part); };
    return there("/barcodes") && there("/indptr") && there("/indices") && there("/data") && there("/shape");
}

bool is_annotated(const File& file) {
    return has(file.handle.id(), "/obs") || has_value(file, "/X") || has(file.handle.id(), "/obsm");
}

std::vector<MatrixPlace> of_annotated(const File& file) {
    std::vector<MatrixPlace> places;
    const auto add = [&](const std::string& path, const std::string& field, const std::string& columns) {
        if (has_value(file, path)) places.push_back({path, field, columns, true});
    };
    add("/X", "", "/var");
    add("/raw/X", "", "/raw/var");
    add("/raw.X", "", "/raw.var");  // anndata 0.6
    for (const std::string& name : members_of(file, "/layers")) add("/layers/" + name, "", "/var");
    for (const std::string& name : members_of(file, "/obsm")) add("/obsm/" + name, "", "");
    if (has(file.handle.id(), "/obsm") && !is_group(file, "/obsm")) {
        for (const std::string& field : fields_of(file, "/obsm")) add("/obsm", field, "");
    }
    return places;
}

std::vector<MatrixPlace> of_other(const File& file) {
    std::vector<MatrixPlace> places;
    for (const std::string& name : members_of(file, "/")) {
        const std::string path = "/" + name;
        if (!has(file.handle.id(), path)) continue;
        if (is_group(file, path)) {
            if (is_tenx(file, path)) places.push_back({.path = path, .of_tenx = true});
        } else if (open_dataset(file, path).shape.size() == 2) {
            places.push_back({.path = path});
        }
    }
    return places;
}

std::string listed(const std::vector<MatrixPlace>& places, std::string_view between = ", ") {
    std::vector<std::string> names;
    for (const MatrixPlace& place : places) names.push_back(place.name());
    return names.empty() ? "no matrix" : fmt::format("{}", fmt::join(names, between));
}

const MatrixPlace* named(const std::vector<MatrixPlace>& places, const std::string& name) {
    const auto found =
        std::find_if(places.begin(), places.end(), [&](const MatrixPlace& place) { return place.name() == name; });
    return found == places.end() ? nullptr : &*found;
}

MatrixPlace wanted_matrix(const File& file, const std::vector<MatrixPlace>& places, std::string wanted) {
    if (wanted.starts_with('/')) wanted.erase(0, 1);
    if (const MatrixPlace* const place = named(places, wanted)) return *place;
    std::vector<MatrixPlace> meant;
    for (const char* folder : {"obsm/", "obsm/X_", "layers/"}) {
        if (const MatrixPlace* const place = named(places, folder + wanted)) meant.push_back(*place);
    }
    if (wanted == "raw" || wanted == "raw/X") {
        for (const char* name : {"raw/X", "raw.X"}) {
            if (const MatrixPlace* const place = named(places, name)) meant.push_back(*place);
        }
    }
    if (meant.size() == 1) return meant.front();
    if (meant.size() > 1) io::bad_option("array", "'{}' may be {}; name one", wanted, listed(meant, " or "));
    if (has(file.handle.id(), "/" + wanted)) return {.path = "/" + wanted};
    io::bad_option("array", "there is no '{}' in '{}', which has {}", wanted, file.name, listed(places));
}

}  // namespace

std::string MatrixPlace::name() const { return path.substr(1) + (field.empty() ? "" : "/" + field); }

bool is_frame(const File& file, const MatrixPlace& place) {
    return place.field.empty() && is_group(file, place.path) && text_attribute(file, place.path, "_index");
}

std::vector<MatrixPlace> matrices_of(const File& file) {
    return is_annotated(file) ? of_annotated(file) : of_other(file);
}

MatrixPlace find_matrix(const File& file, const std::string& wanted) {
    const std::vector<MatrixPlace> places = matrices_of(file);
    if (!wanted.empty()) return wanted_matrix(file, places, wanted);
    for (const char* usual : {"obsm/X_pca", "X", "train"}) {
        if (const MatrixPlace* const place = named(places, usual)) return *place;
    }
    if (places.size() == 1 && !places.front().of_cells) return places.front();
    const char* const lacks =
        is_annotated(file) ? "neither obsm/X_pca nor X" : "no obs, X or obsm, and more than one matrix, or none";
    const std::string first = places.empty() ? "PATH" : places.front().name();
    io::refuse_unless({"array", first}, Fault::bad_file, "'{}' has {}, but {}; name one", file.name, lacks,
                      listed(places));
}

std::vector<std::string> column_names(const File& file, const MatrixPlace& place) {
    if (place.of_tenx) {
        // Ids are unique; symbols, which people know, are taken if they are, too
        for (const char* part : {"/features/name", "/gene_names", "/features/id", "/genes"}) {
            if (!has(file.handle.id(), place.path + part)) continue;
            std::vector<std::string> names = texts_of(open_dataset(file, place.path + part));
            std::vector<std::string> sorted = names;
            std::sort(sorted.begin(), sorted.end());
            if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) return names;
        }
        return {};
    }
    if (is_frame(file, place)) return Frame(file, place.path).columns();
    const Frame frame(file, place.columns);
    const std::optional<std::string> index = place.columns.empty() ? std::nullopt : frame.index();
    return index ? frame.texts(*index) : std::vector<std::string>();
}

std::vector<std::string> row_names(const File& file, const MatrixPlace& place) {
    if (place.of_tenx) return texts_of(open_dataset(file, place.path + "/barcodes"));
    return Frame(file, "/obs").ids();
}

}  // namespace dunlin::hdf5

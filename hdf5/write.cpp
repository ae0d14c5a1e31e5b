// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "annotated.hpp"
#include "io/fail.hpp"
#include "matrix.hpp"
#include "records.hpp"
#include "stored_map.hpp"

namespace dunlin::hdf5 {

using io::bad_file;

namespace {

void require(const File& file, bool done, const std::string& what) {
    if (!done) bad_file("'{}': {} cannot be written; see whether there is space", file.name, what);
}

Handle utf8_text() {
    Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), H5T_VARIABLE);
    H5Tset_cset(type.id(), H5T_CSET_UTF8);
    return type;
}

/// Sets a text attribute that says how an element is encoded (https://anndata.readthedocs.io: on-disk format).
void describe(const File& file, hid_t object, const char* name, const std::string& text) {
    const Handle type = utf8_text(), space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const char* const words = text.c_str();
    require(file, attribute && H5Awrite(attribute.id(), type.id(), &words) >= 0, name);
}

/// A group that is a dictionary; one that is there is left as it is.
void make_dict(const File& file, const std::string& path) {
    if (!path_within(file, path).empty()) return;
    const Handle group(H5Gcreate2(file.handle.id(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    require(file, static_cast<bool>(group), path);
    describe(file, group.id(), "encoding-type", "dict");
    describe(file, group.id(), "encoding-version", "0.1.0");
}

void remove(const File& file, const std::string& path) {
    if (!has(file.handle.id(), path)) return;
    require(file, H5Ldelete(file.handle.id(), path.c_str(), H5P_DEFAULT) >= 0, path);
}

void write_text(const File& file, const std::string& path, const std::string& text) {
    const Handle type = utf8_text(), space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle dataset(
        H5Dcreate2(file.handle.id(), path.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    const char* const words = text.c_str();
    require(file, dataset && H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &words) >= 0, path);
    describe(file, dataset.id(), "encoding-type", "string");
    describe(file, dataset.id(), "encoding-version", "0.2.0");
}

void write_array(const File& file, const std::string& path, const Map& map) {
    const hsize_t extents[2] = {static_cast<hsize_t>(map.size()), static_cast<hsize_t>(map.dim)};
    const Handle space(H5Screate_simple(2, extents, nullptr), H5Sclose);
    const StoredMap stored(map);
    const Handle dataset(
        H5Dcreate2(file.handle.id(), path.c_str(), stored.type(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    require(file, dataset && H5Dwrite(dataset.id(), stored.type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.data()) >= 0,
            path);
    describe(file, dataset.id(), "encoding-type", "array");
    describe(file, dataset.id(), "encoding-version", "0.2.0");
}

/// Number of rows of obs.
std::uint64_t rows_of(const File& file) {
    const std::optional<std::uint64_t> rows = Frame(file, "/obs").rows();
    if (!rows) bad_file("'{}' has no obs with an index; a map is written into .h5ad only", file.name);
    return *rows;
}

bool same_cells(const File& file, const File& other) {
    const std::vector<std::string> cells = Frame(file, "/obs").ids();
    try {
        return !cells.empty() && cells == Frame(other, "/obs").ids();
    } catch (const Error&) {
        return false;  // names that cannot be read are others
    }
}

/// The name of a matrix as scanpy's use_rep has it: X, or a key of obsm.
std::string representation(const std::string& matrix) {
    const std::string obsm = "obsm/";
    return matrix.starts_with(obsm) ? matrix.substr(obsm.size()) : matrix;
}

}  // namespace

void write_obsm(const File& file, const io::ObsmMap& map) {
    const std::uint64_t rows = rows_of(file);
    if (rows != static_cast<std::uint64_t>(map.map.size()))
        bad_file("'{}' has {} rows and the map {} points; it must be the map of this file", file.name, rows,
                 map.map.size());
    // The map
    const std::string record = "/uns/" + map.name;
    if (has(file.handle.id(), "/obsm") && !is_group(file, "/obsm")) {
        put_field(file, "/obsm", map.name, map.map);
    } else {
        make_dict(file, "/obsm");
        remove(file, "/obsm/" + map.name);
        write_array(file, "/obsm/" + map.name, map.map);
    }
    // What it was made from
    make_dict(file, "/uns");
    remove(file, record);
    if (!map.made_from.empty()) {
        make_dict(file, record);
        make_dict(file, record + "/params");
        write_text(file, record + "/params/use_rep", representation(map.made_from));
    }
    require(file, H5Fflush(file.handle.id(), H5F_SCOPE_GLOBAL) >= 0, map.name);
}

std::vector<std::string> keep_obsm(const File& file, const File& from) {
    const hid_t to = file.handle.id();
    const bool groups = is_group(from, "/obsm") && (!has(to, "/obsm") || is_group(file, "/obsm"));
    if (!groups || !same_cells(file, from)) return {};
    std::vector<std::string> kept;
    for (const std::string& name : members_of(from, "/obsm")) {
        const std::string path = "/obsm/" + name, record = "/uns/" + name;
        if (has(to, path)) continue;
        path_within(from, path);  // throws for one in another file
        make_dict(file, "/obsm");
        const auto copy = [&](const std::string& what) {
            return H5Ocopy(from.handle.id(), what.c_str(), to, what.c_str(), H5P_DEFAULT, H5P_DEFAULT) >= 0;
        };
        require(file, copy(path), path);
        kept.push_back(name);
        if (!has(from.handle.id(), record) || has(to, record)) continue;
        make_dict(file, "/uns");
        require(file, copy(record), record);
    }
    return kept;
}

}  // namespace dunlin::hdf5

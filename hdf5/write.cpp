// SPDX-License-Identifier: Apache-2.0
#include "annotated.hpp"

namespace dunlin::hdf5 {

using io::bad_file;

namespace {

void require(const File& file, bool done, const std::string& what) {
    if (!done) bad_file("'{}': {} cannot be written; see whether there is space", file.name, what);
}

/// Sets a text attribute that says how an element is encoded (https://anndata.readthedocs.io: on-disk format).
void describe(const File& file, hid_t object, const char* name, const std::string& text) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(type.id(), H5T_VARIABLE);
    H5Tset_cset(type.id(), H5T_CSET_UTF8);
    const Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const char* const words = text.c_str();
    require(file, attribute && H5Awrite(attribute.id(), type.id(), &words) >= 0, name);
}

/// Number of rows of obs: that of its index, or of X.
std::uint64_t rows_of(const File& file) {
    const std::string index = "/obs/" + text_attribute(file, "/obs", "_index").value_or("_index");
    if (is_group(file, "/obs") && has(file.handle.id(), index) && !is_group(file, index)) {
        const Dataset names = open_dataset(file, index);
        if (names.shape.size() == 1) return names.shape[0];
    }
    if (has(file.handle.id(), "/X") && !is_group(file, "/X")) {
        const Dataset matrix = open_dataset(file, "/X");
        if (!matrix.shape.empty()) return matrix.shape[0];
    }
    bad_file("'{}' has no obs with an index; a map is written into .h5ad only", file.name);
}

}  // namespace

void write_obsm(const File& file, const std::string& name, const Map& map) {
    const std::uint64_t rows = rows_of(file);
    if (rows != static_cast<std::uint64_t>(map.size()))
        bad_file("'{}' has {} rows and the map {} points; it must be the map of this file", file.name, rows,
                 map.size());
    const hid_t root = file.handle.id();
    if (!has(root, "/obsm")) {
        const Handle group(H5Gcreate2(root, "/obsm", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
        require(file, static_cast<bool>(group), "obsm");
        describe(file, group.id(), "encoding-type", "dict");
        describe(file, group.id(), "encoding-version", "0.1.0");
    }
    const std::string path = "/obsm/" + name;
    if (has(root, path)) require(file, H5Ldelete(root, path.c_str(), H5P_DEFAULT) >= 0, path);
    const hsize_t extents[2] = {rows, static_cast<hsize_t>(map.dim)};
    const Handle space(H5Screate_simple(2, extents, nullptr), H5Sclose);
    const Handle dataset(
        H5Dcreate2(root, path.c_str(), H5T_IEEE_F32LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    require(
        file,
        dataset && H5Dwrite(dataset.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, map.coordinates.data()) >= 0,
        path);
    describe(file, dataset.id(), "encoding-type", "array");
    describe(file, dataset.id(), "encoding-version", "0.2.0");
    require(file, H5Fflush(root, H5F_SCOPE_GLOBAL) >= 0, path);
}

}  // namespace dunlin::hdf5

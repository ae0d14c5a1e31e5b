// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <dunlin/columns.hpp>
#include <dunlin/h5ad.hpp>
#include <dunlin/io.hpp>

namespace dunlin::io {

/// How a map is read from a file of HDF5.
struct StoredMapOptions {
    std::string array;                          ///< its name; empty: one in obsm
    std::optional<std::vector<double>> origin;  ///< as read_map() has it
    bool partial = false;                       ///< points may have no place: NaN
};

/// Functions of libdunlin_hdf5.so, which links to HDF5 and the many libraries that Debian's needs. libdunlin loads it
/// when a file of HDF5 is first read or written, so that no other run pays for them.
struct Hdf5Module {
    const char* version;  ///< of Dunlin, which must equal libdunlin's
    Points (*read_points)(const std::string& path, const ReadOptions& options);
    NumberColumn (*read_column)(const std::string& path, const std::string& column);
    bool (*holds_classes)(const std::string& path, const std::string& column);
    LabelColumn (*read_label_column)(const std::string& path, const std::string& column);
    /// Names and colors of the classes of a column of obs: uns/COLUMN_colors.
    std::vector<std::pair<std::string, std::string>> (*read_colors)(const std::string& path, const std::string& column);
    MapFile (*read_map)(const std::string& path, const StoredMapOptions& options);
    std::vector<std::string> (*write_obsm)(const std::string& path, const std::string& source, const ObsmMap& map);
};

/// The name of the function that returns it: extern "C" const Hdf5Module* ().
constexpr const char* hdf5_module_symbol = "dunlin_hdf5_module";

/// Loads the module. Throws Error{bad_file} with the reason if it is not there; `path`: the file that needs it.
const Hdf5Module& hdf5_module(const std::string& path);

/// Whether the extension is .h5ad, .h5 or .hdf5.
bool is_hdf5_name(const std::string& name);

}  // namespace dunlin::io

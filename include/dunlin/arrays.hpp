// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <dunlin/export.hpp>

namespace dunlin::io {

/// Numbers in double with the lengths of their axes, the last axis in sequence.
struct DoubleArray {
    std::vector<std::uint64_t> shape;
    std::vector<double> values;
};

/// Reads or writes an array of any shape: .npy, numbers of any type in C order; written as float64.
DUNLIN_API DoubleArray read_array(const std::filesystem::path& path);
DUNLIN_API void write_array(const std::filesystem::path& path, const DoubleArray& array);

/// Named columns of equal length.
struct Columns {
    std::vector<std::string> names;
    std::vector<std::span<const double>> values;
};

/// Writes columns in double: .csv or .tsv ([id,] columns; a number that is not finite is an empty field) or .npy (rows
/// x columns). `ids`: empty, or one per row.
DUNLIN_API void write_columns(const std::filesystem::path& path, const Columns& columns,
                              const std::vector<std::string>& ids = {});

}  // namespace dunlin::io

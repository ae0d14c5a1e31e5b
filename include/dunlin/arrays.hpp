// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin::io {

/// Numbers in double with the lengths of their axes, the last axis in sequence.
struct DoubleArray {
    std::vector<std::uint64_t> shape;
    std::vector<double> values;
};

/// Reads or writes an array of any shape: .npy, numbers of any type in C order; written as float64.
DUNLIN_API DoubleArray read_array(const std::filesystem::path& path);
DUNLIN_API void write_array(const std::filesystem::path& path, const DoubleArray& array);

/// Numbers on a 3-D grid in C order (the last axis in sequence), float32 or float64; one of the pointers is null.
/// Values of a file in this order are not copied.
struct FieldFile {
    std::array<Index, 3> nodes{};
    std::shared_ptr<const float> floats;
    std::shared_ptr<const double> doubles;

    [[nodiscard]] Offset size() const { return Offset{nodes[0]} * nodes[1] * nodes[2]; }
};

/// Whether a file is an array (.npy) that is no table: it has not two axes.
DUNLIN_API bool is_field(const std::filesystem::path& path);

/// Reads an array of three axes: .npy, also compressed, of numbers of any type, in C or Fortran order. Integers of more
/// than 16 bits become float64, smaller ones float32. Throws Error{bad_file}. Empty if a stop is requested.
DUNLIN_API FieldFile read_field(const std::filesystem::path& path, const Run& run = {});

/// A named column of words.
struct WordColumn {
    std::string name;
    std::vector<std::string> values;
};

/// Named columns of equal length, one or more.
struct Columns {
    std::vector<std::string> names;
    std::vector<std::span<const double>> values;
    std::vector<WordColumn> words = {};  ///< beside the numbers; not in .npy
};

/// Writes columns in double: .csv or .tsv ([id,] columns, then those of words; a number that is not finite is an empty
/// field) or .npy (rows x columns). `ids`: empty, or one per row.
DUNLIN_API void write_columns(const std::filesystem::path& path, const Columns& columns,
                              const std::vector<std::string>& ids = {});

}  // namespace dunlin::io

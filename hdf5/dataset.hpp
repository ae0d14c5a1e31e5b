// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file.hpp"

namespace dunlin::hdf5 {

/// A dataset, or one field of a dataset of records, with its extents and the kind of its values.
struct Dataset {
    Handle handle;
    Handle type;                       ///< of a value in the file
    std::string title;                 ///< "'file': /obs/label"
    std::string field;                 ///< of records; empty: the values themselves
    std::vector<std::uint64_t> shape;  ///< with the axes of the field
    H5T_class_t kind = H5T_NO_CLASS;

    [[nodiscard]] std::uint64_t count() const;
    /// Whether the values are numbers; booleans are 0 and 1.
    [[nodiscard]] bool numeric() const;
    [[nodiscard]] bool boolean() const;
};

/// Throws Error{bad_file} if it is none, cannot be read, or is not sound (sound.hpp).
Dataset open_dataset(const File& file, const std::string& path, const std::string& field = {});

/// Names of the fields of a dataset of records; none if it is of something else.
std::vector<std::string> fields_of(const File& file, const std::string& path);

/// All values of a dataset. Throws Error{bad_file} if they are of another kind, and Error{out_of_memory}.
std::vector<double> doubles_of(const Dataset& dataset);
std::vector<std::int64_t> integers_of(const Dataset& dataset);

/// The values as texts: numbers as they are written, True and False, the names of an enumeration. NaN is empty.
std::vector<std::string> texts_of(const Dataset& dataset);

/// Rows [first, first + count) of a dataset of two axes (or one, of one column) as doubles.
void read_rows(const Dataset& dataset, std::uint64_t first, std::uint64_t count, double* out);

/// A column of a dataset of two axes (or one, of one column) as doubles.
std::vector<double> read_column(const Dataset& dataset, std::uint64_t column);

/// The values [first, first + count) of a dataset of one axis.
std::vector<std::int64_t> read_integers(const Dataset& dataset, std::uint64_t first, std::uint64_t count);
std::vector<double> read_doubles(const Dataset& dataset, std::uint64_t first, std::uint64_t count);

}  // namespace dunlin::hdf5

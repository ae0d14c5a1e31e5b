// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <dunlin/io.hpp>

#include "io/bytes.hpp"

namespace dunlin::io {

/// An array of numbers or strings in a file (.npy, IDX, .fbin, .safetensors).
struct Array {
    char kind = 'f';       ///< f float, g bfloat16, i signed, u unsigned, b bool, U and S text
    std::size_t item = 4;  ///< bytes per value
    bool swapped = false;  ///< big-endian
    bool fortran = false;
    std::vector<std::uint64_t> shape;
    const char* data = nullptr;  ///< points into the file's bytes

    [[nodiscard]] std::uint64_t count() const;  ///< number of values; cannot overflow after check_size
    [[nodiscard]] bool is_text() const { return kind == 'U' || kind == 'S'; }

    /// The value at `index`, in the file's order, as a double.
    [[nodiscard]] double number(std::uint64_t index) const;

    /// A string, in UTF-8.
    [[nodiscard]] std::string text(std::uint64_t index) const;
};

/// Throws Error{bad_file} if the size of the array differs from that of the bytes from `data` to the end of the file.
void check_size(const Array& array, const Bytes& bytes);

/// Rows and columns. Axes after the first are flattened; an array of one axis has one column.
struct Extents {
    Index rows = 0, cols = 0;
};
Extents extents(const Array& array, const std::string& file);

/// The values of an array of one axis as labels.
Labels labels_of(const Array& array, const std::string& file);

/// Converts IEEE half precision.
float half_to_float(std::uint16_t half);

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <dunlin/column_offsets.hpp>
#include <dunlin/export.hpp>
#include <dunlin/run.hpp>
#include <dunlin/types.hpp>

namespace dunlin {

/// Type of the numbers of a foreign array.
enum class NumberType { float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64 };
constexpr std::array<std::string_view, 11> names(NumberType) {
    return {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"};
}

/// A matrix in the caller's memory: the number in row r, column c is at data + r * row_stride + c * column_stride.
/// Strides are in bytes and may be negative. Numbers are in the machine's byte order and need not be aligned.
struct ForeignMatrix {
    const void* data = nullptr;
    NumberType type = NumberType::float64;
    Index rows = 0, cols = 0;
    Offset row_stride = 0, column_stride = 0;
};

struct Narrowed {
    Matrix values;
    std::vector<double> shift;  ///< subtracted from each column; empty: nothing
};

/// Whether narrow() would subtract an offset from a column. Reads a sample of rows.
DUNLIN_API bool has_offsets(const ForeignMatrix& matrix, ColumnOffsets offsets = ColumnOffsets::subtract);

/// Converts numbers to float32 in parallel on the CPU, by the rule of io::read_points: columns whose median is far
/// from zero compared with their spread (in a sample of rows) are stored less that median, subtracted in double, since
/// a plain cast would round away what varies. Gives the same floats as writing the array to a .npy file and reading it,
/// for any number of threads. Cancelled, it returns no rows.
/// Throws Error{bad_input} with row and column for NaN, infinity and numbers too large for float32, and if the numbers
/// differ but are too small for float32; Error{out_of_memory}.
DUNLIN_API Narrowed narrow(const ForeignMatrix& matrix, ColumnOffsets offsets = ColumnOffsets::subtract,
                           const Run& run = {});

/// Subtracts the offsets that the rule above gives for `reference` instead of those of `matrix`. Rows that are compared
/// with rows of `reference` (queries of a search) are thus shifted alike, and equal rows stay equal. Reads only a
/// sample of `reference`. Also throws if the numbers of columns differ.
DUNLIN_API Narrowed narrow(const ForeignMatrix& matrix, const ForeignMatrix& reference,
                           ColumnOffsets offsets = ColumnOffsets::subtract, const Run& run = {});

}  // namespace dunlin

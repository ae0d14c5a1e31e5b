// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <dunlin/io.hpp>
#include <dunlin/types.hpp>

#include "device/cancel.hpp"
#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/read_progress.hpp"

namespace dunlin::io {

inline constexpr Offset most_items = std::numeric_limits<Index>::max();

/// Converts rows of doubles to float32 after subtraction of a shift per column.
class Narrowing {
public:
    /// name: name of the file in messages.
    Narrowing(std::string name, std::size_t cols, std::vector<double> shift);

    /// Adds a row. Returns the first column whose value is not representable (NaN, infinite, too large), or the number
    /// of columns.
    std::size_t add(const double* row);

    [[nodiscard]] Offset rows() const { return rows_; }

    /// Throws Error{bad_file} if the values differ but all of them underflow to 0 in float32.
    Matrix matrix();
    std::vector<double> shift() { return std::move(shift_); }

private:
    void look_for_zeros(const double* row, const float* stored);

    std::string name_;
    std::size_t cols_;
    std::vector<double> shift_;
    GrowableBuffer<float> values_;
    Offset rows_ = 0;
    double vanished_ = 0;  ///< a value that underflowed to 0
    bool visible_ = false;
};

/// Throws Error{bad_file} for a value that float32 cannot represent.
[[noreturn]] void not_finite(const FileLocation& place, double value);

/// "'file': row 3, column 4", counted from 1.
FileLocation place_in(const std::string& file, Offset row, Offset column);

/// Throws Error{bad_file} with row and column if a value is not finite.
void check_finite(MatrixView<const float> values, const std::string& name);

/// A float32 matrix and the shift subtracted from its columns (empty: none).
struct ShiftedMatrix {
    Matrix values;
    std::vector<double> shift;
};

/// Throws Error{bad_input} if options.shift is not for this number of columns.
void require_columns_of_shift(const ReadOptions& options, const std::string& name, std::size_t cols);

/// Subtracts options.shift, if there is one, from points that were read as they are.
void subtract_shift(const ReadOptions& options, const std::string& name, Points& points);

/// Narrows a matrix by options.shift, or by offsets of its own; read(r, double* row) provides row r.
template <class Read>
ShiftedMatrix narrowed(const std::string& name, const ReadOptions& options, Index rows, Index cols, const Read& read);

}  // namespace dunlin::io

#include "io/shift.hpp"

namespace dunlin::io {

template <class Read>
std::vector<double> sampled_shift(Index rows, Index cols, ColumnOffsets offsets, const Read& read) {
    const auto width = static_cast<std::size_t>(cols);
    const Index sampled = std::min(rows, sample_size(width));
    std::vector<double> sample(static_cast<std::size_t>(sampled) * width);
    for (Index i = 0; i < sampled; ++i) {
        read(sampled_row(i, sampled, rows), sample.data() + static_cast<std::size_t>(i) * width);
    }
    return choose_shift(sample, cols, offsets);
}

template <class Read>
ShiftedMatrix narrowed(const std::string& name, const ReadOptions& options, Index rows, Index cols, const Read& read) {
    const auto width = static_cast<std::size_t>(cols);
    require_columns_of_shift(options, name, width);
    Narrowing narrowing(name, width, options.shift ? *options.shift : sampled_shift(rows, cols, options.offsets, read));
    std::vector<double> row(width);
    for (Index r = 0; r < rows; ++r) {
        if (r % 64 == 0) device::cancellation_point();
        read(r, row.data());
        const std::size_t bad = narrowing.add(row.data());
        if (bad < width) not_finite(place_in(name, r, static_cast<Offset>(bad)), row[bad]);
    }
    return {narrowing.matrix(), narrowing.shift()};
}

}  // namespace dunlin::io

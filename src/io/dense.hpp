// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <dunlin/io.hpp>
#include <dunlin/types.hpp>

#include "io/fail.hpp"
#include "io/growable_buffer.hpp"
#include "io/magnitudes.hpp"
#include "io/read_progress.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

inline constexpr Offset most_items = std::numeric_limits<Index>::max();

/// Converts rows of doubles to float32 after subtraction of a shift per column.
class Narrowing {
public:
    /// name: name of the file in messages. are_compared: the rows are compared with others, beside which a column of
    /// small numbers may be as good as 0.
    Narrowing(std::string name, std::size_t cols, std::vector<double> shift, bool are_compared = false);

    /// Adds a row. Returns the first column whose value is not representable (NaN, infinite, too large), or the number
    /// of columns.
    std::size_t add(const double* row);

    [[nodiscard]] Offset rows() const { return rows_; }

    /// Throws Error{bad_file} if the values of a column differ, but those that are not 0 are too small for float32.
    /// title(column): its name in the message.
    template <class Title>
    Matrix matrix(const Title& title);
    Matrix matrix() {
        return matrix([](std::size_t column) { return fmt::format("{}", column + 1); });
    }
    /// Whether a number is so large that double does not hold all whole numbers around it.
    [[nodiscard]] bool has_huge() const { return huge_; }
    std::vector<double> shift() { return std::move(shift_); }

private:
    Matrix released();

    std::string name_;
    std::size_t cols_;
    std::vector<double> shift_;
    GrowableBuffer<float> values_;
    Offset rows_ = 0;
    VanishedColumns vanished_;
    bool are_compared_, huge_ = false;
};

template <class Title>
Matrix Narrowing::matrix(const Title& title) {
    const VanishedColumns::VanishedNumber small =
        vanished_.found({values_.data(), static_cast<Index>(rows_), static_cast<Index>(cols_)}, are_compared_);
    if (small.number != 0)
        refuse_small_numbers(fmt::format("'{}': all numbers of column {}", name_, title(small.column)), small.number);
    return released();
}

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
    Narrowing narrowing(name, width, options.shift ? *options.shift : sampled_shift(rows, cols, options.offsets, read),
                        options.shift.has_value());
    std::vector<double> row(width);
    for (Index r = 0; r < rows; ++r) {
        if (r % 64 == 0) progress::cancellation_point();
        read(r, row.data());
        const std::size_t bad = narrowing.add(row.data());
        if (bad < width) not_finite(place_in(name, r, static_cast<Offset>(bad)), row[bad]);
    }
    return {narrowing.matrix(), narrowing.shift()};
}

}  // namespace dunlin::io

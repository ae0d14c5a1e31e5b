// SPDX-License-Identifier: Apache-2.0
#include "io/dense.hpp"
#include "device/cancel.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "io/fail.hpp"

namespace dunlin::io {

namespace {

// Bits of a float's exponent, all ones for infinity and NaN
constexpr std::uint32_t exponent = 0x7f800000;

bool all_finite(const float* values, std::size_t count) {
    bool finite = true;
    for (std::size_t i = 0; i < count; ++i) finite &= (std::bit_cast<std::uint32_t>(values[i]) & exponent) != exponent;
    return finite;
}

std::size_t first_not_finite(const float* values, std::size_t count) {
    if (all_finite(values, count)) return count;
    return static_cast<std::size_t>(std::find_if(values, values + count, [](float v) { return !std::isfinite(v); }) -
                                    values);
}

bool any_huge(const double* row, std::size_t count) {
    constexpr double exact = 0x1p53;
    bool any = false;
    for (std::size_t c = 0; c < count; ++c) any |= std::abs(row[c]) >= exact;
    return any;
}

}  // namespace

Narrowing::Narrowing(std::string name, std::size_t cols, std::vector<double> shift, bool are_compared)
    : name_(std::move(name)),
      cols_(cols),
      shift_(std::move(shift)),
      values_("the points of '" + name_ + "'"),
      vanished_(cols),
      are_compared_(are_compared) {}

std::size_t Narrowing::add(const double* row) {
    if (rows_ == most_items) bad_file("'{}' has more than {} rows; split it or sample it", name_, most_items);
    float* const out = values_.room(cols_);
    if (shift_.empty()) {
        for (std::size_t c = 0; c < cols_; ++c) out[c] = static_cast<float>(row[c]);
    } else {
        for (std::size_t c = 0; c < cols_; ++c) out[c] = static_cast<float>(row[c] - shift_[c]);
    }
    values_.add(cols_);
    ++rows_;
    vanished_.look_at(row, shift_.empty() ? nullptr : shift_.data(), out);
    huge_ = huge_ || any_huge(row, cols_);
    return first_not_finite(out, cols_);
}

Matrix Narrowing::released() {
    // An empty matrix needs a valid pointer
    if (values_.size() == 0) values_.room(1);
    return {static_cast<Index>(rows_), static_cast<Index>(cols_), values_.release()};
}

void not_finite(const FileLocation& place, double value) {
    if (std::isfinite(value)) bad_file("{}: {} is too large for float32; scale the column down", place, value);
    bad_file("{} is {}; points must be finite: remove the row or fill the value in", place,
             std::isnan(value) ? "NaN" : "infinite");
}

FileLocation place_in(const std::string& file, Offset row, Offset column) {
    return {fmt::format("'{}': row {}, column {}", file, row + 1, column + 1),
            {.file = file, .row = row, .column = column}};
}

void check_finite(MatrixView<const float> values, const std::string& name) {
    const auto cols = static_cast<std::size_t>(values.cols);
    for (Index r = 0; r < values.rows; ++r) {
        if (r % 64 == 0) device::cancellation_point();
        const std::size_t bad = first_not_finite(values.row(r).data(), cols);
        if (bad < cols)
            not_finite(place_in(name, r, static_cast<Offset>(bad)), static_cast<double>(values.row(r)[bad]));
    }
}

void require_columns_of_shift(const ReadOptions& options, const std::string& name, std::size_t cols) {
    if (!options.shift || options.shift->empty() || options.shift->size() == cols) return;
    bad_input("'{}' has {} columns, and the points that it is compared with have {}; both must have the same", name,
              cols, options.shift->size());
}

void subtract_shift(const ReadOptions& options, const std::string& name, Points& points) {
    if (!options.shift || options.shift->empty() || !points.shift.empty()) return;
    const MatrixView<const float> rows = points.values.view();
    ShiftedMatrix moved = narrowed(name, options, rows.rows, rows.cols, [&](Index r, double* row) {
        for (const float value : rows.row(r)) *row++ = static_cast<double>(value);
    });
    points.values = std::move(moved.values);
    points.shift = std::move(moved.shift);
}

}  // namespace dunlin::io

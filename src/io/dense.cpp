// SPDX-License-Identifier: Apache-2.0
#include "io/dense.hpp"
#include "progress/cancel.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "io/fail.hpp"

namespace dunlin::io {

namespace {

/// double holds all whole numbers below it.
constexpr float exact_limit = 0x1p53F;

/// Negative for a magnitude below exact_limit, which infinity and NaN are not, by its bits: a loop over numbers is
/// vectorized.
std::int32_t small_sign(float value) {
    return (std::bit_cast<std::int32_t>(value) & 0x7fffffff) - std::bit_cast<std::int32_t>(exact_limit);
}

std::size_t first_not_finite(const float* values, std::size_t count) {
    return static_cast<std::size_t>(std::find_if(values, values + count, [](float v) { return !std::isfinite(v); }) -
                                    values);
}

/// Whether a shift may hide numbers that large.
bool hides_huge(const std::vector<double>& shift) {
    return std::any_of(shift.begin(), shift.end(), [](double offset) { return std::abs(offset) >= 0x1p52; });
}

bool is_huge(float value) { return std::isfinite(value) && std::abs(value) >= exact_limit; }

}  // namespace

Narrowing::Narrowing(std::string name, std::size_t cols, std::vector<double> shift, bool are_compared)
    : name_(std::move(name)),
      cols_(cols),
      shift_(std::move(shift)),
      values_("the points of '" + name_ + "'"),
      are_compared_(are_compared),
      huge_(hides_huge(shift_)) {}

std::size_t Narrowing::add(const double* row) {
    if (rows_ == most_items) bad_file("'{}' has more than {} rows; split it or sample it", name_, most_items);
    float* const out = values_.room(cols_);
    std::int64_t tiny = 0;
    std::int32_t small = -1;
    for (std::size_t c = 0; c < cols_; ++c) {
        const double moved = shift_.empty() ? row[c] : row[c] - shift_[c];
        out[c] = static_cast<float>(moved);
        tiny |= tiny_sign(moved);
        small &= small_sign(out[c]);
    }
    values_.add(cols_);
    ++rows_;
    if (tiny < 0) vanished_.look_at(row, shift_.empty() ? nullptr : shift_.data(), {out, cols_});
    if (small < 0) return cols_;
    huge_ = huge_ || std::any_of(out, out + cols_, is_huge);
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
        if (r % 64 == 0) progress::cancellation_point();
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

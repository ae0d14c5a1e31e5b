#include "io/dense.hpp"

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>

#include "io/fail.hpp"

namespace dunlin::io {

namespace {

// A float's exponent, all ones for infinity and NaN
constexpr std::uint32_t exponent = 0x7f800000;

bool all_finite(const float* values, std::size_t count) {
    bool finite = true;
    for (std::size_t i = 0; i < count; ++i) finite &= (std::bit_cast<std::uint32_t>(values[i]) & exponent) != exponent;
    return finite;
}

}  // namespace

Narrowing::Narrowing(std::string name, std::size_t cols, std::vector<double> shift)
    : name_(std::move(name)), cols_(cols), shift_(std::move(shift)), values_("the points of '" + name_ + "'") {}

void Narrowing::add(const double* row) {
    if (rows_ == most_items) bad_file("'{}' has more than {} rows; split it or sample it", name_, most_items);
    float* const out = values_.room(cols_);
    if (shift_.empty()) {
        for (std::size_t c = 0; c < cols_; ++c) out[c] = static_cast<float>(row[c]);
    } else {
        for (std::size_t c = 0; c < cols_; ++c) out[c] = static_cast<float>(row[c] - shift_[c]);
    }
    values_.add(cols_);
    ++rows_;
    if (all_finite(out, cols_)) return;
    for (std::size_t c = 0; c < cols_; ++c) {
        if (std::isfinite(out[c])) continue;
        if (!std::isfinite(row[c])) {
            bad_file("'{}': row {}, column {} is {}; points must be finite: remove the row or fill the value in", name_,
                     rows_, c + 1, std::isnan(row[c]) ? "NaN" : "infinite");
        }
        bad_file("'{}': row {}, column {}: {} is too large for float32; scale the column down", name_, rows_, c + 1,
                 row[c]);
    }
}

Matrix Narrowing::matrix() {
    // A matrix without values still has a place
    if (values_.size() == 0) values_.room(1);
    return {static_cast<Index>(rows_), static_cast<Index>(cols_), values_.release()};
}

void check_finite(MatrixView<const float> values, const std::string& name) {
    const auto cols = static_cast<std::size_t>(values.cols);
    for (Index r = 0; r < values.rows; ++r) {
        const auto row = values.row(r);
        if (all_finite(row.data(), cols)) continue;
        for (std::size_t c = 0; c < cols; ++c) {
            if (std::isfinite(row[c])) continue;
            bad_file("'{}': row {}, column {} is {}; points must be finite: remove the row or fill the value in", name,
                     r + 1, c + 1, std::isnan(row[c]) ? "NaN" : "infinite");
        }
    }
}

}  // namespace dunlin::io

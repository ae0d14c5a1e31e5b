// SPDX-License-Identifier: Apache-2.0
#include "io/code_notes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "io/fail.hpp"
#include "progress/cancel.hpp"

namespace dunlin::io {

namespace {

constexpr std::array codes = {-99.0,   -999.0, -9999.0, -99999.0, -999999.0, -99.9,    -999.9, -9999.9, -999.99,
                              -8888.0, -888.0, 999.0,   9999.0,   99999.0,   999999.0, 9999.9, 99999.9};

constexpr double least_plain = -98.5, most_plain = 998.5;  ///< no code is between

/// The code that a number is, as far as float32 tells; 0: none.
double code_of(double value, double rounding) {
    if (value > least_plain && value < most_plain) return 0;
    for (const double code : codes) {
        if (std::abs(value - code) <= std::abs(code) * 0x1p-23 + rounding) return code;
    }
    return 0;
}

constexpr Index between_stops = 4096;  ///< rows

/// Points that are held less a shift.
class Cells {
public:
    explicit Cells(const Points& points) : values_(points.values.view()), shift_(points.shift) {}
    [[nodiscard]] const float* row(Index r) const { return values_.data + Offset{r} * values_.cols; }
    [[nodiscard]] double value(float held, Index c) const {
        return held + (shift_.empty() ? 0 : shift_[static_cast<std::size_t>(c)]);
    }
    [[nodiscard]] double code(float held, Index c) const {
        return code_of(value(held, c), std::abs(static_cast<double>(held)) * 0x1p-23);
    }
    [[nodiscard]] Index rows() const { return values_.rows; }
    [[nodiscard]] Index cols() const { return values_.cols; }

private:
    MatrixView<const float> values_;
    const std::vector<double>& shift_;
};

/// Codes of a column with the numbers of their cells, and the least and the most of the other values.
struct CodesOfColumn {
    std::map<double, Offset> times;
    double least = std::numeric_limits<double>::infinity(), most = -least;

    /// Whether a code is farther from all other values than these are apart, or the only one below 0.
    [[nodiscard]] bool are_far_from(double code) const {
        if (least > most) return false;
        const double gap = code < 0 ? least - code : code - most;
        return gap > most - least || (code < 0 && least >= 0);
    }
};

/// Columns whose least or largest value is a code: no other has one that is far from its values.
std::map<Index, CodesOfColumn> suspects(const Cells& cells) {
    const auto cols = static_cast<std::size_t>(cells.cols());
    std::vector<float> least(cols, std::numeric_limits<float>::infinity());
    std::vector<float> most(cols, -std::numeric_limits<float>::infinity());
    for (Index r = 0; r < cells.rows(); ++r) {
        if (r % between_stops == 0) progress::cancellation_point();
        const float* row = cells.row(r);
        for (std::size_t c = 0; c < cols; ++c) {  // so that compilers vectorize it
            least[c] = row[c] < least[c] ? row[c] : least[c];
            most[c] = row[c] > most[c] ? row[c] : most[c];
        }
    }
    std::map<Index, CodesOfColumn> columns;
    for (std::size_t c = 0; c < cols; ++c) {
        const auto column = static_cast<Index>(c);
        if (cells.code(least[c], column) != 0 || cells.code(most[c], column) != 0) columns[column];
    }
    return columns;
}

std::map<Index, CodesOfColumn> codes_in(const Cells& cells) {
    std::map<Index, CodesOfColumn> columns = suspects(cells);
    if (columns.empty()) return columns;
    for (Index r = 0; r < cells.rows(); ++r) {
        if (r % between_stops == 0) progress::cancellation_point();
        for (auto& [c, found] : columns) {
            const float held = cells.row(r)[c];
            if (const double code = cells.code(held, c); code != 0) {
                ++found.times[code];
            } else if (const double value = cells.value(held, c); std::isfinite(value)) {
                found.least = std::min(found.least, value);
                found.most = std::max(found.most, value);
            }
        }
    }
    return columns;
}

}  // namespace

void note_codes(Points& points) {
    constexpr std::size_t most_said = 4;
    std::size_t said = 0;
    for (const auto& [column, found] : codes_in(Cells(points))) {
        const auto c = static_cast<std::size_t>(column);
        const std::string name = c < points.columns.size() ? fmt::format(" '{}'", shown(points.columns[c])) : "";
        for (const auto& [code, times] : found.times) {
            if (times < 2 || said == most_said || !found.are_far_from(code)) continue;
            ++said;
            points.notes.push_back({fmt::format("read with {} in {} rows of column of numbers {}{}, far from its other "
                                                "numbers; write NA there if it means a missing value",
                                                code, times, c + 1, name),
                                    ""});
        }
    }
}

}  // namespace dunlin::io

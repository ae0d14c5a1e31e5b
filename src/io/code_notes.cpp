// SPDX-License-Identifier: Apache-2.0
#include "io/code_notes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

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

using Code = std::pair<Index, double>;  ///< a column, and the number

constexpr Index between_stops = 4096;  ///< rows

/// Points that are held less a shift.
class Cells {
public:
    explicit Cells(const Points& points) : values_(points.values.view()), shift_(points.shift) {
        for (Index c = 0; c < values_.cols; ++c) {
            const double shift = shift_of(c);
            low_.push_back(static_cast<float>(least_plain - shift));
            high_.push_back(static_cast<float>(most_plain - shift));
        }
    }
    [[nodiscard]] double value(Index r, Index c) const { return values_(r, c) + shift_of(c); }
    [[nodiscard]] double code(Index r, Index c) const {
        return code_of(value(r, c), std::abs(static_cast<double>(values_(r, c))) * 0x1p-23);
    }
    /// Whether a value of the row is out of the range in which no number is a code; a loop that compilers vectorize.
    [[nodiscard]] bool may_have_codes(Index r) const {
        const float* row = values_.data + Offset{r} * values_.cols;
        int beyond = 0;
        for (std::size_t c = 0; c < low_.size(); ++c)
            beyond |= static_cast<int>(row[c] <= low_[c]) | static_cast<int>(row[c] >= high_[c]);
        return beyond != 0;
    }
    [[nodiscard]] Index rows() const { return values_.rows; }
    [[nodiscard]] Index cols() const { return values_.cols; }

private:
    [[nodiscard]] double shift_of(Index c) const { return shift_.empty() ? 0 : shift_[static_cast<std::size_t>(c)]; }

    MatrixView<const float> values_;
    const std::vector<double>& shift_;
    std::vector<float> low_, high_;
};

/// Codes that occur twice or more in their column.
std::map<Code, Offset> codes_in(const Cells& cells) {
    std::map<Code, Offset> found;
    for (Index r = 0; r < cells.rows(); ++r) {
        if (r % between_stops == 0) progress::cancellation_point();
        if (!cells.may_have_codes(r)) continue;
        for (Index c = 0; c < cells.cols(); ++c) {
            if (const double code = cells.code(r, c); code != 0) ++found[{c, code}];
        }
    }
    std::erase_if(found, [](const auto& entry) { return entry.second < 2; });
    return found;
}

/// The least and the most of the other values of a column.
struct OtherValues {
    double least = std::numeric_limits<double>::infinity(), most = -least;

    /// Whether a code is farther from all of them than these are apart, or the only one below 0.
    [[nodiscard]] bool are_far_from(double code) const {
        if (least > most) return false;
        const double gap = code < 0 ? least - code : code - most;
        return gap > most - least || (code < 0 && least >= 0);
    }
};

std::map<Index, OtherValues> others_of(const Cells& cells, const std::map<Code, Offset>& codes) {
    std::map<Index, OtherValues> columns;
    for (const auto& [code, times] : codes) columns[code.first];
    if (columns.empty()) return columns;
    for (Index r = 0; r < cells.rows(); ++r) {
        if (r % between_stops == 0) progress::cancellation_point();
        for (auto& [c, others] : columns) {
            const double value = cells.value(r, c);
            if (!std::isfinite(value) || cells.code(r, c) != 0) continue;
            others.least = std::min(others.least, value);
            others.most = std::max(others.most, value);
        }
    }
    return columns;
}

}  // namespace

void note_codes(Points& points) {
    const Cells cells(points);
    const std::map<Code, Offset> codes = codes_in(cells);
    const std::map<Index, OtherValues> others = others_of(cells, codes);
    constexpr std::size_t most_said = 4;
    std::size_t said = 0;
    for (const auto& [code, times] : codes) {
        if (said == most_said || !others.at(code.first).are_far_from(code.second)) continue;
        ++said;
        const auto c = static_cast<std::size_t>(code.first);
        const std::string name = c < points.columns.size() ? fmt::format(" '{}'", shown(points.columns[c])) : "";
        points.notes.push_back({fmt::format("read with {} in {} rows of column of numbers {}{}, far from its other "
                                            "numbers; write NA there if it means a missing value",
                                            code.second, times, c + 1, name),
                                ""});
    }
}

}  // namespace dunlin::io

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

/// The code that a number is, as far as float32 tells; 0: none.
double code_of(double value, double rounding) {
    if (value > -99 + 0.5 && value < 999 - 0.5) return 0;
    for (const double code : codes) {
        if (std::abs(value - code) <= std::abs(code) * 0x1p-23 + rounding) return code;
    }
    return 0;
}

using Code = std::pair<Index, double>;  ///< a column, and the number

/// A cell of points that are held less a shift.
class Cells {
public:
    explicit Cells(const Points& points) : values_(points.values.view()), shift_(points.shift) {}
    [[nodiscard]] double value(Index r, Index c) const {
        return values_(r, c) + (shift_.empty() ? 0 : shift_[static_cast<std::size_t>(c)]);
    }
    [[nodiscard]] double code(Index r, Index c) const {
        return code_of(value(r, c), std::abs(static_cast<double>(values_(r, c))) * 0x1p-23);
    }
    [[nodiscard]] Index rows() const { return values_.rows; }
    [[nodiscard]] Index cols() const { return values_.cols; }

private:
    MatrixView<const float> values_;
    const std::vector<double>& shift_;
};

/// Whether a code is farther from all other values of its column than these are apart, or the only one below 0.
bool is_far(const Cells& cells, Code code) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (Index r = 0; r < cells.rows(); ++r) {
        const double value = cells.value(r, code.first);
        if (!std::isfinite(value) || cells.code(r, code.first) != 0) continue;
        least = std::min(least, value);
        most = std::max(most, value);
    }
    if (least > most) return false;
    const double gap = code.second < 0 ? least - code.second : code.second - most;
    return gap > most - least || (code.second < 0 && least >= 0);
}

}  // namespace

void note_codes(Points& points) {
    const Cells cells(points);
    std::map<Code, Offset> found;
    for (Index r = 0; r < cells.rows(); ++r) {
        if (r % 65536 == 0) progress::cancellation_point();
        for (Index c = 0; c < cells.cols(); ++c) {
            if (const double code = cells.code(r, c); code != 0) ++found[{c, code}];
        }
    }
    constexpr std::size_t most_said = 4;
    std::size_t said = 0;
    for (const auto& [code, times] : found) {
        if (times < 2 || said == most_said || !is_far(cells, code)) continue;
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

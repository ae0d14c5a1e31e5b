// SPDX-License-Identifier: Apache-2.0
#include "io/shift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dunlin::io {

namespace {

// float32 has 24 bits; at this offset a column keeps 16 of them for its variation
constexpr double far = 256;

// The least whole number beyond which float32 does not hold all
constexpr double largest_whole = 1 << 24;

struct ColumnStatistics {
    double median = 0;
    double spread = 0;
    std::size_t count = 0;
};

/// Values that are not finite are ignored here and rejected later.
ColumnStatistics describe(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const std::size_t last = values.size() - 1;
    const std::size_t cut = values.size() / 16;
    const double middle = values[last - cut] - values[cut];
    return {values[last / 2], middle > 0 ? middle : values[last] - values[0], values.size()};
}

/// The median of the shifts in all columns, subtracted at once: a row of equal values keeps equal values.
std::vector<double> common_shift(std::vector<double> shift) {
    const std::size_t cols = shift.size();
    const auto middle = shift.begin() + static_cast<std::ptrdiff_t>(cols / 2);
    std::nth_element(shift.begin(), middle, shift.end());
    return *middle == 0 ? std::vector<double>{} : std::vector<double>(cols, *middle);
}

}  // namespace

std::vector<double> choose_shift(std::span<const double> sample, Index cols, ColumnOffsets offsets) {
    if (offsets == ColumnOffsets::keep) return {};
    const auto width = static_cast<std::size_t>(cols);
    const std::size_t rows = width > 0 ? sample.size() / width : 0;
    if (rows == 0) return {};
    std::vector<ColumnStatistics> columns(width);
    std::vector<double> values(rows);
    double widest = 0;
    for (std::size_t c = 0; c < width; ++c) {
        for (std::size_t r = 0; r < rows; ++r) values[r] = sample[r * width + c];
        columns[c] = describe(values);
        widest = std::max(widest, columns[c].spread);
    }
    std::vector<double> shift(width, 0.0);
    bool any = false;
    for (std::size_t c = 0; c < width; ++c) {
        const double size = std::abs(columns[c].median), spread = columns[c].spread > 0 ? columns[c].spread : widest;
        // Where equal rows have no spread, any number may be far from what comes later, such as queries; a single row
        // only if float32 does not hold it
        const bool is_lost = columns[c].count > 1 || static_cast<double>(static_cast<float>(size)) != size;
        const bool is_far = spread > 0 ? size > far * spread : size > 0 && is_lost;
        const bool is_large = columns[c].spread <= 0 && size >= largest_whole;
        const bool is_beyond = size > static_cast<double>(std::numeric_limits<float>::max());  // an error, as elsewhere
        if ((!is_far && !is_large) || (is_beyond && columns[c].spread <= 0)) continue;
        shift[c] = columns[c].median;
        any = true;
    }
    if (!any) return {};
    return offsets == ColumnOffsets::common ? common_shift(std::move(shift)) : shift;
}

}  // namespace dunlin::io

// SPDX-License-Identifier: Apache-2.0
#include "io/shift.hpp"

#include <algorithm>
#include <cmath>

namespace dunlin::io {

namespace {

// float32 has 24 bits; at this offset a column keeps 16 of them for its variation
constexpr double far = 256;

struct ColumnStatistics {
    double median = 0;
    double spread = 0;
};

/// Values that are not finite are ignored here and rejected later.
ColumnStatistics describe(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const std::size_t last = values.size() - 1;
    const std::size_t cut = values.size() / 16;
    const double middle = values[last - cut] - values[cut];
    return {values[last / 2], middle > 0 ? middle : values[last] - values[0]};
}

}  // namespace

std::vector<double> choose_shift(std::span<const double> sample, Index cols) {
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
        const double spread = columns[c].spread > 0 ? columns[c].spread : widest;
        if (spread <= 0 || !(std::abs(columns[c].median) > far * spread)) continue;
        shift[c] = columns[c].median;
        any = true;
    }
    return any ? shift : std::vector<double>{};
}

}  // namespace dunlin::io

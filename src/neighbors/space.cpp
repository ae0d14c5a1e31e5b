#include "neighbors/space.hpp"

#include <cmath>
#include <limits>

#include "neighbors/keys.hpp"

namespace dunlin::neighbors {

namespace {

double mean_of(std::span<const float> row) {
    double sum = 0;
    for (const float value : row) sum += static_cast<double>(value);
    return sum / static_cast<double>(row.size());
}

/// 1 / |row - mean|. A length that is rounding noise beside the values themselves is none: a constant row of 0.1
/// minus its mean must not become a direction.
double inverse_length(std::span<const float> row, double mean) {
    double squares = 0, largest = 0;
    for (const float value : row) {
        const double v = static_cast<double>(value) - mean;
        squares += v * v;
        largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    const double length = std::sqrt(squares);
    const double noise = 1e-14 * largest * std::sqrt(static_cast<double>(row.size()));
    return length > noise ? 1.0 / length : 0.0;
}

}  // namespace

Space::Space(device::Cpu& cpu, MatrixView<const float> points, Metric metric) : points_(points), metric_(metric) {
    if (!unit_rows()) return;
    const auto rows = static_cast<std::size_t>(points.rows);
    if (metric == Metric::correlation) mean_.resize(rows);
    scale_.resize(rows);
    cpu.each(
        points.rows,
        [&](Offset r) {
            const auto at = static_cast<std::size_t>(r);
            const auto row = points_.row(static_cast<Index>(r));
            if (!mean_.empty()) mean_[at] = mean_of(row);
            scale_[at] = inverse_length(row, mean(static_cast<Index>(r)));
        },
        64);
}

double Space::key(Index a, Index b) const {
    const float* x = points_.row(a).data();
    const float* y = points_.row(b).data();
    if (metric_ == Metric::euclidean) return squared_difference(x, y, points_.cols);
    if (metric_ == Metric::manhattan) return absolute_difference(x, y, points_.cols);
    if (metric_ == Metric::inner_product) return 0.0 - inner_product(x, y, points_.cols);  // no -0
    if (scale(a) == 0 || scale(b) == 0) return scale(a) == scale(b) ? 0.0 : 2.0;
    return squared_difference(x, {mean(a), scale(a)}, y, {mean(b), scale(b)}, points_.cols);
}

float Space::rough_key(Index a, Index b) const {
    if (metric_ != Metric::euclidean) return static_cast<float>(key(a, b));
    return squared_difference_in_floats(points_.row(a).data(), points_.row(b).data(), points_.cols);
}

/// No term is negative, so rounding is at most a share of the sum: one part in 2^24 for each addition and for the two
/// steps before; and what lies below the least float, term by term.
float Space::rough_reach(float rough) const {
    if (points_.cols >= 1 << 20) return std::numeric_limits<float>::infinity();
    const auto cols = static_cast<float>(points_.cols);
    return rough * (1 + 4 * (cols + 16) * 0x1p-24F) + cols * 0x1p-148F;
}

float Space::distance(double key) const {
    if (metric_ == Metric::euclidean) return static_cast<float>(std::sqrt(key));
    if (metric_ == Metric::inner_product) return static_cast<float>(0.0 - key);
    return static_cast<float>(metric_ == Metric::manhattan ? key : key / 2);
}

void Space::normalised(Index r, double* out) const {
    const double less = mean(r), by = scale(r);
    for (const float value : points_.row(r)) *out++ = (static_cast<double>(value) - less) * by;
}

}  // namespace dunlin::neighbors

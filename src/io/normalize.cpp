// SPDX-License-Identifier: Apache-2.0
#include <dunlin/normalize.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <dunlin/error.hpp>

#include "device/cpu.hpp"
#include "math/at.hpp"

namespace dunlin {

namespace {

struct ColumnScale {
    double shift = 0, scale = 0;
};

ColumnScale scale_of(MatrixView<const float> x, Index c, Normalize how) {
    double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0, squares = 0;
    for (Index r = 0; r < x.rows; ++r) {
        const auto value = static_cast<double>(x(r, c));
        least = std::min(least, value);
        most = std::max(most, value);
        sum += value;
    }
    const double mean = sum / x.rows;
    for (Index r = 0; r < x.rows; ++r) squares += std::pow(static_cast<double>(x(r, c)) - mean, 2);
    if (!(most > least)) return {least, 0};
    if (how == Normalize::minmax) return {least, 1 / (most - least)};
    return {mean, 1 / std::sqrt(squares / (x.rows - 1))};
}

/// Variances of the columns over at most 1,000 rows, evenly spread.
std::vector<double> sampled_variances(MatrixView<const float> x) {
    const Index sampled = std::min<Index>(x.rows, 1000);
    std::vector<double> means(at(x.cols)), variances(at(x.cols));
    const auto row = [&](Index i) { return x.row(static_cast<Index>(Offset{i} * x.rows / sampled)); };
    for (Index i = 0; i < sampled; ++i) {
        for (std::size_t c = 0; c < means.size(); ++c) means[c] += static_cast<double>(row(i)[c]) / sampled;
    }
    for (Index i = 0; i < sampled; ++i) {
        for (std::size_t c = 0; c < means.size(); ++c)
            variances[c] += std::pow(static_cast<double>(row(i)[c]) - means[c], 2) / sampled;
    }
    return variances;
}

}  // namespace

ColumnScales scales_of(MatrixView<const float> points, Normalize how, const Run& run) {
    if (how == Normalize::none || points.rows == 0) return {};
    ColumnScales scales{std::vector<double>(at(points.cols)), std::vector<double>(at(points.cols))};
    device::Cpu cpu(run);
    cpu.each(
        points.cols,
        [&](Offset c) {
            const ColumnScale column = scale_of(points, static_cast<Index>(c), how);
            scales.shift[at(c)] = column.shift;
            scales.scale[at(c)] = column.scale;
        },
        1);
    return scales;
}

Matrix scaled(MatrixView<const float> rows, const ColumnScales& scales, const Run& run) {
    if (scales.scale.size() != at(rows.cols)) {
        throw Error(Fault::bad_input,
                    fmt::format("rows of {} columns are scaled as points of {}; both must have the same", rows.cols,
                                scales.scale.size()));
    }
    std::vector<float> values(rows.data, rows.data + rows.size());
    device::Cpu cpu(run);
    cpu.each(
        rows.rows,
        [&](Offset r) {
            for (std::size_t c = 0; c < scales.scale.size(); ++c) {
                float& value = values[at(r) * scales.scale.size() + c];
                value = static_cast<float>((static_cast<double>(value) - scales.shift[c]) * scales.scale[c]);
            }
        },
        256);
    return {rows.rows, rows.cols, std::move(values)};
}

RulingColumn ruling_column(MatrixView<const float> points) {
    constexpr Index least_rows = 20;  // fewer do not tell the deviation of a column
    if (points.rows < least_rows || points.cols < 4) return {};
    const std::vector<double> variances = sampled_variances(points);
    double sum = 0, squares = 0;
    for (const double variance : variances) {
        sum += variance;
        squares += variance * variance;
    }
    std::vector<double> varying = variances;
    std::erase_if(varying, [](double variance) { return !(variance > 0); });
    if (varying.size() < 4 || !std::isfinite(squares) || sum * sum >= 2 * squares) return {};
    const auto middle = varying.begin() + std::ssize(varying) / 2;
    std::nth_element(varying.begin(), middle, varying.end());
    const auto most = std::max_element(variances.begin(), variances.end());
    const double deviation = std::sqrt(*most), usual = std::sqrt(*middle);
    if (!(deviation > 10 * usual)) return {};
    return {static_cast<Index>(most - variances.begin()), deviation, usual};
}

}  // namespace dunlin
